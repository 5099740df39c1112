// A full disk: for pictures, for an import, for the embedded database. The disk is a small tmpfs, so this needs root. Run by `npm run
// test:faults`.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newSubmission } from '../harness/done-work.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { type ProductSite, picture, productSite } from '../harness/product-site.ts'
import { createDatabase } from '../harness/service.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../harness/small-disk.ts'
import { copyTemplate } from '../harness/template.ts'
import { longest, timedRequest } from '../harness/timed-requests.ts'

const MIB = 1024 * 1024

describe.skipIf(!canMount)('a full disk under a service on PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let disk: SmallDisk
  let service: ServiceProcess
  let site: ProductSite
  let partner: { id: string; key: string }
  let noise: Buffer
  beforeAll(async () => {
    database = await createDatabase(process.env.TEST_DATABASE_URL!)
    disk = mountSmallDisk(5)
    // Random pixels do not compress: some 400 kB as WebP.
    const raw = { width: 1000, height: 700, channels: 3 } as const
    noise = await sharp(randomBytes(raw.width * raw.height * 3), { raw })
      .png()
      .toBuffer()
    site = await productSite({ '/icon.png': await picture(64, 64), '/frame.png': noise, '/': '<title>Acme</title>' })
    service = await spawnService({
      DATA_DIR: disk.folder,
      DATABASE_URL: database.url,
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      ENRICHMENT_RETRY_SECONDS: '1',
      RATE_LIMIT_SCALE: '1000',
    })
    await service.ready()
    await timedRequest(service, '/api/admin/categories/writing', { method: 'PUT', body: { name: 'Writing' } })
    partner = (await timedRequest(service, '/api/admin/partners', { body: { name: 'Disk' } })).body.data
  })
  afterAll(async () => {
    await service?.kill()
    await site?.close()
    await database?.drop()
    disk?.remove()
  })

  const files = (name: string): string[] => {
    const folder = join(disk.folder, name)
    if (!existsSync(folder)) return []
    return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? entry.name : [],
    )
  }
  const enrichment = async (id: string) =>
    (await timedRequest(service, '/api/admin/enrichments')).body.data.find(
      ({ toolId }: { toolId: string }) => toolId === id,
    )
  const partOf = async (id: string, name: string) =>
    (await enrichment(id))?.parts.find(({ part }: { part: string }) => part === name)
  const upload = () =>
    fetch(`${service.origin}/api/admin/media`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-operator-token', 'content-type': 'image/png' },
      body: new Uint8Array(noise),
    })

  test('a submission is accepted; its picture is stored when there is room again, and no incomplete file is left or served', async () => {
    await disk.fill(100_000)
    const body = newSubmission({
      website: `${site.url}/`,
      icon: `${site.url}/icon.png`,
      frame: `${site.url}/frame.png`,
    })
    const submitted = await timedRequest(service, '/api/v1/submit-ai-tool', { key: partner.key, body })
    expect(submitted.status).toBe(201)
    const { id, slug } = submitted.body.data
    const listing = async () =>
      (await timedRequest(service, `/api/v1/tools/${slug}`, { key: partner.key })).body.data as {
        icon: string
        frame: string
      }

    await until(async () => (await partOf(id, 'frame')) !== undefined, 10_000)
    expect(await partOf(id, 'frame')).toEqual({
      part: 'frame',
      outcome: 'unreachable',
      note: 'The given address could not be stored here.',
    })
    // The small picture is stored; the other is shown from its original URL.
    await until(async () => (await listing()).icon.startsWith(`${service.origin}/media/`), 2_000)
    expect((await listing()).frame).toBe(`${site.url}/frame.png`)
    expect(files('media').filter((name) => name.endsWith('.webp'))).toEqual([])
    expect(files('media/tmp')).toEqual([])
    const said = () =>
      service
        .output()
        .split('\n')
        .filter((line) => line.includes('a picture could not be stored'))
    // Log lines are written in batches of a second.
    await until(() => said().length > 0, 2_000)
    expect(said()[0]).toMatch(/ENOSPC: no space left on device/)
    expect(said().length).toBeLessThanOrEqual((await enrichment(id)).attempts)

    const refused = await upload()
    expect([refused.status, await refused.json()]).toEqual([
      503,
      { success: false, error: 'The picture could not be stored. Try again shortly.', code: 'unavailable' },
    ])
    expect(files('media/tmp')).toEqual([])

    disk.empty()
    await until(async () => (await listing()).frame.startsWith(`${service.origin}/media/`), 15_000)
    const { frame } = await listing()
    const bytes = Buffer.from(await (await fetch(frame)).arrayBuffer())
    expect(frame).toContain(createHash('sha256').update(bytes).digest('hex').slice(0, 40))
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 1000, height: 700 })
    expect((await upload()).status).toBe(200)
  })

  test.each([
    ['larger than the room', 200_000, 10_000],
    ['small, with no room at all', 0, 5],
  ])('an import %s is refused with a clear message, and nothing of it is stored', async (_, left, count) => {
    await disk.fill(left)
    const lines = Array.from({ length: count }, (_, i) => ({
      kind: 'tag',
      slug: `full-${count}-${i}`,
      name: 'x'.repeat(90),
    }))
    const body = lines.map((line) => JSON.stringify(line)).join('\n')
    const send = () => timedRequest(service, '/api/admin/import', { body, type: 'application/x-ndjson' })
    const refused = await send()
    expect([refused.status, refused.body]).toEqual([
      503,
      { success: false, error: expect.stringContaining('no room left on the disk'), code: 'unavailable' },
    ])
    expect(refused.headers.get('retry-after')).toBeTruthy()
    expect(files('tmp')).toEqual([])
    const tags = (await timedRequest(service, '/api/v1/tags', { key: partner.key })).body.data as { slug: string }[]
    expect(tags.filter(({ slug }) => slug.startsWith(`full-${count}-`))).toEqual([])
    disk.empty()
    const accepted = await send()
    expect([accepted.status, accepted.body.data.imported]).toEqual([200, count])
    expect(files('tmp')).toEqual([])
  })

  test('reads and writes that need no disk go on', async () => {
    await disk.fill(0)
    const written = await timedRequest(service, '/api/admin/tools/on-a-full-disk', {
      method: 'PUT',
      body: { name: 'Full' },
    })
    expect(written.status).toBe(200)
    const readListing = () => timedRequest(service, '/api/v1/tools/on-a-full-disk', { key: partner.key })
    await until(async () => (await readListing()).status === 200, 2_000)
    disk.empty()
    expect(service.output()).not.toMatch(/unhandled|uncaught/i)
  })
})

