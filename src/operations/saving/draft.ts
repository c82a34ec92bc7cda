import { CheckpointerError } from '../../errors.ts'
import { threadKey } from '../../storage/keys.ts'
import type { Check, Put } from '../../storage/storage.ts'
import { bytesIn, LOST_RACE, tryCommit } from '../store/commit.ts'
import { familyQuery, openFamily, renewFamily } from '../store/family.ts'
import { byRef, findCheckpoint, isHeld, needCheckpoint } from '../store/find.ts'
import type { Place, SaveRequest, StoredInfo } from '../host.ts'
import { birthPut } from '../rows/birth-row.ts'
import { pauses } from '../../state/slices/pause.ts'
import {
  checkpointPuts,
  checkpointPutsInSlices,
  infoOf,
  keyOf,
  newFacts,
  type CheckpointFacts,
} from '../rows/checkpoint-row.ts'
import { newLane } from '../rows/lanes.ts'
import {
  emptyThread,
  openThread,
  threadPut,
  timeOfWrites,
  withWrites,
  type ThreadFacts,
  type ThreadRow,
} from '../rows/thread-row.ts'
import { writePuts, type MadeWrite } from '../rows/write-row.ts'
import type { Store } from '../store/store.ts'
import { checkThread, partitionFor } from '../store/threads.ts'
import { frameFor } from './framing.ts'
import { isExpected, noParent, refuseTakenId, refuseUnexpected } from './refusals.ts'

/** Room left in a commit for the rows of the thread, whose size is known only at the end. */
const ROOM = 4096

/** With writes that were made elsewhere, where it adopts. */
type AddRequest = SaveRequest & { readonly writes?: readonly MadeWrite[] }

/** What one commit will hold: saves of one namespace, each decided as if those before it were stored already. */
export class Draft {
  readonly #store: Store
  readonly #row: ThreadRow | undefined
  readonly #partition: string
  readonly #fresh: CheckpointFacts[] = []
  readonly #freshById = new Map<string, CheckpointFacts>()
  readonly #freshBySeq = new Map<number, CheckpointFacts>()
  readonly #puts: Put[] = []
  readonly #saved: StoredInfo[] = []
  readonly #cut = new Set<string>()
  readonly #adopts: boolean
  #facts: ThreadFacts
  #bytes = 0

  private constructor(
    store: Store,
    row: ThreadRow | undefined,
    partition: string,
    facts: ThreadFacts,
    adopts: boolean,
  ) {
    this.#store = store
    this.#adopts = adopts
    this.#row = row
    this.#partition = partition
    this.#facts = facts
  }

  /**
   * `row` is that of the namespace, if it is there; if not, it is made, as of `createdAt`. One that adopts takes in what
   * was saved in another store: parents may be missing, and what becomes of the heads is said at the end.
   */
  static async on(
    store: Store,
    place: Place,
    row: ThreadRow | undefined,
    createdAt: number,
    adopts = false,
  ): Promise<Draft> {
    const partition = row?.partition ?? (await partitionFor(store, place.thread))
    return new Draft(store, row, partition, row?.facts ?? emptyThread(place, newLane(), createdAt), adopts)
  }

  /** The namespace's row as it would now be. */
  get facts(): ThreadFacts {
    return this.#facts
  }

  get fresh(): readonly CheckpointFacts[] {
    return this.#fresh
  }

  isFresh(id: string): boolean {
    return this.#freshById.has(id)
  }

  /** What will be stored, and what was found to be stored already, in the order of the saves. */
  get saved(): readonly StoredInfo[] {
    return this.#saved
  }

