import type { ThreadMessage } from '@assistant-ui/react'

interface KeptFile {
  readonly name: string
  readonly type: string
  readonly lastModified: number
  readonly bytes: Uint8Array<ArrayBuffer>
}

type Attachment = NonNullable<ThreadMessage['attachments']>[number]
type KeptAttachment = Omit<Attachment, 'file'> & { readonly file?: KeptFile }
export type KeptMessage = Omit<ThreadMessage, 'createdAt' | 'attachments'> & {
  readonly createdAt: number
  readonly attachments?: readonly KeptAttachment[]
}

/** A message as it is stored: JSON, as far as it goes. A file cannot be stored, but its bytes can. */
export async function packed({ attachments, createdAt, ...rest }: ThreadMessage): Promise<KeptMessage> {
  const message = { ...rest, createdAt: createdAt.getTime() }
  return attachments ? { ...message, attachments: await Promise.all(attachments.map(withBytes)) } : message
}

/** A message as it was. */
export function unpacked(stored: unknown): ThreadMessage {
  const { attachments, createdAt, ...rest } = stored as KeptMessage
  const message = { ...rest, createdAt: new Date(createdAt) }
  return (attachments ? { ...message, attachments: attachments.map(withFile) } : message) as ThreadMessage
}

async function withBytes({ file, ...rest }: Attachment): Promise<KeptAttachment> {
  if (!file) return rest
  const { name, type, lastModified } = file
  return { ...rest, file: { name, type, lastModified, bytes: new Uint8Array(await file.arrayBuffer()) } }
}

function withFile({ file, ...rest }: KeptAttachment): Attachment {
  if (!file) return rest
  const { name, type, lastModified, bytes } = file
  return { ...rest, file: new File([bytes], name, { type, lastModified }) }
}
