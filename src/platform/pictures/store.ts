// Stores pictures, each under the hash of its content, in a folder or in an S3 bucket.
import { createHash, randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { PICTURE_NAME } from '../../kernel/own-addresses.ts'
import type { PictureStore } from '../../kernel/picture-store.ts'

export interface Bucket {
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
  return storeOver(disk, async (name, bytes) => {
    const aside = `tmp/${randomUUID()}`
    try {
      await disk.put(aside, bytes)
      const file = await open(join(folder, aside), 'r+')
      await file.sync()
      await file.close()
      await rename(join(folder, aside), join(folder, name))
    } catch (error) {
      // On a full disk, half-written files would use up the space that the operator frees.
      await rm(join(folder, aside), { force: true })
      throw error
    }
  })
}

/** The S3 client is large and few operators need it, so it is not among the dependencies. */
export async function openBucket({ bucket, endpoint, region, accessKeyId, secretAccessKey }: Bucket) {
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
    // The bucket's name is part of the path, because not every service besides Amazon understands it in the host name.
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
  })
  const disk = new Disk(driver)
  return storeOver(disk, (name, bytes, type) => disk.put(name, bytes, { contentType: `image/${type}` }))
}

const RENEWED_AFTER_MS = 24 * 3600_000

function storeOver(disk: Disk, write: (name: string, bytes: Buffer, type: string) => Promise<unknown>): PictureStore {
  const ageOf = async (name: string) => Date.now() - (await disk.getMetaData(name)).lastModified.getTime()
  return {
    async keep(bytes, type) {
      const name = `${createHash('sha256').update(bytes).digest('hex').slice(0, 40)}.${type}`
      // Writing it again makes it new, so that it is not removed as unused before something names it.
      if (!(await disk.exists(name)) || (await ageOf(name)) > RENEWED_AFTER_MS) await write(name, bytes, type)
      return name
    },
    has: async (name) => PICTURE_NAME.test(name) && disk.exists(name),
    async *names() {
      for (let paginationToken: string | undefined, isFirst = true; isFirst || paginationToken; isFirst = false) {
        const page = await disk.listAll('', { paginationToken }).catch((error: Error) => {
          // The folder is made with the first picture.
          if ((error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return null
          throw error
        })
        if (!page) return
        paginationToken = page.paginationToken
        yield [...page.objects].flatMap(({ name, isFile }) => (isFile && PICTURE_NAME.test(name) ? [name] : []))
      }
    },
    async storedAt(name) {
      if (!PICTURE_NAME.test(name) || !(await disk.exists(name))) return null
      return (await disk.getMetaData(name)).lastModified
    },
    remove: async (name) => {
      if (PICTURE_NAME.test(name)) await disk.delete(name)
    },
    async read(name) {
      if (!PICTURE_NAME.test(name) || !(await disk.exists(name))) return null
      return gather(await disk.getStream(name))
    },
    async probe() {
      const name = `probe-${randomUUID()}`
      await disk.put(name, name)
      const found = await disk.get(name)
      await disk.delete(name)
      if (found !== name) throw new Error('What was written came back as something else.')
    },
  }
}

async function gather(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The settings of a bucket. */
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
