/** From here on the site is told of each write to IndexedDB, when it is begun and when it is done. */
export function tellOfWrites(): void {
  const { prototype } = IDBDatabase
  const begin = Object.getOwnPropertyDescriptor(prototype, 'transaction')?.value as IDBDatabase['transaction']
  prototype.transaction = function transaction(this: IDBDatabase, ...args) {
    const opened = begin.apply(this, args)
    if (opened.mode !== 'readwrite') return opened
    tell()
    opened.addEventListener('complete', tell)
    return opened
  }
}

const tell = (): void => void fetch('/notice', { method: 'POST' }).catch(() => {})
