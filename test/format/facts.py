"""What docs/format.md says of the facts of each kind of row. Others may stand beside them, of a later version."""

import re


def text(most=None, least=0):
    return lambda value: isinstance(value, str) and least <= units(value) and (most is None or units(value) <= most)


def units(value):
    return len(value.encode("utf-16-le", "surrogatepass")) // 2


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def seq(value):
    return count(value) and value <= 2**50


def time(value):
    return number(value) and abs(value) <= 8.64e15


def flag(value):
    return isinstance(value, bool)


def one_of(*wanted):
    return lambda value: any(value is each or (isinstance(each, str) and value == each) for each in wanted)


def each(check, most=None):
    return lambda value: isinstance(value, list) and all(map(check, value)) and (most is None or len(value) <= most)


def listed(*checks):
    return lambda value: (
        isinstance(value, list) and len(value) == len(checks) and all(is_(part) for is_, part in zip(checks, value))
    )


def either(*checks):
    return lambda value: any(is_(value) for is_ in checks)


def facts(must, may=None):
    def check(value):
        return (
            isinstance(value, dict)
            and all(name in value and is_(value[name]) for name, is_ in must.items())
            and all(name not in value or is_(value[name]) for name, is_ in (may or {}).items())
        )

    return check


def anything(value):
    return True


def name(value):
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_:-]{1,64}", value) is not None


id_ = text(256, 1)
namespace = text(1024)
short = text(1024)
texts = each(text(), 10000)
parts = listed(name, count)
ranges = each(listed(seq, seq))
point = facts({"seq": seq, "id": id_})
origin = facts({"thread": id_, "namespace": namespace, "seq": seq, "id": id_})
segments = each(facts({"lane": name}, {"to": seq, "hide": ranges, "gone": ranges}))
run = facts(
    {
        "id": id_,
        "status": one_of("running", "waiting", "finished", "failed", "stopped"),
        "turn": id_,
        "began": time,
        "at": time,
    },
    {"why": text()},
)
frame = facts(
    {"root": seq, "rows": count, "chain": count, "whole": count, "size": count},
    {"base": listed(name, seq), "parts": parts},
)
checkpoint = facts(
    {"seq": seq, "id": id_, "createdAt": time, "frame": frame},
    {
        "key": id_,
        "parent": point,
        "node": short,
        "next": texts,
        "step": number,
        "runId": id_,
        "workflow": short,
        "label": short,
        "source": short,
        "path": texts,
        "extra": each(listed(text(), anything)),
    },
)
thread = facts(
    {
        "thread": id_,
        "namespace": namespace,
        "createdAt": time,
        "updatedAt": time,
        "lane": name,
        "segments": segments,
        "next": seq,
    },
    {
        "head": checkpoint,
        "tips": each(facts({"seq": seq, "id": id_}, {"run": run})),
        "label": short,
        "forkOf": origin,
        "key": id_,
        "retention": either(
            one_of(False),
            facts({"keepLabelled": flag}, {"keepLast": count, "olderThan": number, "keepEvery": count}),
        ),
        "writes": count,
        "wrote": time,
        "run": run,
        "others": flag,
    },
)
at = facts({"at": time})
place = listed(short, seq)
side = facts({"database": text(), "threads": count})

OF = {
    "threads": thread,
    "checkpoints": checkpoint,
    "parts": at,
    "writes": facts(
        {"taskId": id_, "index": lambda value: isinstance(value, int), "channel": text(), "at": time, "size": count},
        {"parts": parts},
    ),
    "family": facts({}, {"sweep": each(name), "synced": one_of(True)}),
    "database": facts({"format": count, "id": text(), "createdAt": time}, {"read": count, "features": anything}),
    "flush": at,
    "lane": facts(
        {"thread": id_, "namespace": namespace, "createdAt": time},
        {"segments": segments, "label": short, "forkOf": origin},
    ),
    "lease": facts({"token": number}),
    "lease-beat": facts({}),
    "deleted": at,
    "losses": facts({"at": time, "message": text(), "loss": facts({"expected": side, "found": side, "heads": each(anything)})}),
    "import": facts({"state": one_of("staging", "publishing", "clearing"), "at": time}),
    "staged": thread,
    "quarantine": facts(
        {
            "table": one_of("threads", "checkpoints", "parts", "writes", "meta"),
            "key": each(either(text(), number)),
            "head": text(),
            "at": time,
            "why": text(),
        }
    ),
    "gone": facts({}, {"own": one_of(True)}),
    "synced": facts(
        {"places": each(facts({"namespace": namespace, "mine": place, "theirs": place}, {"wrote": listed(time, time)}), 10000)},
        {"mine": text(), "theirs": text()},
    ),
}
