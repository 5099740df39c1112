// Copies the pictures of one listing. They are fetched, checked and encoded like those of a submission. A picture that cannot be had keeps
// its address: readers of the API get what the operator wrote, and pages show the letter tile.
import type { Context } from '../../kernel/context.ts'
import { pictureNameIn } from '../../kernel/own-addresses.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { TOPIC } from '../catalog/schema.ts'
import { fetchPicture } from '../enrichment/fetching.ts'
import { findCopies, updatePictures, upsertCopy } from '../listings/pictures.queries.ts'
import { copyKey, type ForeignPicture, foreignPictures, withCopies } from '../listings/pictures.rules.ts'
import type { Hosts } from './hosts.ts'
import * as queries from './queries.ts'
import { hashOf, hostOf, nextState, PICTURES, type WorkPart } from './rules.ts'

/** The time for all pictures of a listing together. The others wait for the next attempt. */
export const LISTING_MS = 30_000

interface Work {
  hosts: Hosts
  signal: AbortSignal
  retrySeconds: number
}

export async function mirrorListing(ctx: Context, claim: queries.Claim, work: Work): Promise<void> {
  const listing = await queries.findPictured(ctx.db, claim.kind, claim.listingId)
  if (!listing) {
    await queries.deleteWork(ctx.db, claim)
    return
  }
  const until = ctx.now().getTime() + LISTING_MS
  const names = new Map<string, string>()
  const parts: WorkPart[] = []
  for (const picture of foreignPictures(ctx.publicUrl, listing)) {
    work.signal.throwIfAborted()
    const copy = await copyOf(ctx, picture, until, work)
    if ('name' in copy) names.set(copyKey(picture), copy.name)
    const outcome = 'name' in copy ? 'copied' : copy.why === 'unreachable' ? 'unreachable' : 'kept'
    parts.push({ part: picture.part, outcome, note: 'name' in copy ? '' : `The address ${copy.note}.`.slice(0, 300) })
  }
  work.signal.throwIfAborted()
  await store(ctx, claim, names, parts, work.retrySeconds)
}

type Copy = { name: string } | { why: 'none' | 'denied' | 'unreachable'; note: string }

async function copyOf(ctx: Context, picture: ForeignPicture, until: number, { hosts, signal }: Work): Promise<Copy> {
  const key = copyKey(picture)
  const known = pictureNameIn(picture.address) ?? (await findCopies(ctx.db, [key])).get(key)
  if (known && (await ctx.pictureStore.has(known))) return { name: known }
  const fetched = await hosts.ask(
    hostOf(picture.address),
    () => fetchPicture(ctx, picture.address, picture.use, until),
    signal,
  )
  if ('why' in fetched) return fetched
  const name = fetched.address.slice(fetched.address.lastIndexOf('/') + 1)
  await upsertCopy(ctx.db, key, name, ctx.now())
  return { name }
}

/** The addresses that are still there get their copies; what was changed in the meantime stays as it was written. */
const store = (
  ctx: Context,
  claim: queries.Claim,
  names: ReadonlyMap<string, string>,
  parts: WorkPart[],
  retrySeconds: number,
): Promise<void> =>
  ctx.transaction(async (ctx) => {
    const { kind, listingId } = claim
    const listing = await queries.findPicturedForUpdate(ctx.db, kind, listingId)
    let { hash } = claim
    if (listing) {
      const fields = withCopies(ctx.publicUrl, listing, (picture) => names.get(copyKey(picture)))
      const changed = Object.keys(fields)
      if (changed.length > 0) {
        await updatePictures(ctx.db, kind, listingId, fields, ctx.now())
        await insertAudit(ctx.db, auditEntry(ctx, `${kind}.pictures`, `${kind}:${listing.slug}`, { fields: changed }))
        await ctx.announce({ topic: TOPIC[kind], ids: [listingId], by: PICTURES })
        // What is left is not new, so it does not make the listing wait again. Addresses that were written in the meantime do.
        const isUnchanged = hashOf(foreignPictures(ctx.publicUrl, listing)) === claim.hash
        if (isUnchanged) hash = hashOf(foreignPictures(ctx.publicUrl, { ...listing, ...fields }))
      }
    }
    await queries.updateAttempted(ctx.db, claim, { ...nextState(parts, claim.attempts, retrySeconds), parts, hash })
  })
