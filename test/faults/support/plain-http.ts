/** A name that only this browser knows, and that no browser trusts as it does loopback. */
const HOST = 'plain.test'

/** With this, Chromium finds the site under that name too. */
export const PLAIN_HTTP = { args: [`--host-resolver-rules=MAP ${HOST} 127.0.0.1`] }

/** The same page over plain http, where there are no locks. */
export const overPlainHttp = (url: string): string => `http://${HOST}:${new URL(url).port}/`
