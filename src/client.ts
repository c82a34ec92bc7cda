/** `forkpoint/client`: a checkpointer that is served elsewhere. */
export { remoteHost, type RemoteHost, type RemoteOptions } from './client/remote-host.ts'
