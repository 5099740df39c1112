// Operator API: uploads of pictures, progress of copying the pictures of listings, and a retry of those that failed.
import { Type } from 'typebox'
import { PICTURE_USES } from '../../kernel/addresses/own-addresses.ts'
import { Failure, invalid } from '../../kernel/errors.ts'
import { ACCEPTED_PICTURES, MAX_PICTURE_BYTES, MAX_PICTURE_TEXT } from '../../kernel/interfaces/picture-store.ts'
import { operationsFor } from '../../kernel/operation.ts'
import { problem } from '../../kernel/problem.ts'
import {
  booleanType,
  integerType,
  listPage,
  objectType,
  offsetOf,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { hasAudit } from '../audit/queries.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { LISTED_KINDS } from '../catalog/schema.ts'
import { keepPicture } from '../enrichment/fetching.ts'
import { requestCopies, requestFileCheck } from './copy.jobs.ts'
import { countWork, listWork, updateFailedToWaiting } from './queries.ts'
import { PART_OUTCOMES, WORK_STATES } from './rules.ts'

declare module '../../kernel/context.ts' {
  interface Context {
    /** Whether the setting MIRROR_PICTURES is on. */
    mirrorsPictures: boolean
  }
}

const progressSchema = titledObject('PictureProgress', 'Listings that have had pictures on other hosts.', {
  isOn: booleanType('Whether pictures are copied (MIRROR_PICTURES).', true),
  waiting: integerType('Listings whose pictures are still to be copied.', 120),
  done: integerType('Listings all of whose pictures were copied.', 860),
  failed: integerType('Listings with at least one picture that could not be copied.', 20),
})

const listedSchema = titledObject('ListingPictures', 'What came of copying the pictures of a listing.', {
  kind: oneOf(LISTED_KINDS, 'What it is.', 'tool'),
  listingId: stringType('Identifier of the listing.', '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'),
  slug: stringType('Slug of the listing.', 'acme-writer'),
  name: stringType('Name of the listing.', 'Acme Writer'),
  state: oneOf(
    WORK_STATES,
    'failed: at least one picture could not be copied, and is not tried again by itself.',
    'done',
  ),
  attempts: integerType('Attempts since the addresses changed; 4 at most.', 1),
  parts: Type.Array(
    titledObject('PicturePart', 'One picture.', {
      part: stringType('icon, frame, screenshots.0, …, or site for the website.', 'icon'),
      outcome: oneOf(
        PART_OUTCOMES,
        'copied; kept as given, because no picture could be had there; missing, because the listing and its website name none; unreachable.',
        'copied',
      ),
      note: stringType('Why, where there is something to say.', 'The address answered 404.'),
    }),
    { description: 'What came of each picture in the last attempt.' },
  ),
  updatedAt: timestamp('When something last happened.'),
})

const operation = operationsFor('operator', 'Pictures')

export const uploadPicture = operation({
  name: 'upload_picture',
  summary: 'Store a picture',
  description: `Takes a PNG, JPEG, WebP, GIF or AVIF picture of at most ${MAX_PICTURE_TEXT} as the body and answers with its address, for proofUrl, icon, frame or screenshots. It is scaled to 1,600 pixels in width at most and written anew as WebP; an icon becomes a square PNG of 256 pixels at most.`,
  method: 'POST',
  path: '/media',
  parameters: Type.Object({
    use: Type.Optional(oneOf(PICTURE_USES, 'What it is for, which decides its size; picture if omitted.', 'icon')),
  }),
  bytes: { types: ACCEPTED_PICTURES, maxBytes: MAX_PICTURE_BYTES },
  data: objectType('The stored picture.', {
    url: stringType(
      'Where the picture is from now on.',
      'https://catalog.example.com/media/3f786850e387550fdab836ed7e6dc881de23001b.webp',
    ),
  }),
  failures: [400, 413, 415],
  run: async (ctx, { use = 'picture' }, body) => {
    const kept = await keepPicture(ctx, body as Buffer, use)
    // Only the store can be unreachable here, because the picture came with the request.
    if ('why' in kept && kept.why === 'unreachable')
      throw new Failure(503, 'The picture could not be stored. Try again shortly.', { headers: { 'retry-after': '5' } })
    if ('why' in kept) throw invalid([problem('', `${kept.note}.`)])
    const subject = `media:${kept.address.split('/').at(-1)}`
    // The same picture has the same name, so sending it again stores nothing new.
    if (!(await hasAudit(ctx.db, 'media.create', subject))) await writeAudit(ctx, 'media.create', subject)
    return { data: { url: kept.address } }
  },
})

export const getPictureProgress = operation({
  name: 'get_picture_progress',
  summary: 'How far the copies of pictures are',
  description:
    'Logos and screenshots of listings on other hosts are copied in the background, and those that a listing does not name are looked for on its website. This says how many listings wait, are done and have failed.',
  method: 'GET',
  path: '/pictures/progress',
  data: progressSchema,
  run: async (ctx) => ({ data: { isOn: ctx.mirrorsPictures, ...(await countWork(ctx.db)) } }),
})

export const listPictures = operation({
  name: 'list_pictures',
  summary: 'What came of copying pictures',
  description: 'Listings that have had pictures on other hosts, last changed first.',
  method: 'GET',
  path: '/pictures',
  parameters: Type.Object({ state: Type.Optional(oneOf(WORK_STATES, 'Only this state.', 'failed')), ...listPage }),
  data: Type.Array(listedSchema),
  run: async (ctx, input) => ({ data: await listWork(ctx.db, input, input.limit, offsetOf(input)) }),
})

export const retryPictures = operation({
  name: 'retry_pictures',
  summary: 'Try failed pictures again',
  description:
    'Tries the pictures of every listing in the state failed again, in the background. Also looks for copies whose file is missing: where the address of such a picture is known, it is copied again.',
  method: 'POST',
  path: '/pictures/retry',
  data: titledObject('RetriedPictures', 'What is tried again.', {
    retried: integerType('How many listings wait again.', 20),
  }),
  run: (ctx) =>
    ctx.transaction(async (ctx) => {
      const retried = await updateFailedToWaiting(ctx.db)
      if (retried > 0) await requestCopies(ctx)
      if (ctx.mirrorsPictures) await requestFileCheck(ctx, 'all')
      await writeAudit(ctx, 'pictures.retry', 'pictures', { retried })
      return { data: { retried } }
    }),
})

export const pictureOperations = [uploadPicture, getPictureProgress, listPictures, retryPictures]
