import { answered } from './served.ts'

declare const Bun: {
  serve(options: {
    hostname: string
    port: number
    idleTimeout: number
    fetch(request: Request): Response | Promise<Response>
  }): { readonly port: number }
}

// Events are a stream that may rest for longer than Bun waits for by itself.
const { port } = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 60, fetch: answered })
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
