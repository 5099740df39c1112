// Copies the pictures of one listing. They are fetched, checked and encoded like those of a submission. A picture that cannot be copied
// keeps its address: the API returns what the operator wrote, and pages show a tile with a letter instead.
import type { Context } from '../../kernel/context.ts'
import { pictureNameIn } from '../../kernel/own-addresses.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { TOPIC } from '../catalog/schema.ts'
import { fetchPicture } from '../enrichment/fetching.ts'
import { findCopies, lockCopies, updatePictures, upsertCopy } from '../listings/pictures.queries.ts'
import { copyKey, foreignPictures, type ListedPicture, withCopies } from '../listings/pictures.rules.ts'
import type { PictureHosts } from './hosts.ts'
import * as queries from './queries.ts'
import { nextState, PICTURE_COPIES, pictureHash, pictureHost, type WorkPart } from './rules.ts'

/** The time for all pictures of a listing together. Pictures that are not reached wait for the next attempt. */
export const LISTING_MS = 30_000

interface Work {
  hosts: PictureHosts
  signal: AbortSignal
  retrySeconds: number
}

export async function mirrorListing(ctx: Context, claim: queries.PictureClaim, work: Work): Promise<void> {
  const listing = await queries.findPictured(ctx.db, claim.kind, claim.listingId)
  if (!listing) {
    await queries.deleteWork(ctx.db, claim)
    return
  }
  const deadline = ctx.now().getTime() + LISTING_MS
  const found: PictureResult[] = []
  for (const picture of foreignPictures(ctx.publicUrl, listing)) {
    work.signal.throwIfAborted()
    found.push({ picture, copy: await copyOf(ctx, picture, deadline, work) })
  }
  work.signal.throwIfAborted()
  await store(ctx, claim, found, work.retrySeconds)
}

interface PictureResult {
  picture: ListedPicture
  copy: Copy
}

/** The file name of the copy, or why there is none. */
type Copy = { name: string } | { why: 'none' | 'denied' | 'unreachable'; note: string }

async function copyOf(ctx: Context, picture: ListedPicture, deadline: number, { hosts, signal }: Work): Promise<Copy> {
  const key = copyKey(picture)
  const own = pictureNameIn(picture.address)
  const known = own ?? (await findCopies(ctx.db, [key])).get(key)
  if (known && (await ctx.pictureStore.has(known))) {
    // The address is stored as null: a lost file cannot be fetched again from this service itself.
    if (own) await upsertCopy(ctx.db, key, own, null, ctx.now())
    return { name: known }
  }
  const fetched = await hosts.ask(
    pictureHost(picture.address),
    () => fetchPicture(ctx, picture.address, picture.use, deadline),
    signal,
  )
  if ('why' in fetched) return fetched
  const name = fetched.address.slice(fetched.address.lastIndexOf('/') + 1)
  await upsertCopy(ctx.db, key, name, picture.address, ctx.now())
  return { name }
}

const COPY_REMOVED: Copy = { why: 'unreachable', note: 'had a copy that was removed in the meantime' }

const partOf = ({ picture: { part }, copy }: PictureResult): WorkPart =>
  'name' in copy
    ? { part, outcome: 'copied', note: '' }
    : {
        part,
        outcome: copy.why === 'unreachable' ? 'unreachable' : 'kept',
        note: `The address ${copy.note}.`.slice(0, 300),
      }

/**
 * Replaces the addresses in the listing with those of the copies. Addresses that were changed meanwhile stay as they are. A copy whose row
 * was deleted meanwhile is not used, because `unused.jobs.ts` is removing its file.
 */
const store = (ctx: Context, claim: queries.PictureClaim, found: readonly PictureResult[], retrySeconds: number) =>
  ctx.transaction(async (ctx) => {
    const { kind, listingId } = claim
    await lockCopies(ctx.db)
    const names = await findCopies(
      ctx.db,
      found.flatMap(({ picture, copy }) => ('name' in copy ? [copyKey(picture)] : [])),
    )
    const parts = found.map(({ picture, copy }) =>
      partOf({ picture, copy: 'name' in copy && !names.has(copyKey(picture)) ? COPY_REMOVED : copy }),
    )
    const listing = await queries.findPicturedForUpdate(ctx.db, kind, listingId)
    let { hash } = claim
    if (listing) {
      const fields = withCopies(ctx.publicUrl, listing, (picture) => names.get(copyKey(picture)))
      const changed = Object.keys(fields)
      if (changed.length > 0) {
        await updatePictures(ctx.db, kind, listingId, fields, ctx.now())
        await insertAudit(ctx.db, auditEntry(ctx, `${kind}.pictures`, `${kind}:${listing.slug}`, { fields: changed }))
        await ctx.announce({ topic: TOPIC[kind], ids: [listingId], by: PICTURE_COPIES })
        // The addresses that could not be copied were tried just now; with their hash stored, they do not make the listing wait again.
        const isUnchanged = pictureHash(foreignPictures(ctx.publicUrl, listing)) === claim.hash
        if (isUnchanged) hash = pictureHash(foreignPictures(ctx.publicUrl, { ...listing, ...fields }))
      }
    }
    await queries.updateAttempted(ctx.db, claim, { ...nextState(parts, claim.attempts, retrySeconds), parts, hash })
  })
