import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nodeListener } from 'forkpoint/server'
import { Hono } from 'hono'
import { answered } from './served.ts'

const app = new Hono()
app.all('/*', (context) => answered(context.req.raw))
const listener = nodeListener(async (request) => app.fetch(request))
const server = createServer((request, response) => void listener(request, response))
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
})
