import { isWriteIndex } from '../../ids.ts'
import type { StoredWrite } from '../../operations/host.ts'
import type { Codec } from '../../state/codec.ts'
import { toBytes } from '../../state/json-bytes.ts'
import { checkOptions, invalid, itemsOf, type Names } from '../options/options.ts'
import type { TaskWrite } from './types.ts'

const WRITE: Names<TaskWrite> = { channel: true, value: true, index: true }

/** What a task has yielded, as it is stored; refuses what it cannot be. */
export function storedWrites(taskId: string, writes: readonly TaskWrite[], codec: Codec): StoredWrite[] {
  return itemsOf('writes', writes, 'a list').map((write, i) => {
    const path = `writes[${i}]`
    const { channel, value, index } = checkOptions('a write', write as TaskWrite, WRITE, path)
    if (typeof channel !== 'string') throw invalid(`${path}.channel`, 'a string')
    if (index !== undefined && !isWriteIndex(index)) throw invalid(`${path}.index`, 'a whole number')
    return { taskId, index: index ?? i, channel, body: toBytes(codec.capture(value).state) }
  })
}
