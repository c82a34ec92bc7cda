"""A second reader of the stored format, written from docs/format.md alone, in another language.

Reads a dump from standard input, a row a line: {"partition", "table", "key", "head", "body" (base64, if any)}.
Checks every sum and every fact, follows lanes, chains, parts and deltas, looks at every box, and writes what it has read as
JSON: {"<thread>": {"<namespace>": {"checkpoints": {"<seq>": {"id", "state"}}, "writes": [...]}}}, states as they are encoded.
Stops with a message at anything that the document does not allow. Passes over what only a later version can read.
"""

import base64
import json
import re
import sys

from facts import OF

FORMAT = 1
FEATURES = ()


def fail(what):
    raise SystemExit("reader.py: " + what)


def murmur3(data, seed):
    mask = 0xFFFFFFFF
    hash_ = seed

    def mixed(word):
        word = (word * 0xCC9E2D51) & mask
        word = ((word << 15) | (word >> 17)) & mask
        return (word * 0x1B873593) & mask

    words = len(data) // 4
    for at in range(0, words * 4, 4):
        hash_ ^= mixed(int.from_bytes(data[at : at + 4], "little"))
        hash_ = ((hash_ << 13) | (hash_ >> 19)) & mask
        hash_ = (hash_ * 5 + 0xE6546B64) & mask
    if len(data) % 4:
        hash_ ^= mixed(int.from_bytes(data[words * 4 :], "little"))
    hash_ ^= len(data)
    hash_ = ((hash_ ^ (hash_ >> 16)) * 0x85EBCA6B) & mask
    hash_ = ((hash_ ^ (hash_ >> 13)) * 0xC2B2AE35) & mask
    return hash_ ^ (hash_ >> 16)


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Row:
    def __init__(self, line):
        given = json.loads(line)
        self.partition, self.table, self.key = given["partition"], given["table"], given["key"]
        self.body = base64.b64decode(given["body"]) if "body" in given else None
        match = re.match(r"(\d+)\.([0-9a-f]{8})\.", given["head"])
        if not match:
            fail("%s %s has no head" % (self.table, self.key))
        self.is_later = int(match[1]) > FORMAT
        if self.is_later:
            return
        facts = given["head"][match.end() :]
        place = compact([int(match[1]), self.partition, self.table] + self.key)
        total = murmur3((place + "\n" + facts).encode("utf-8"), 0)
        if self.body is not None:
            total = murmur3(self.body, total)
        if "%08x" % total != match[2]:
            fail("%s %s does not fit its sum" % (self.table, self.key))
        self.facts = json.loads(facts)
        shape = OF.get(self.key[0] if self.table == "meta" else self.table)
        # A kind of row that the document does not name is of a later version.
        if shape is not None and not shape(self.facts):
            fail("%s %s has facts that it cannot have" % (self.table, self.key))
        if self.table == "meta" and self.key[0] == "gone":
            for names in json.loads(self.body.decode("utf-8")):
                if not 2 <= len(names) <= 3 or not all(isinstance(name, str) for name in names):
                    fail("%s names a save by %s" % (self.key, names))


class Later(Exception):
    """It stands on a row that only a later version can read."""


def check_versions(row):
    """Whether this reader may read the database at all."""
    if row.is_later:
        fail("the database is of a later format")
    read = row.facts.get("read", row.facts["format"])
    needed = [name for name, who in row.facts.get("features", {}).items() if who not in ("write", "none")]
    if read > FORMAT or not set(needed) <= set(FEATURES):
        fail("the database can be read by a later version alone")


class Family:
    """The rows of one partition."""

    def __init__(self):
        self.rows = {"threads": {}, "checkpoints": {}, "parts": {}, "writes": {}, "meta": {}}
        self.states = {}

    def payload(self, row, size, parts):
        if not parts:
            whole = row.body or b""
        else:
            owner, count = parts
            lane, seq = row.key[0], row.key[1]
            pieces = [self.rows["parts"].get((lane, seq, owner, number)) for number in range(count)]
            if None in pieces:
                fail("a part of %s %s is missing" % (row.table, row.key))
            if any(piece.is_later for piece in pieces):
                raise Later()
            whole = b"".join(piece.body for piece in pieces)
        if len(whole) != size:
            fail("%s %s has %d bytes in place of %d" % (row.table, row.key, len(whole), size))
        return json.loads(whole.decode("utf-8"))

    def state(self, lane, seq):
        if (lane, seq) in self.states:
            return self.states[(lane, seq)]
        row = self.rows["checkpoints"].get((lane, seq))
        if row is None:
            fail("checkpoint %s %s is missing" % (lane, seq))
        if row.is_later:
            raise Later()
        frame = row.facts["frame"]
        state = self.payload(row, frame["size"], frame.get("parts"))
        if "base" in frame:
            base = frame["base"]
            if base[1] < frame["root"] or base[1] >= seq:
                fail("checkpoint %s %s stands on %s" % (lane, seq, base))
            state = fold(self.state(*base), state)
        self.states[(lane, seq)] = state
        return state


