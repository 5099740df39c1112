// The two jobs that copy pictures of listings from other hosts: PICTURE_CHANGES finds the listings, PICTURE_COPIES copies their pictures.
// Both may run twice or stop at any point, because the table picture_work holds what is left to do.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { type Attempt, type Job, LONG_RETRIES, OPERATOR } from '../../kernel/job.ts'
import { LISTED_KINDS } from '../catalog/schema.ts'
import { MAX_ATTEMPTS } from '../enrichment/rules.ts'
import { foreignPictures } from '../listings/pictures/pictures.rules.ts'
import { isSomeFileLost, repairListings } from './lost-files.ts'
import { createPictureHosts, LISTING_MS, mirrorListing } from './mirror.ts'
import * as queries from './queries.ts'
import {
  type FilesToCheck,
  type ListingsToCheck,
  missingPictures,
  nextState,
  PICTURE_COPIES,
  partsCopiedBefore,
  pictureHash,
  pictureHost,
  siteOf,
  type WorkPart,
} from './rules.ts'

/** The name of the job that finds listings with pictures on other hosts. */
export const PICTURE_CHANGES = 'picture-changes'

/** The actor of these jobs in the audit log. It has no access rights, because it calls no operation. */
export const mirrorCaller = backgroundCaller(PICTURE_COPIES)

interface CopyPictures {
  /**
   * Missing for a job that runs at once. It is the key of the job (`Job.key`): while a job waits, a further one with the same key is not
   * stored. Jobs that wait have keys of their own, because otherwise they would keep a job that runs at once from being stored.
   */
  waits?: 'soon' | 'later'
}

const CHECK_TIMEOUT_SECONDS = 600
const COPY_TIMEOUT_SECONDS = 120
/** An attempt starts no listing with less time left than a listing takes in the worst case: decoding a picture may take 10 s. */
const MIN_TIME_LEFT_MS = LISTING_MS + 15_000
/** How many listings a process works on at once. Most of the time it waits for other hosts. */
const LISTINGS_AT_ONCE = 6

/** Requests a search for copies whose file is missing. */
export const requestFileCheck = (ctx: TransactionContext, files: FilesToCheck['files']): Promise<void> =>
  ctx.enqueue(PICTURE_CHANGES, { files } satisfies FilesToCheck, OPERATOR)

export const requestCopies = (ctx: TransactionContext): Promise<void> =>
  ctx.enqueue(PICTURE_COPIES, {} satisfies CopyPictures, OPERATOR)

export const pictureJobs = (
  context: (attempt: Attempt) => Context,
  { isOn, asksSites, retrySeconds }: { isOn: boolean; asksSites: boolean; retrySeconds: number },
): readonly [Job<ListingsToCheck | FilesToCheck>, Job<CopyPictures>] => {
  const hosts = createPictureHosts()
  return [
    {
      name: PICTURE_CHANGES,
      ...LONG_RETRIES,
      timeoutSeconds: CHECK_TIMEOUT_SECONDS,
      key: (data) => JSON.stringify(data),
      run: async (data, attempt) => {
        if (!isOn) return
        const ctx = context(attempt)
        if ('kind' in data) return markListings(ctx, data, attempt, asksSites)
        if (data.files === 'some' && !(await isSomeFileLost(ctx))) return
        await repairListings(ctx, attempt.signal)
        for (const kind of LISTED_KINDS) await markListings(ctx, { kind }, attempt, asksSites)
      },
    },
    {
      name: PICTURE_COPIES,
      ...LONG_RETRIES,
      timeoutSeconds: COPY_TIMEOUT_SECONDS,
      key: ({ waits = 'now' }) => waits,
      run: async (_data, attempt) => {
        if (isOn)
          await copyAll(context(attempt), attempt, retrySeconds, (ctx, claim) =>
            mirrorListing(ctx, claim, { hosts, signal: attempt.signal, retrySeconds, asksSites }),
          )
      },
    },
  ]
}

const PAGE = 500

/** Finds the listings with pictures that are to be copied, marks them in picture_work, and requests the copies. */
async function markListings(
  ctx: Context,
  { kind, ids }: ListingsToCheck,
  { signal }: Attempt,
  asksSites: boolean,
): Promise<void> {
  let marked = 0
  for await (const page of ids ? pagesOf(ctx, kind, ids, asksSites) : allPages(ctx, kind, asksSites)) {
    signal.throwIfAborted()
    const toCopy = page.flatMap((listing) => {
      const pictures = foreignPictures(ctx.publicUrl, listing)
      const missing = missingPictures(listing, asksSites)
      const first = pictures[0]?.address ?? missing?.website
      return first
        ? [{ id: listing.id, host: pictureHost(first), hash: pictureHash(pictures, siteOf(listing, asksSites)) }]
        : []
    })
    marked += await queries.markWaiting(ctx.db, kind, toCopy)
  }
  if (!ids) await queries.deleteGone(ctx.db, kind)
  // A check of a single listing is not logged, because such a check follows every change of a listing.
  if (marked > 1)
    ctx.log.info(
      { kind, listings: marked },
      'listings have pictures on other hosts or on their websites; copying them in the background',
    )
  // Without ids this is the check of all listings (at the start, hourly). It also resumes the work of a process that stopped.
  if (marked > 0 || !ids) await ctx.transaction(requestCopies)
}

