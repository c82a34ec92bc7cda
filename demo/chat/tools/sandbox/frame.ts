/**
 * The document in which code is run that nobody has looked at. It has an origin of its own, since the frame is sandboxed:
 * no storage, no cookies, nothing of the page. It inherits the page's policy and adds its own, and so does the worker:
 * no connection, no script from anywhere, no eval. The code is the worker's own script, so it needs none.
 *
 * The page's policy names the script below by its hash: vite.config.ts puts it there.
 */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; worker-src blob:"

/** Runs in the worker, around the code. What comes out of it is text. */
const WORKER = `
const said = [];
const text = (value) => {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return value + 'n';
  try { return JSON.stringify(value) ?? String(value); } catch { return String(value); }
};
const log = (...values) => { if (said.length < 200) said.push(values.map(text).join(' ')); };
self.console = { log, info: log, warn: log, error: log, debug: log };
const tell = postMessage.bind(self);
const work = async () => {`

const WORKER_END = `};
work().then(
  (value) => tell({ text: [...said, ...(value === undefined ? [] : [text(value)])].join('\\n') }),
  (error) => tell({ error: String(error) }),
);`

/** Runs in the frame. What cannot be read as an expression is run as statements. */
export const FRAME_SCRIPT = `
const parts = ${JSON.stringify([WORKER, WORKER_END])};
const policy = globalThis.trustedTypes?.createPolicy('sandbox', { createScriptURL: (url) => url });
const run = (port, bodies) => {
  const url = URL.createObjectURL(new Blob([parts[0] + '\\n' + bodies[0] + '\\n' + parts[1]], { type: 'text/javascript' }));
  const worker = new Worker(policy ? policy.createScriptURL(url) : url);
  worker.onmessage = ({ data }) => port.postMessage(data);
  worker.onerror = (event) => {
    event.preventDefault();
    if (bodies.length > 1) run(port, bodies.slice(1));
    else port.postMessage({ error: event.message });
  };
};
onmessage = ({ data, ports }) => {
  onmessage = null;
  run(ports[0], ['return (' + data + '\\n)', data]);
};
`

export const FRAME = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script>${FRAME_SCRIPT}</script>`
