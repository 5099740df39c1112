// Exports the entries of one kind as CSV that the import of a table accepts.
import type { Database } from '../../kernel/context.ts'
import type { Kind } from '../catalog/schema.ts'
import { entryPages } from './export.ts'
import { fieldsOf, writeCell } from './table-fields.rules.ts'

/** Yields texts of many rows each. The mark tells spreadsheets that the text is UTF-8. */
export async function* exportTable(db: Database, kind: Kind): AsyncGenerator<string> {
  const fields = fieldsOf(kind)
  yield `\ufeff${fields.join(',')}\r\n`
  for await (const entries of entryPages(db, kind))
    yield entries.map((entry) => `${fields.map((field) => writeCell(entry[field])).join(',')}\r\n`).join('')
}
