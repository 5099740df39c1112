// CSV files (RFC 4180), as spreadsheets read them.

type CsvValue = string | number | boolean | Date | null | undefined

export type CsvColumn<Row> = readonly [title: string, value: (row: Row) => CsvValue]

/** A CSV file with a line of titles. */
export const csvOf = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, value]) => csvCell(value(row))))]
    .map((line) => `${line.join(',')}\r\n`)
    .join('')

/** One cell of a CSV file. A text that a spreadsheet would read as a formula gets an apostrophe (or one more) in front. */
export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return value instanceof Date ? value.toISOString() : String(value)
  const safe = /^'*[=+\-@\t\r]/.test(value) ? `'${value}` : value
  // Spreadsheets of many languages split at semicolons, and readers that guess at tabs.
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
