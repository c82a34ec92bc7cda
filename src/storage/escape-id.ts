/** Reversible: letters, digits, `-`, `_` and `.` stand for themselves, all else is `!` and four hex digits. */
export function escapeId(id: string): string {
  return id.replace(/[^\w.-]/g, (char) => '!' + char.charCodeAt(0).toString(16).padStart(4, '0'))
}

/** The text that was escaped. */
export function unescapeId(escaped: string): string {
  return escaped.replace(/!([0-9a-f]{4})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}
