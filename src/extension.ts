/** `forkpoint/extension`: one store for a whole browser extension, kept by its service worker. */
export { connectCheckpointer, type ConnectOptions } from './extension/connect.ts'
export { isExtensionPage } from './extension/sender.ts'
export { serveCheckpointer, type ServeOptions } from './extension/serve.ts'
export type { AllowSender } from './extension/served-port.ts'
export type { Port, Runtime, Sender } from './extension/runtime.ts'
