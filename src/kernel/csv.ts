// One cell of a CSV file (RFC 4180).

/** A text that a spreadsheet would take for a formula gets an apostrophe in front; one with apostrophes there one more, so that it can be read back. */
export function csvCell(value: string | number | boolean | Date | null | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return value instanceof Date ? value.toISOString() : String(value)
  const safe = /^'*[=+\-@\t\r]/.test(value) ? `'${value}` : value
  // Spreadsheets of many languages split at semicolons, and readers that guess at tabs.
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
