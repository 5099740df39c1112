// Exports the whole catalog, private fields included, as lines of JSON or as CSV that an import accepts.
import { Type } from 'typebox'
import { isTime, type Shape, shapeOf } from '../../../kernel/checks/shape.ts'
import type { Database } from '../../../kernel/context.ts'
import { writer } from '../../../kernel/output.ts'
import { rowProblem } from '../../catalog/rules.ts'
import { KINDS, type Kind } from '../../catalog/schema.ts'
import { listRecordsAfter, listTaxonomy } from '../queries.ts'
import { withoutEmptyFields } from '../rules.ts'
import { bodies } from '../schema.ts'
import { fieldsOf, writeCell } from '../spreadsheets/table.rules.ts'

const ROWS_PER_PAGE = 200

const broken = Type.Optional(Type.String())
const lineFormats = Object.fromEntries(
  KINDS.map((kind) => {
    const line = Type.Object({ kind: Type.String(), slug: Type.String(), ...bodies[kind].properties, broken })
    return [kind, { write: writer(line), shape: shapeOf(line) }]
  }),
) as Record<Kind, { write: (value: unknown) => string; shape: Shape }>

/**
 * A broken row is exported as unpublished, with the fields that can be read and the reason. An import makes a draft of it that an
 * administrator can complete.
 */
function lineOf(kind: Kind, stored: Record<string, unknown> & { slug: string }): string {
  const { write, shape } = lineFormats[kind]
  const problem = rowProblem(kind, stored)
  const row = withoutEmptyFields(stored)
  if (problem === undefined) return write({ kind, ...row })
  const { createdAt, ...rest } = row
  const repaired = shape.repair({ kind, ...rest }, '', []) as Record<string, unknown>
  return write({ ...repaired, ...(isTime(createdAt) ? { createdAt } : {}), published: false, broken: problem })
}

/** Yields texts of many lines each. */
export async function* exportLines(db: Database): AsyncGenerator<string> {
  for (const kind of KINDS)
    for await (const rows of storedPages(db, kind)) yield rows.map((row) => `${lineOf(kind, row)}\n`).join('')
}

async function* storedPages(db: Database, kind: Kind): AsyncGenerator<Parameters<typeof lineOf>[1][]> {
  if (kind !== 'tool' && kind !== 'directory') {
    const rows = await listTaxonomy(db, kind)
    yield rows.sort((a, b) => (a.slug < b.slug ? -1 : 1))
    return
  }
  let rows = await listRecordsAfter(db, kind, '', ROWS_PER_PAGE)
  for (let last = rows.at(-1); last; last = rows.at(-1)) {
    yield rows
    rows = await listRecordsAfter(db, kind, last.id as string, ROWS_PER_PAGE)
  }
}

/** The entries of one kind as CSV that a table import accepts. The byte order mark tells spreadsheets that the text is UTF-8. */
export async function* exportTable(db: Database, kind: Kind): AsyncGenerator<string> {
  const fields = fieldsOf(kind)
  yield `\ufeff${fields.join(',')}\r\n`
  for await (const rows of storedPages(db, kind)) {
    const entries = rows.map((row): Record<string, unknown> => JSON.parse(lineOf(kind, row)))
    yield entries.map((entry) => `${fields.map((field) => writeCell(entry[field])).join(',')}\r\n`).join('')
  }
}
