// Listings that are written again with the addresses that they were first written with keep our copies of their pictures, so that the
// same import changes nothing and nothing is fetched twice.
import type { TransactionContext } from '../../kernel/context.ts'
import { type Kind, LISTED_KINDS } from '../catalog/schema.ts'
import { findCopies, lockCopies } from './pictures.queries.ts'
import { copyKey, foreignPictures, type PictureFields, withCopies } from './pictures.rules.ts'
import type { StoredRow } from './rules.ts'

export async function withKnownCopies(
  ctx: TransactionContext,
  kind: Kind,
  rows: readonly StoredRow[],
): Promise<StoredRow[]> {
  if (!(LISTED_KINDS as readonly Kind[]).includes(kind)) return [...rows]
  const fieldsOf = (row: StoredRow) => row as unknown as PictureFields
  const keys = rows.flatMap((row) => foreignPictures(ctx.publicUrl, fieldsOf(row)).map(copyKey))
  if (keys.length === 0) return [...rows]
  await lockCopies(ctx.db)
  const copies = await findCopies(ctx.db, [...new Set(keys)])
  if (copies.size === 0) return [...rows]
  return rows.map((row) => ({
    ...row,
    ...withCopies(ctx.publicUrl, fieldsOf(row), (picture) => copies.get(copyKey(picture))),
  }))
}
