// @module-tag once
// A picture store that is slow, broken or asked too often: reads end, and few of them are under way.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PictureStore } from '../../src/kernel/interfaces/picture-store.ts'
import { createPictureReads } from '../../src/platform/pictures/bounded-reads.ts'
import { MAX_STORED_BYTES, openBucket, openFolder } from '../../src/platform/pictures/store.ts'
import { type BucketServer, startBucket } from '../harness/bucket-server.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const LIMITS = { readMs: 200, atOnce: 2, most: 3, unfoundMs: 60_000 }
const nameOf = (text: string) => `${createHash('sha256').update(text).digest('hex').slice(0, 40)}.png`
const rejection = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.unreachable('this must fail'),
    (error) => error,
  )

describe('reads of a store', () => {
  test('for one name at the same time are one', async () => {
    let asked = 0
    const reads = createPictureReads(async () => Buffer.from([++asked]), LIMITS)
    const found = await Promise.all(Array.from({ length: 20 }, () => reads.read('a.png')))
    expect([asked, new Set(found).size]).toEqual([1, 1])
  })

  test('are two at once, one more waits, and the next is a 503 that says when to come again', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let [underWay, most] = [0, 0]
    const reads = createPictureReads(
      async () => {
        most = Math.max(most, ++underWay)
        await released
        underWay--
        return Buffer.alloc(1)
      },
      { ...LIMITS, readMs: 60_000 },
    )
    const taken = ['a', 'b', 'c'].map((name) => reads.read(name))
    expect(await rejection(reads.read('d'))).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    release()
    expect((await Promise.all(taken)).length).toBe(3)
    expect(most).toBe(2)
    expect(await reads.read('d')).toHaveLength(1)
  })

  test('that never end give their place back', async () => {
    let hangs = true
    const reads = createPictureReads(() => (hangs ? new Promise(() => {}) : Promise.resolve(Buffer.alloc(1))), LIMITS)
    const errors = await Promise.all(['a', 'b', 'c'].map((name) => rejection(reads.read(name))))
    expect(errors.map(({ name }) => name)).toEqual(['TimeoutError', 'TimeoutError', 'TimeoutError'])
    hangs = false
    expect(await Promise.all(['a', 'b', 'c'].map((name) => reads.read(name)))).toHaveLength(3)
  })

  test('remember a name that was not found, until it is stored', async () => {
    let asked = 0
    const findNone = async () => {
      asked++
      return null
    }
    const reads = createPictureReads(findNone, LIMITS)
    for (let i = 0; i < 10; i++) expect(await reads.read('a')).toBeNull()
    expect(asked).toBe(1)
    reads.stored('a')
    await reads.read('a')
    expect(asked).toBe(2)
    const forgetful = createPictureReads(findNone, { ...LIMITS, unfoundMs: 0 })
    await forgetful.read('a')
    await forgetful.read('a')
    expect(asked).toBe(4)
  })
})

const folder = temporaryFolder('media')

test('a file of a folder that is larger than any picture is not read into memory', async () => {
  const store = openFolder(folder)
  const name = nameOf('large')
  writeFileSync(join(folder, name), Buffer.alloc(MAX_STORED_BYTES + 1))
  expect((await rejection(store.read(name))).message).toContain('more than')
  writeFileSync(join(folder, name), Buffer.alloc(MAX_STORED_BYTES))
  expect(await store.read(name)).toHaveLength(MAX_STORED_BYTES)
})

// The client is not among the dependencies: npm install --no-save @aws-sdk/client-s3 @aws-sdk/s3-request-presigner
const hasClient = await import('flydrive/drivers/s3').then(
  () => true,
  () => false,
)

describe.skipIf(!hasClient)('a bucket', () => {
  let bucket: BucketServer
  let store: PictureStore
  const KEYS = { accessKeyId: 'id', secretAccessKey: 'secret' }

  beforeAll(async () => {
    bucket = await startBucket()
  })
  const open = (requestMs: number) =>
    openBucket(
      { bucket: 'pictures', endpoint: bucket.endpoint, region: 'r', ...KEYS },
      { requestMs, parsedBytes: 2 ** 20 },
    )
  beforeEach(async () => {
    Object.assign(bucket, { mood: 'work', requests: [], objects: new Map() })
    store = await open(60_000)
  })
  afterAll(() => bucket?.close())

  const allNames = async () => {
    const names: string[] = []
    for await (const some of store.names()) names.push(...some)
    return names
  }

  test('keeps, reads, lists and removes a picture', async () => {
    await store.probe()
    const name = await store.keep(Buffer.from('picture'), 'png')
    expect(await store.read(name)).toEqual(Buffer.from('picture'))
    expect([await store.has(name), await store.storedAt(name), await allNames()]).toEqual([
      true,
      expect.any(Date),
      [name],
    ])
    await store.remove(name)
    expect([await store.has(name), await store.storedAt(name), await allNames()]).toEqual([false, null, []])
  })

  test('is asked once for a name that it does not have, however often that is requested', async () => {
    const name = nameOf('none')
    for (let i = 0; i < 20; i++) expect(await store.read(name)).toBeNull()
    expect(bucket.requests).toEqual([`GET ${name}`])
  })

  test.each(['hang', 'drip', 'fail'] as const)(
    'that does %s ends every call and leaves no answer open',
    async (mood) => {
      bucket.mood = mood
      store = await open(500)
      const calls = {
        read: () => store.read(nameOf('x')),
        names: allNames,
        keep: () => store.keep(Buffer.from('x'), 'png'),
        probe: () => store.probe(),
      }
      // A dripping answer to a question about one picture is a whole answer: it has no body.
      for (const [call, run] of Object.entries(calls))
        if (mood !== 'drip' || call !== 'keep')
          expect([call, await rejection(run())]).toEqual([call, expect.any(Error)])
      await expect.poll(() => bucket.open()).toBe(0)
    },
  )

  test('that answers 200 MB for a picture or a list is cut off', async () => {
    bucket.mood = 'huge'
    const before = process.memoryUsage().rss
    expect((await rejection(store.read(nameOf('x')))).message).toContain('more than')
    await rejection(allNames())
    expect(process.memoryUsage().rss - before).toBeLessThan(120e6)
    await expect.poll(() => bucket.open()).toBe(0)
  })

  test('whose list has entities within entities costs little and gives no name', async () => {
    bucket.mood = 'entities'
    const before = process.threadCpuUsage()
    await allNames().catch((error) => expect(error).toBeInstanceOf(Error))
    expect(process.threadCpuUsage(before).user).toBeLessThan(200_000)
  })

  test('that gives the same page again and again is a failure', async () => {
    bucket.mood = 'same page'
    expect((await rejection(allNames())).message).toContain('same page')
  })
})
