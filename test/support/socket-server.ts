/** A WebSocket server on loopback: as much of RFC 6455 as frames of text and a close need. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

export interface Peer {
  send(text: string): void
}

interface Heard {
  text(text: string, peer: Peer): void
  /** With the code that the other side has closed by. */
  closed(code: number): void
}

const [TEXT, CLOSE] = [1, 8]

export async function socketServer(heard: Heard): Promise<{ readonly url: string; end(): void }> {
  const http = createServer()
  const sockets = new Set<Duplex>()
  http.on('upgrade', ({ headers }, socket: Duplex) => {
    sockets.add(socket)
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    const peer: Peer = { send: (text) => void socket.write(frameOf(TEXT, Buffer.from(text))) }
    let left: Buffer = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (data: Buffer) => {
      left = Buffer.concat([left, data])
      for (let frame = frameIn(left); frame; frame = frameIn(left)) {
        left = left.subarray(frame.length)
        if (frame.opcode === TEXT) heard.text(frame.payload.toString(), peer)
        if (frame.opcode !== CLOSE) continue
        heard.closed(frame.payload.readUInt16BE())
        socket.end(frameOf(CLOSE, frame.payload))
      }
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
    end: () => {
      for (const socket of sockets) socket.destroy()
      http.close()
    },
  }
}

function frameOf(opcode: number, payload: Buffer): Buffer {
  const short = payload.length < 126
  const head = Buffer.alloc(short ? 2 : 4)
  head[0] = 0x80 | opcode
  head[1] = short ? payload.length : 126
  if (!short) head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}

/** The first whole frame of a client, which masks what it sends. */
function frameIn(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  if (bytes.length < 4) return undefined
  const size = (bytes[1] ?? 0) & 0x7f
  const at = size < 126 ? 2 : 4
  const length = size < 126 ? size : bytes.readUInt16BE(2)
  if (bytes.length < at + 4 + length) return undefined
  const mask = bytes.subarray(at, at + 4)
  const payload = Buffer.from(bytes.subarray(at + 4, at + 4 + length))
  for (const [index, byte] of payload.entries()) payload[index] = byte ^ (mask[index % 4] ?? 0)
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload, length: at + 4 + length }
}
