// The whole catalog as the lines that an import takes, private fields included.
import { Type } from 'typebox'
import type { Database } from '../../kernel/context.ts'
import { writer } from '../../kernel/output.ts'
import { listRecordsAfter, listTaxonomy } from './queries.ts'
import { bodies, KINDS, type Kind } from './schema.ts'

const PAGE = 200

const writers = Object.fromEntries(
  KINDS.map((kind) => [
    kind,
    writer(Type.Object({ kind: Type.String(), slug: Type.String(), ...bodies[kind].properties })),
  ]),
) as Record<Kind, (value: unknown) => string>

/** Pieces of text of many lines each. */
export async function* exportLines(db: Database): AsyncGenerator<string> {
  for (const kind of KINDS) {
    const write = (rows: Record<string, unknown>[]) =>
      rows.map((row) => `${writers[kind]({ kind, ...row })}\n`).join('')
    if (kind !== 'tool' && kind !== 'directory') {
      const rows = await listTaxonomy(db, kind)
      yield write(rows.sort((a, b) => ((a.slug as string) < (b.slug as string) ? -1 : 1)))
      continue
    }
    let rows = await listRecordsAfter(db, kind, '', PAGE)
    while (rows.length > 0) {
      yield write(rows)
      rows = await listRecordsAfter(db, kind, rows.at(-1)!.id as string, PAGE)
    }
  }
}
