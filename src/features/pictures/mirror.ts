// Copies the pictures of one listing, and looks for those that it does not name on its website. They are fetched, checked and encoded like
// those of a submission. A picture that cannot be copied keeps its address: the API returns what the operator wrote, and pages show a tile
// with a letter instead.
import { setTimeout as sleep } from 'node:timers/promises'
import { mediaAddress, pictureNameIn, SINGLE_PICTURES } from '../../kernel/addresses/own-addresses.ts'
import type { Context } from '../../kernel/context.ts'
import { createFairTurns, type FairTurns } from '../../kernel/work/turns.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { TOPIC } from '../catalog/schema.ts'
import { fetchPage, fetchPicture, iconAddresses } from '../enrichment/fetching.ts'
import { findCopies, lockCopies, updatePictures, upsertCopy } from '../listings/pictures/pictures.queries.ts'
import {
  copyKey,
  foreignPictures,
  type ListedPicture,
  siteCopyKey,
  withCopies,
} from '../listings/pictures/pictures.rules.ts'
import * as queries from './queries.ts'
import {
  type MissingPictures,
  missingPictures,
  nextState,
  PER_HOST,
  PICTURE_COPIES,
  partsCopiedBefore,
  pictureHash,
  pictureHost,
  siteOf,
  type WorkPart,
} from './rules.ts'

/** The time for all pictures of a listing together. Pictures that are not reached wait for the next attempt. */
export const LISTING_MS = 30_000

interface Work {
  hosts: PictureHosts
  signal: AbortSignal
  retrySeconds: number
  /** Whether the website is asked for pictures that the listing does not name. */
  asksSites: boolean
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
  const missing = missingPictures(listing, work.asksSites, partsCopiedBefore(claim.parts))
  if (missing) found.push(...(await picturesOfSite(ctx, missing, deadline, work)))
  work.signal.throwIfAborted()
  await storeResults(ctx, claim, found, work)
}

interface PictureResult {
  picture: ListedPicture
  copy: Copy
  /** The listing does not name the picture; it is looked for on the website. */
  isOfSite?: true
}

/** Looks on the website for the pictures that the listing does not name. Of each, the first address that has a picture is copied. */
async function picturesOfSite(
  ctx: Context,
  { website, parts }: MissingPictures,
  deadline: number,
  work: Work,
): Promise<PictureResult[]> {
  const ask = <T>(request: () => Promise<T>) => work.hosts.ask(pictureHost(website), request, work.signal)
  const page = await ask(() => fetchPage(ctx, website, deadline))
  if ('why' in page)
    return [{ picture: { part: 'site', use: 'picture', address: website }, copy: page, isOfSite: true }]
  const found: PictureResult[] = []
  for (const part of parts) {
    const use = part === 'icon' ? 'icon' : 'picture'
    const addresses =
      part === 'icon' ? await ask(() => iconAddresses(ctx, page.facts, deadline)) : page.facts.sharePictures
    let result: PictureResult = {
      picture: { part, use, address: website },
      copy: { why: 'none', note: 'names none' },
      isOfSite: true,
    }
    for (const address of addresses) {
      work.signal.throwIfAborted()
      const picture = { part, use, address } as const
      const copy = await copyOf(ctx, picture, deadline, work)
      result = { picture, copy, isOfSite: true }
      if (!('name' in copy)) continue
      // The next import of the same row finds it by the website.
      await upsertCopy(ctx.db, siteCopyKey(part, website), copy.name, address, ctx.now())
      break
    }
    found.push(result)
  }
  return found
}

/** The file name of the copy, or why there is none. */
type Copy = { name: string } | { why: 'none' | 'denied' | 'unreachable'; note: string }

