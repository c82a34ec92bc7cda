/** Tells the site, which is outside of the browser: what has arrived there, no fault of a browser takes back. */
export async function tellSite(about: object): Promise<void> {
  await fetch('/ack', { method: 'POST', body: JSON.stringify(about), keepalive: true })
}
