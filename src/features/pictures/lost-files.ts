// Repairs listings whose copied pictures have no file: the folder or bucket was lost, or an older database was restored. They get back the
// original address, which is then copied again. The rows of such copies are deleted, so that no write of a listing uses them.
import { randomBytes } from 'node:crypto'
import { ownPicture, pictureNameIn } from '../../kernel/addresses/own-addresses.ts'
import type { Context } from '../../kernel/context.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from '../catalog/schema.ts'
import { deleteCopies, listCopiesAfter, listCopiesOf, updatePictures } from '../listings/pictures/pictures.queries.ts'
import { type PictureFields, picturesOf, withAddresses } from '../listings/pictures/pictures.rules.ts'
import * as queries from './queries.ts'
import { PICTURE_COPIES } from './rules.ts'

const SAMPLE_SIZE = 20
const PAGE = 500
/** How many files are looked for at the same time. */
const FILES_AT_ONCE = 8

/** Whether the file of one of a few copies, chosen at random, is missing. */
export async function isSomeFileLost(ctx: Context): Promise<boolean> {
  const after = await listCopiesAfter(ctx.db, randomBytes(6).toString('base64url'), SAMPLE_SIZE)
  const fromStart = after.length < SAMPLE_SIZE ? await listCopiesAfter(ctx.db, '', SAMPLE_SIZE - after.length) : []
  return (await lostNames(ctx, [...after, ...fromStart])).size > 0
}

/** Looks for the files of all copies, which may take minutes, and repairs the listings whose files are missing. */
export async function repairListings(ctx: Context, signal: AbortSignal): Promise<void> {
  let restored = 0
  let unknown = 0
  for (const kind of LISTED_KINDS)
    for await (const listings of pagesOf(
      (after) => queries.listCopied(ctx.db, kind, ctx.publicUrl, after, PAGE),
      ({ id }) => id,
    )) {
      signal.throwIfAborted()
      const named = listings.map((listing) => ({ id: listing.id, names: namesIn(ctx.publicUrl, listing) }))
      const lost = await lostNames(
        ctx,
        named.flatMap(({ names }) => names.map((name) => ({ name }))),
      )
      const addresses = await originalAddressesOf(ctx, lost)
      for (const { id } of named.filter(({ names }) => names.some((name) => lost.has(name)))) {
        if (await restoreAddresses(ctx, kind, id, addresses)) restored++
        else unknown++
      }
    }
  for await (const copies of pagesOf(
    (after) => listCopiesAfter(ctx.db, after, PAGE),
    ({ key }) => key,
  )) {
    signal.throwIfAborted()
    await deleteCopies(ctx.db, [...(await lostNames(ctx, copies))])
  }
  if (restored + unknown > 0)
    ctx.log.warn(
      { restored, unknown },
      'pictures of listings are missing; those whose address is known are copied again, the others after an import',
    )
}

/** Reads page after page; `read` returns at most PAGE rows after a key. */
async function* pagesOf<T>(read: (after: string) => Promise<T[]>, keyOf: (row: T) => string): AsyncGenerator<T[]> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: T[] = await read(after)
    yield rows
    const last = rows.at(-1)
    after = last && rows.length === PAGE ? keyOf(last) : undefined
  }
}

async function lostNames(ctx: Context, copies: readonly { name: string }[]): Promise<Set<string>> {
  const lost = new Set<string>()
  const remaining = new Set(copies.map(({ name }) => name)).values()
  const checkRemaining = async () => {
    for (const name of remaining) if (!(await ctx.pictureStore.has(name))) lost.add(name)
  }
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, checkRemaining))
  return lost
}

/** The file name of a picture that this service stores; empty for any other address. */
const nameOf = (publicUrl: string, address: string): string =>
  (ownPicture(publicUrl, address) && pictureNameIn(address)) ?? ''

const namesIn = (publicUrl: string, listing: PictureFields): string[] =>
  picturesOf(listing).flatMap(({ address }) => nameOf(publicUrl, address) || [])

/** The original addresses of files, by file name, where they are known. */
async function originalAddressesOf(ctx: Context, names: ReadonlySet<string>): Promise<Map<string, string>> {
  const copies = names.size === 0 ? [] : await listCopiesOf(ctx.db, [...names])
  return new Map(copies.flatMap(({ name, address }) => (address === null ? [] : [[name, address] as const])))
}

/** Returns whether the listing got an address back. `by`: the announcement starts no job, because all listings are checked next. */
const restoreAddresses = (
  ctx: Context,
  kind: ListedKind,
  id: string,
  addresses: ReadonlyMap<string, string>,
): Promise<boolean> =>
  ctx.transaction(async (ctx) => {
    const listing = await queries.findPicturedForUpdate(ctx.db, kind, id)
    if (!listing) return false
    const fields = withAddresses(listing, ({ address }) => addresses.get(nameOf(ctx.publicUrl, address)))
    const changed = Object.keys(fields)
    if (changed.length === 0) return false
    await updatePictures(ctx.db, kind, id, fields, ctx.now())
    // The deleted row says how the copying of the missing files ended.
    await queries.deleteWork(ctx.db, { kind, listingId: id })
    await writeAudit(ctx, `${kind}.pictures`, `${kind}:${listing.slug}`, { fields: changed, missing: true })
    await ctx.announce({ topic: TOPIC[kind], ids: [id], by: PICTURE_COPIES })
    return true
  })
