// Stores pictures, each under the hash of its content, in a folder or in an S3 bucket.
import { createHash, randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { PICTURE_NAME } from '../../kernel/addresses/own-addresses.ts'
import type { PictureStore } from '../../kernel/interfaces/picture-store.ts'
import {
  BUCKET_LIMITS,
  type BucketLimits,
  createPictureReads,
  limitAnswers,
  READ_LIMITS,
  type ReadLimits,
} from './bounded-reads.ts'

interface PictureBucket {
  bucket: string
  endpoint?: string
  region: string
  accessKeyId?: string
  secretAccessKey?: string
}

const INSTALL = 'npm install @aws-sdk/client-s3 @aws-sdk/s3-request-presigner'

export class StorePackageMissing extends Error {
  readonly remedy = INSTALL
  constructor(cause: unknown) {
    super(`S3_BUCKET needs two packages that are not installed by default: ${INSTALL}`, { cause })
  }
}

export function openFolder(folder: string): PictureStore {
  const disk = new Disk(new FSDriver({ location: folder, visibility: 'public' }))
  // The file is written under a temporary name, synced and renamed, so that a crash leaves no half picture under its final name.
  // (The library's own move is a copy.)
  // `unfoundMs` is 0: looking for a missing file costs next to nothing, and an operator who puts a file back sees it at once.
  return storeOver(disk, { ...READ_LIMITS, unfoundMs: 0 }, async (name, bytes) => {
    const temporary = `tmp/${randomUUID()}`
    try {
      await disk.put(temporary, bytes)
      const file = await open(join(folder, temporary), 'r+')
      await file.sync()
      await file.close()
      await rename(join(folder, temporary), join(folder, name))
    } catch (error) {
      // On a full disk, half-written files would use up the space that the operator frees.
      await rm(join(folder, temporary), { force: true })
      throw error
    }
  })
}

/** The S3 client is large and few operators need it, so it is not among the dependencies. */
export async function openBucket(
  { bucket, endpoint, region, accessKeyId, secretAccessKey }: PictureBucket,
  limits: BucketLimits = BUCKET_LIMITS,
): Promise<PictureStore> {
  const { S3Driver } = await import('flydrive/drivers/s3').catch((error) => {
    throw new StorePackageMissing(error)
  })
  const credentials = accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}
  const driver = new S3Driver({
    ...credentials,
    bucket,
    region,
    // Only this service reads the bucket, and not every S3 implementation supports access lists.
    visibility: 'private',
    supportsACL: false,
    extensions: [limitAnswers(limits)],
    // The client makes three attempts by default, and a request for a picture waits for all of them.
    maxAttempts: 2,
    // The bucket's name is part of the path, because not every service besides Amazon understands it in the host name.
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
  })
  const disk = new Disk(driver)
  return storeOver(disk, READ_LIMITS, (name, bytes, type) => disk.put(name, bytes, { contentType: `image/${type}` }))
}

const RENEWED_AFTER_MS = 24 * 3600_000

function storeOver(
  disk: Disk,
  limits: ReadLimits,
  write: (name: string, bytes: Buffer, type: string) => Promise<unknown>,
): PictureStore {
  const storedAt = async (name: string) => {
    const meta = PICTURE_NAME.test(name) ? await unlessMissing(disk.getMetaData(name)) : null
    return meta?.lastModified ?? null
  }
  const reads = createPictureReads(
    (name, signal) => unlessMissing(disk.getStream(name).then((stream) => gather(addAbortSignal(signal, stream)))),
    limits,
  )
  return {
    async keep(bytes, type) {
      const name = `${createHash('sha256').update(bytes).digest('hex').slice(0, 40)}.${type}`
      const last = await storedAt(name)
      // An old picture is written again, which renews its date, so that it is not removed as unused before a row refers to it.
      if (!last || Date.now() - last.getTime() > RENEWED_AFTER_MS) await write(name, bytes, type)
      reads.stored(name)
      return name
    },
    has: async (name) => (await storedAt(name)) !== null,
    async *names() {
      let paginationToken: string | undefined
      do {
        // null before the first picture, which creates the folder.
        const page = await unlessMissing(disk.listAll('', { paginationToken }))
        if (!page) return
        if (page.paginationToken && page.paginationToken === paginationToken)
          throw new Error('The bucket lists the same page again.')
        paginationToken = page.paginationToken
        yield [...page.objects].flatMap(({ name, isFile }) => (isFile && PICTURE_NAME.test(name) ? [name] : []))
      } while (paginationToken)
    },
    storedAt,
    remove: async (name) => {
      if (PICTURE_NAME.test(name)) await disk.delete(name)
    },
    read: async (name) => (PICTURE_NAME.test(name) ? reads.read(name) : null),
    async probe() {
      const name = `probe-${randomUUID()}`
      await disk.put(name, name)
      const found = await disk.get(name)
      await disk.delete(name)
      if (found !== name) throw new Error('What was written came back as something else.')
    },
  }
}

/** null where there is no such file, folder or object. */
async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Error && (isMissing(error) || isMissing(error.cause))) return null
    throw error
  }
}

/** ENOENT is the error of the file system, 404 that of a bucket. */
const isMissing = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT' ||
  (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode === 404

/** The largest picture that the service makes (noise, 1,600 × 8,000 pixels) has half of this. */
export const MAX_STORED_BYTES = 16 * 2 ** 20

async function gather(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop closes the stream.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_STORED_BYTES) throw new Error(`The stored picture has more than ${MAX_STORED_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

interface BucketSettings {
  S3_BUCKET?: string | undefined
  S3_ENDPOINT?: string | undefined
  S3_REGION: string
  S3_ACCESS_KEY_ID?: string | undefined
  S3_SECRET_ACCESS_KEY?: string | undefined
}

/** The bucket if one is set, otherwise the folder. */
export async function openPictureStore(settings: BucketSettings, folder: string): Promise<PictureStore> {
  if (!settings.S3_BUCKET) return openFolder(folder)
  return openBucket({
    bucket: settings.S3_BUCKET,
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    accessKeyId: settings.S3_ACCESS_KEY_ID,
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY,
  })
}