describe.skipIf(!canMount)('a full disk under the embedded database', () => {
  // Tables grow by pages, the write-ahead log by 16 MiB at once.
  test.each([
    ['tables', 3 * MIB],
    ['the write-ahead log', 14 * MIB],
  ])(
    'without room for %s writes are refused with a clear message, reads go on, and with room again every acknowledged write is there',
    async (what, left) => {
      const disk = mountSmallDisk(160)
      let service: ServiceProcess | undefined
      // Also when the test runs out of time: a service whose disk is full may not end by itself.
      onTestFinished(async () => {
        await service?.kill()
        disk.remove()
      })
      await copyTemplate(disk.folder)
      const start = async () => {
        service = await spawnService({ DATA_DIR: disk.folder, RATE_LIMIT_SCALE: '100000' })
        await service.ready()
        return service
      }
      let running = await start()
      const { key } = (await timedRequest(running, '/api/admin/keys', { body: { email: 'a@example.com' } })).body.data
      const description = randomBytes(14_000).toString('base64')
      const acknowledged: string[] = []
      const write = async () => {
        const slug = `tool-${acknowledged.length}`
        const body = { name: slug, description: `${slug} ${description}` }
        const reply = await timedRequest(running, `/api/admin/tools/${slug}`, { method: 'PUT', body })
        if (reply.status === 200) acknowledged.push(slug)
        return reply
      }
      const read = (slug: string) => timedRequest(running, `/api/v1/tools/${slug}`, { key })

      await disk.fill(left)
      let first = await write()
      while (first.status === 200) first = await write()
      const others = [await write(), await write(), await write()]
      expect([first, ...others].map(({ status, body }) => [status, body.success])).toEqual(Array(4).fill([503, false]))
      expect(first.body.error).toContain('Try again')
      await until(() => /no room (left )?on the disk/.test(running.output()), 2_000)
      expect((await read('tool-1')).status).toBe(200)
      const before = acknowledged.length

      disk.empty()
      const begun = performance.now()
      await until(async () => (await write()).status === 200, 30_000)
      console.log(
        `embedded, no room for ${what}: ${before} writes, then refused within ${longest([first, ...others])} ms; works again ${Math.round(performance.now() - begun)} ms after there is room`,
      )
      await until(async () => (await read(acknowledged.at(-1)!)).status === 200, 2_000)
      expect(running.output()).not.toMatch(/unhandled|uncaught/i)
      expect(await running.kill('SIGTERM')).toBe(0)
      running = await start()
      for (const slug of acknowledged) expect([slug, (await read(slug)).status]).toEqual([slug, 200])
    },
  )
})