async function* pagesOf(
  { db, publicUrl }: Context,
  kind: ListingsToCheck['kind'],
  ids: readonly string[],
  asksSites: boolean,
) {
  for (let at = 0; at < ids.length; at += PAGE)
    yield queries.listPictured(db, kind, { publicUrl, asksSites }, { ids: ids.slice(at, at + PAGE) })
}

async function* allPages({ db, publicUrl }: Context, kind: ListingsToCheck['kind'], asksSites: boolean) {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const which = { after, limit: PAGE }
    const page: queries.PicturedListing[] = await queries.listPictured(db, kind, { publicUrl, asksSites }, which)
    yield page
    after = page.length === PAGE ? page.at(-1)?.id : undefined
  }
}

/** Copies pictures until no listing is due or the time is up, then requests the next run. */
async function copyAll(
  ctx: Context,
  attempt: Attempt,
  retrySeconds: number,
  copy: (ctx: Context, claim: queries.PictureClaim) => Promise<void>,
): Promise<void> {
  const hasTime = () => !attempt.signal.aborted && attempt.endsAt - Date.now() > MIN_TIME_LEFT_MS
  let copied = 0
  const copyDueListings = async (): Promise<void> => {
    while (hasTime()) {
      const claim = await queries.claimWork(ctx.db)
      if (!claim) return
      copied += (await tryToCopy(claim)) ? 1 : 0
    }
  }
  const tryToCopy = async (claim: queries.PictureClaim): Promise<boolean> => {
    try {
      if (claim.attempts > MAX_ATTEMPTS)
        return await fail(claim, 'It was begun several times and never came to an end.')
      await copy(ctx, claim)
      return true
    } catch (error) {
      if (attempt.signal.aborted) {
        // The service stops or the time is up. The listing is due again at once.
        await queries.releasePictureClaim(ctx.db, claim)
        throw error
      }
      ctx.log.error(
        { err: error, kind: claim.kind, id: claim.listingId },
        'the pictures of a listing could not be copied',
      )
      return fail(claim, 'Something went wrong on our side; the log says what.')
    }
  }
  const fail = async (claim: queries.PictureClaim, note: string): Promise<false> => {
    const parts: WorkPart[] = [{ part: 'pictures', outcome: 'unreachable', note }, ...partsCopiedBefore(claim.parts)]
    await queries.updateAttempted(ctx.db, claim, {
      ...nextState(parts, claim.attempts, retrySeconds),
      parts,
      hash: claim.hash,
    })
    return false
  }
  await Promise.all(Array.from({ length: LISTINGS_AT_ONCE }, copyDueListings))
  if (copied > 0)
    ctx.log.info({ listings: copied, ...(await queries.countWork(ctx.db)) }, 'pictures of listings were copied')
  const seconds = await queries.findNextWait(ctx.db)
  if (seconds !== null) await ctx.transaction((ctx) => requestMore(ctx, seconds, copied > 0))
}

const SOON_SECONDS = 5
// At most a minute, because while this job waits, no other one with its key is stored, even if a listing becomes due earlier.
const LATER_SECONDS = 60

/** `seconds`: until the next listing is due. When one is due and this run has copied none, its host is busy with another process. */
function requestMore(ctx: TransactionContext, seconds: number, hasCopied: boolean): Promise<void> {
  if (seconds <= 0 && hasCopied) return requestCopies(ctx)
  const waits = seconds <= SOON_SECONDS ? 'soon' : 'later'
  const after = waits === 'soon' ? SOON_SECONDS : Math.min(Math.ceil(seconds), LATER_SECONDS)
  return ctx.enqueue(PICTURE_COPIES, { waits } satisfies CopyPictures, OPERATOR, after)
}

/** Requests a check of all listings, and of a sample of the stored files. */
export async function requestAllPictures(ctx: TransactionContext): Promise<void> {
  await requestFileCheck(ctx, 'some')
  for (const kind of LISTED_KINDS) await ctx.enqueue(PICTURE_CHANGES, { kind } satisfies ListingsToCheck, OPERATOR)
}
