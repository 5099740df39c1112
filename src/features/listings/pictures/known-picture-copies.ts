// When a listing is written: replaces the addresses of its pictures by the addresses of the copies that this service already has of them.
// A row of an import that names no picture gets the picture that was found on its website before.
// So a repeated import changes nothing, and no picture is fetched twice.
import { mediaAddress, SINGLE_PICTURES } from '../../../kernel/addresses/own-addresses.ts'
import type { TransactionContext } from '../../../kernel/context.ts'
import { createPauses } from '../../../kernel/work/scheduler.ts'
import type { Kind } from '../../catalog/schema.ts'
import type { GivenRow } from '../entries/upsert.queries.ts'
import { isListedKind, jsonOfRow, type StoredRow, storedRow } from '../rules.ts'
import { findCopies, hasCopies, lockCopies } from './pictures.queries.ts'
import { copyKey, foreignPictures, type PictureFields, siteCopyKey, withCopies } from './pictures.rules.ts'

/** Returns the rows with the addresses of the copies. The caller must hold `lockCopies`. `ofSites`: use pictures found on websites too. */
export async function withKnownCopies(
  ctx: TransactionContext,
  kind: Kind,
  rows: readonly StoredRow[],
  { ofSites = false } = {},
): Promise<readonly StoredRow[]> {
  if (!isListedKind(kind)) return rows
  const fieldsOf = (row: StoredRow) => row as StoredRow & PictureFields & { website: string }
  const missingPictures = (row: StoredRow) => {
    const fields = fieldsOf(row)
    return ofSites && fields.website ? SINGLE_PICTURES.filter((part) => fields[part] === null) : []
  }
  const keys = rows.flatMap((row) => [
    ...foreignPictures(ctx.publicUrl, fieldsOf(row)).map(copyKey),
    ...missingPictures(row).map((part) => siteCopyKey(part, fieldsOf(row).website)),
  ])
  if (keys.length === 0) return rows
  const copies = await findCopies(ctx.db, [...new Set(keys)])
  if (copies.size === 0) return rows
  return rows.map((row) => {
    const changed = withCopies(ctx.publicUrl, fieldsOf(row), (picture) => copies.get(copyKey(picture)))
    for (const part of missingPictures(row)) {
      const name = copies.get(siteCopyKey(part, fieldsOf(row).website))
      if (name) changed[part] = mediaAddress(ctx.publicUrl, name)
    }
    return Object.keys(changed).length === 0 ? row : { ...row, ...changed }
  })
}

/**
 * Returns a function that does the same for each batch of an import, with the pictures found on websites. Whether any copy exists is asked
 * once; if there is none, the rows are not parsed.
 */
export async function copiesForImport(ctx: TransactionContext) {
  await lockCopies(ctx.db)
  const anyCopyExists = await hasCopies(ctx.db)
  const pause = createPauses()
  return async (kind: Kind, rows: readonly GivenRow[]): Promise<readonly GivenRow[]> => {
    if (!anyCopyExists) return rows
    const before: StoredRow[] = []
    for (const { json } of rows) {
      before.push(storedRow(json))
      await pause()
    }
    const after = await withKnownCopies(ctx, kind, before, { ofSites: true })
    return rows.map((given, i) => {
      const row = after[i] as StoredRow
      return row === before[i] ? given : { slug: given.slug, json: jsonOfRow(row) }
    })
  }
}
