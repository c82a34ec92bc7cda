import { answered } from './served.ts'

declare const Deno: {
  serve(
    options: { hostname: string; port: number; onListen(at: { port: number }): void },
    handler: (request: Request) => Response | Promise<Response>,
  ): unknown
}

Deno.serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    onListen: ({ port }) => console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` })),
  },
  answered,
)