def fold(state, delta):
    holder = [json.loads(json.dumps(state))]
    for operation in delta:
        kind, path = operation[0], operation[1]
        parent, last = holder, 0
        for step in path:
            parent, last = parent[last], step
        if kind == "=":
            parent[last] = operation[2]
            continue
        target = parent[last]
        if kind == "-":
            for key in operation[2]:
                del target[key]
        elif kind == "[":
            at, remove, items = operation[2:]
            target[at : at + remove] = items
        elif kind == '"':
            at, remove, text = operation[2:]
            units = target.encode("utf-16-le", "surrogatepass")
            middle = text.encode("utf-16-le", "surrogatepass")
            units = units[: at * 2] + middle + units[(at + remove) * 2 :]
            parent[last] = units.decode("utf-16-le", "surrogatepass")
        elif kind == "{":
            parent[last] = {key: target[key] for key in operation[2]}
        else:
            fail("there is no operation %s" % kind)
    return holder[0]


def check_entries(entries):
    for key, value in entries:
        if not isinstance(key, str):
            fail("a key of a box is no text")
        check_boxes(value)


def check_properties(given):
    if isinstance(given, list):
        check_entries(given)
    else:
        for value in given.values():
            check_boxes(value)


def check_boxes(value):
    if isinstance(value, list):
        for item in value:
            check_boxes(item)
        return
    if not isinstance(value, dict):
        return
    if "$fp" not in value:
        for item in value.values():
            check_boxes(item)
        return
    if list(value) != ["$fp"]:
        fail("a box has other keys: %s" % list(value))
    kind, rest = value["$fp"][0], value["$fp"][1:]
    if kind in ("undefined", "number", "bigint", "Date", "invalid-date", "regexp", "URL", "ref"):
        return
    if kind == "bytes":
        base64.b64decode(rest[1], validate=True)
    elif kind == "map":
        for key, item in rest[0]:
            check_boxes(key)
            check_boxes(item)
    elif kind in ("set", "graph"):
        for item in rest[0]:
            check_boxes(item)
    elif kind == "sparse":
        for at, item in rest[1]:
            if not 0 <= at < rest[0]:
                fail("a sparse list has something beyond its end")
            check_boxes(item)
    elif kind in ("null-object", "object"):
        check_entries(rest[0])
    elif kind == "error":
        for name, item in rest[0].items():
            if name not in ("name", "type", "class", "message", "stack", "cause", "errors", "props"):
                fail("an error has %s" % name)
            if name == "props":
                check_properties(item)
            elif name in ("cause", "errors"):
                check_boxes(item)
    elif kind == "class":
        check_properties(rest[1])
    elif kind == "custom":
        check_boxes(rest[1])
    else:
        fail("there is no box %s" % kind)


def within(ranges, seq):
    return any(first <= seq <= last for first, last in ranges or [])


def shown(family, facts):
    """The rows that a namespace shows, by seq; what neither is there nor gone is an error."""
    start = 1
    for segment in facts["segments"]:
        end = segment.get("to", facts["next"] - 1)
        for seq in range(start, end + 1):
            if within(segment.get("hide"), seq):
                continue
            row = family.rows["checkpoints"].get((segment["lane"], seq))
            if row is not None:
                yield seq, segment["lane"], row
            elif not within(segment.get("gone"), seq):
                fail("checkpoint %d of %s is missing" % (seq, facts["thread"]))
        start = max(start, end + 1)


def read_thread(family, facts):
    checkpoints = {}
    latest = None
    for seq, lane, row in shown(family, facts):
        latest = seq
        try:
            state = family.state(lane, seq)
        except Later:
            continue
        check_boxes(state)
        for _, value in row.facts.get("extra", []):
            check_boxes(value)
        checkpoints[str(seq)] = {"id": row.facts["id"], "state": state}
    head = facts.get("head")
    if "tips" not in facts and (head["seq"] if head else None) != latest:
        fail("the head of %s is not its latest checkpoint" % facts["thread"])
    own = [row for key, row in family.rows["writes"].items() if key[0] == facts["lane"]]
    if len(own) != facts.get("writes", 0):
        fail("%s has %d pending writes in place of %s" % (facts["thread"], len(own), facts.get("writes", 0)))
    writes = []
    for row in sorted((row for row in own if not row.is_later), key=lambda row: (row.key[1], row.facts["at"])):
        try:
            value = family.payload(row, row.facts["size"], row.facts.get("parts"))
        except Later:
            continue
        check_boxes(value)
        told = {name: row.facts[name] for name in ("taskId", "index", "channel")}
        writes.append({"seq": row.key[1], **told, "value": value})
    return {"checkpoints": checkpoints, "writes": writes}


def main():
    families = {}
    for line in sys.stdin.readlines():
        if line.strip():
            row = Row(line)
            families.setdefault(row.partition, Family()).rows[row.table][tuple(row.key)] = row
    check_versions(families[""].rows["meta"][("database", "")])
    threads = {}
    for family in families.values():
        for row in family.rows["threads"].values():
            if row.is_later:
                continue
            facts = row.facts
            born = family.rows["meta"].get(("lane", facts["lane"]))
            if born is None or (born.facts["thread"], born.facts["namespace"]) != (facts["thread"], facts["namespace"]):
                fail("the lane of %s was made for another" % facts["thread"])
            read = read_thread(family, facts)
            if read["checkpoints"]:
                threads.setdefault(facts["thread"], {})[facts["namespace"]] = read
    json.dump(threads, sys.stdout, separators=(",", ":"), sort_keys=False)


sys.setrecursionlimit(20000)
main()