async function copyOf(ctx: Context, picture: ListedPicture, deadline: number, { hosts, signal }: Work): Promise<Copy> {
  const key = copyKey(picture)
  const ownName = pictureNameIn(picture.address)
  const known = ownName ?? (await findCopies(ctx.db, [key])).get(key)
  if (known && (await ctx.pictureStore.has(known))) {
    // The address is stored as null: a lost file cannot be fetched again from this service itself.
    if (ownName) await upsertCopy(ctx.db, key, ownName, null, ctx.now())
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

/** The stored outcome of one picture. `site`: the website of the listing. */
function partOf({ picture: { part }, copy, isOfSite }: PictureResult, site: string | undefined): WorkPart {
  const isSingle = SINGLE_PICTURES.some((one) => one === part)
  if ('name' in copy) return { part, outcome: 'copied', note: '', ...(isSingle ? { site } : {}) }
  const withoutPicture = isOfSite ? 'missing' : 'kept'
  return {
    part,
    outcome: copy.why === 'unreachable' ? 'unreachable' : withoutPicture,
    note: `${isOfSite ? 'The website or its picture' : 'The address'} ${copy.note}.`.slice(0, 300),
  }
}

/**
 * Replaces the addresses in the listing with those of the copies. Addresses that were changed meanwhile stay as they are. A copy whose row
 * was deleted meanwhile is not used, because `unused.jobs.ts` is removing its file.
 */
const storeResults = (
  ctx: Context,
  claim: queries.PictureClaim,
  found: readonly PictureResult[],
  { retrySeconds, asksSites }: Work,
) =>
  ctx.transaction(async (ctx) => {
    const { kind, listingId } = claim
    await lockCopies(ctx.db)
    const names = await findCopies(
      ctx.db,
      found.flatMap(({ picture, copy }) => ('name' in copy ? [copyKey(picture)] : [])),
    )
    const hashOf = (listing: queries.PicturedListing) =>
      pictureHash(foreignPictures(ctx.publicUrl, listing), siteOf(listing, asksSites))
    const listing = await queries.findPicturedForUpdate(ctx.db, kind, listingId)
    const attempted = found.map(({ copy, ...one }) =>
      partOf(
        { ...one, copy: 'name' in copy && !names.has(copyKey(one.picture)) ? COPY_REMOVED : copy },
        listing?.website,
      ),
    )
    // What an earlier attempt copied stays noted, so that a picture that a person removes is not looked for again.
    const earlier = partsCopiedBefore(claim.parts).filter(({ part }) => !attempted.some((one) => one.part === part))
    const parts = [...attempted, ...earlier]
    let { hash } = claim
    if (listing) {
      const fields = withCopies(ctx.publicUrl, listing, (picture) => names.get(copyKey(picture)))
      // Pictures of the website fill the fields that are still empty.
      for (const { picture, isOfSite } of found) {
        const name = isOfSite && names.get(copyKey(picture))
        const part = picture.part === 'icon' ? 'icon' : 'frame'
        if (name && listing[part] === null) fields[part] = mediaAddress(ctx.publicUrl, name)
      }
      const changed = Object.keys(fields)
      if (changed.length > 0) {
        await updatePictures(ctx.db, kind, listingId, fields, ctx.now())
        await writeAudit(ctx, `${kind}.pictures`, `${kind}:${listing.slug}`, { fields: changed })
        await ctx.announce({ topic: TOPIC[kind], ids: [listingId], by: PICTURE_COPIES })
        // This change of ours alters the hash. The new one is stored, or the listing would be tried again at once. If the listing was changed
        // meanwhile, the old hash stays, so that it is tried again.
        if (hashOf(listing) === claim.hash) hash = hashOf({ ...listing, ...fields })
      }
    }
    await queries.updateAttempted(ctx.db, claim, { ...nextState(parts, claim.attempts, retrySeconds), parts, hash })
  })

const PAUSE_MS = 200
// Beyond this number, hosts without a pending request are forgotten.
const MAX_HOSTS = 1_000

export interface PictureHosts {
  /** Waits for the host's turn and runs the request. Rejects with the signal's reason. */
  ask<T>(host: string, request: () => Promise<T>, signal: AbortSignal): Promise<T>
}

interface Host {
  takeTurn: FairTurns
  /** Requests that run or wait. */
  pending: number
  /** When the next request may start. */
  nextAt: number
}

export function createPictureHosts(pauseMs = PAUSE_MS): PictureHosts {
  const hosts = new Map<string, Host>()
  /** The host moves to the end of the map, so that the first entries are those not used for longest. */
  const hostNamed = (name: string): Host => {
    const known = hosts.get(name) ?? { takeTurn: createFairTurns(PER_HOST), pending: 0, nextAt: 0 }
    hosts.delete(name)
    hosts.set(name, known)
    for (const [oldest, { pending }] of hosts) {
      if (hosts.size <= MAX_HOSTS) break
      if (pending === 0 && oldest !== name) hosts.delete(oldest)
    }
    return known
  }
  return {
    async ask(name, request, signal) {
      const host = hostNamed(name)
      const paced = async () => {
        const startAt = Math.max(performance.now(), host.nextAt)
        host.nextAt = startAt + pauseMs
        await sleep(Math.max(0, startAt - performance.now()), undefined, { signal })
        return request()
      }
      host.pending++
      try {
        return await host.takeTurn('', paced, signal)
      } finally {
        host.pending--
      }
    },
  }
}