  /**
   * Takes in one more save. `false`: the base of its delta is gone, or the commit is full. Throws when it is
   * refused. `again`: it may have been stored before.
   */
  async add(request: AddRequest, again: boolean): Promise<boolean> {
    const stored = await this.#storedBefore(request, again)
    if (stored) {
      this.#saved.push(infoOf(stored))
      return true
    }
    refuseUnexpected(request, this.#facts.head)
    const parent = await this.#parentOf(request)
    const framed = await frameFor(this.#store, request.frame, {
      facts: this.#facts,
      row: this.#row,
      parent,
      isStored: parent !== undefined && !this.#freshBySeq.has(parent.seq),
      find: (id) => this.find({ id }),
    })
    if (!framed) return false
    const seq = this.#facts.next
    const told = parent ?? this.#missing(request)
    const facts = newFacts(request, seq, told, framed.frame(seq))
    const { limits } = this.#store.storage
    const row = [limits, this.#partition, this.#facts.lane, facts, framed.body] as const
    // Nobody waits in this moment for what comes from another store.
    const written = this.#adopts ? await checkpointPutsInSlices(...row, pauses()) : checkpointPuts(...row)
    refuseLongFacts(written.puts[0]?.head)
    const wrote = timeOfWrites(this.#facts, request.writes)
    const all = (request.writes ?? []).map((write, i) =>
      writePuts(limits, this.#partition, { lane: this.#facts.lane, seq }, { at: wrote + i / 1000, write }),
    )
    const some = this.#adopts ? this.#besideOne(written.puts, all) : all
    if (some.length < all.length && this.#saved.length > 0) return false
    const beside = some.flat()
    if (!this.#hasRoomFor([...written.puts, ...beside])) return false
    if (some.length < all.length) this.#cut.add(written.facts.id)
    this.#puts.push(...written.puts, ...beside)
    this.#fresh.push(written.facts)
    this.#freshById.set(written.facts.id, written.facts)
    this.#freshBySeq.set(seq, written.facts)
    this.#saved.push(infoOf(written.facts))
    const { retention: _before, tips, head, ...rest } = this.#facts
    const noted = request.writes ? withWrites(rest, some.length, wrote + some.length / 1000) : rest
    this.#facts = {
      ...noted,
      ...(request.run ? { run: request.run } : {}),
      ...(request.retention === undefined ? {} : { retention: request.retention }),
      next: seq + 1,
      head: (this.#adopts && head) || written.facts,
      ...(tips && (this.#adopts || tips.length > 0) ? { tips } : {}),
      updatedAt: Math.max(request.createdAt, this.#facts.updatedAt),
    }
    return true
  }

  /** The namespace's row as it now is, and its new checkpoints. */
  async commit(
    relaxed: boolean,
  ): Promise<{ thread: ThreadRow; fresh: readonly CheckpointFacts[] } | typeof LOST_RACE | undefined> {
    const facts = this.#facts
    if (this.#fresh.length === 0 && facts === this.#row?.facts) return undefined
    if (this.#fresh.length === 0 && !this.#row) return undefined
    const { thread, namespace } = facts
    const root = namespace === '' ? undefined : await this.#rootRow()
    // A new row changes who lives in the partition: a removal that has counted them must not pass.
    const family = this.#row && !this.#adopts ? undefined : await this.#familyRenewal()
    const own = this.#row
      ? checkThread(this.#row)
      : ({ table: 'threads', key: threadKey(thread, namespace), version: undefined } as const)
    const version = await tryCommit(this.#store, this.#partition, {
      checks: [own, ...(root?.checks ?? []), ...(family ? [family.check] : [])],
      puts: [
        ...this.#puts,
        threadPut(this.#partition, facts),
        ...(root?.puts ?? []),
        ...(this.#row ? [] : [birthPut(this.#partition, facts)]),
        ...(family ? [family.put] : []),
      ],
      ...(relaxed ? { relaxed } : {}),
    })
    if (version === LOST_RACE) return LOST_RACE
    if (root) this.#store.threads.set(root.facts, { partition: this.#partition, version, facts: root.facts })
    return { thread: { partition: this.#partition, version, facts }, fresh: this.#fresh }
  }

  /** Said by whoever adopts, once all is in. */
  settle(facts: ThreadFacts): void {
    this.#facts = facts
  }

  async #storedBefore(request: SaveRequest, again: boolean): Promise<CheckpointFacts | undefined> {
    // What is in the way of one that expects another head may be itself: on its way a message may be sent twice.
    const mayBeThere = again || request.id !== undefined || !isExpected(request, this.#facts.head)
    const same = await this.find({ id: request.id ?? request.key }, mayBeThere)
    if (same) {
      if (keyOf(same) !== request.key) refuseTakenId(request, same.seq)
      return same
    }
    const id = request.retry ? (request.id ?? request.key) : request.id
    if (again && this.#row && id !== undefined && (await isHeld(this.#store, this.#row, id)))
      refuseTakenId(request)
    return undefined
  }

  /** A parent that was removed before the checkpoint came here is told by its id alone. */
  #missing({ parent }: SaveRequest): StoredInfo['parent'] {
    return this.#adopts && typeof parent === 'string' ? { seq: 0, id: parent } : undefined
  }

  /** Of those that will be there, or of those that are too. */
  async find(at: { id: string } | { seq: number }, alsoStored = true): Promise<CheckpointFacts | undefined> {
    const fresh = 'id' in at ? this.#freshById.get(at.id) : this.#freshBySeq.get(at.seq)
    if (fresh || !alsoStored || !this.#row) return fresh
    return (await findCheckpoint(this.#store, this.#row, at))?.facts
  }

  async #parentOf(request: SaveRequest): Promise<CheckpointFacts | undefined> {
    const { parent } = request
    const { head } = this.#facts
    if (parent === null) return undefined
    if (parent === undefined || (head && (parent === head.seq || parent === head.id))) return head
    const at = byRef(parent) as { id: string } | { seq: number }
    const fresh = await this.find(at, this.#adopts)
    if (fresh || this.#adopts) return fresh
    if (!this.#row) throw noParent(request)
    return (await needCheckpoint(this.#store, this.#row, at)).facts
  }

  /** Of the pending writes of a checkpoint that came from elsewhere: as many as one commit takes with it. */
  #besideOne(own: readonly Put[], writes: readonly (readonly Put[])[]): readonly (readonly Put[])[] {
    const { operations, commitBytes } = this.#store.storage.limits
    const room = { operations: operations - own.length - 8, bytes: commitBytes - bytesIn(own) - 2 * ROOM }
    const full = writes.findIndex((puts) => {
      room.operations -= puts.length
      room.bytes -= bytesIn(puts)
      return room.operations < 0 || room.bytes < 0
    })
    return full === -1 ? writes : writes.slice(0, full)
  }

  /** Not all of its pending writes had room beside it: they are to be added. */
  isCut(id: string): boolean {
    return this.#cut.has(id)
  }

  /** Only a guess for what comes beside: should it be wrong, each save is committed by itself. */
  #hasRoomFor(puts: readonly Put[]): boolean {
    const { operations, commitBytes } = this.#store.storage.limits
    const bytes = this.#bytes + bytesIn(puts)
    const head = puts[0]?.head.length ?? 0
    const fits = this.#puts.length + puts.length + 8 <= operations && bytes + 2 * head + ROOM <= commitBytes
    if (!fits && this.#saved.length > 0) return false
    this.#bytes = bytes
    return true
  }

  async #familyRenewal(): Promise<{ check: Check; put: Put } | undefined> {
    const [rows] = await this.#store.storage.read(this.#partition, [familyQuery])
    const family = openFamily(this.#partition, rows)
    if (this.#row && family.isSynced) return undefined
    return renewFamily(this.#partition, { ...family, isSynced: family.isSynced || this.#adopts })
  }

  /** The row of namespace '' stands for the thread in the list, also when only other namespaces are saved to. */
  async #rootRow(): Promise<{ facts: ThreadFacts; checks: Check[]; puts: Put[] }> {
    const { thread, updatedAt } = this.#facts
    const partition = this.#partition
    const key = threadKey(thread, '')
    const [rows] = await this.#store.storage.read(partition, [{ table: 'threads', keys: [key] }])
    const found = rows?.[0]
    const facts = found
      ? openThread(partition, found).facts
      : emptyThread({ thread, namespace: '' }, newLane(), this.#fresh[0]?.createdAt ?? updatedAt)
    const touched = { ...facts, others: true, updatedAt: Math.max(updatedAt, facts.updatedAt) }
    return {
      facts: touched,
      checks: [{ table: 'threads', key, version: found?.version }],
      puts: [threadPut(partition, touched), ...(found ? [] : [birthPut(partition, touched)])],
    }
  }
}

/** A line of an export takes them, beside a piece of the state: else one checkpoint would keep a whole store from being exported. */
const MOST_FACTS = 1_000_000

function refuseLongFacts(head = ''): void {
  if (head.length <= MOST_FACTS) return
  throw new CheckpointerError(
    'TOO_LARGE',
    `extra, next and path take ${head.length} characters of at most ${MOST_FACTS}: put what is large into the state.`,
    { outcome: 'none' },
  )
}
