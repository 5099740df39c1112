// Pictures of imported listings on other hosts: they are copied in the background, hostile ones never, and pages show only our copies.
// @module-tag slow
import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { requestAllPictures } from '../../src/features/pictures/copy.jobs.ts'
import { repairListings } from '../../src/features/pictures/lost-files.ts'
import { decompressionBomb, type ProductSite, picture, productSite, SVG } from '../harness/product-site.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
let site: ProductSite
let mostAtOnce = 0

const MEDIA = /^http:\/\/[^/]+\/media\/[0-9a-f]{40}\.(png|webp)$/

/** 50 million pixels of one colour are a small file. */
const huge = () =>
  sharp({ create: { width: 10_000, height: 5_000, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()

async function animated(): Promise<Buffer> {
  const frames = Buffer.concat([Buffer.alloc(32 * 32 * 3, 10), Buffer.alloc(32 * 32 * 3, 200)])
  return sharp(frames, { raw: { width: 32, height: 64, channels: 3, pageHeight: 32 } })
    .gif({ delay: [100, 100] })
    .toBuffer()
}

beforeAll(async () => {
  const good = await picture(300, 200)
  let running = 0
  const slowly = (_request: unknown, response: ServerResponse) => {
    mostAtOnce = Math.max(mostAtOnce, ++running)
    setTimeout(() => {
      running--
      response.setHeader('content-type', 'image/png')
      response.end(good)
    }, 100)
  }
  site = await productSite({
    '/logo.png': await picture(64, 64, '#aa2200'),
    '/frame.png': good,
    '/bomb.png': await decompressionBomb(),
    '/script.svg': SVG,
    '/page.png': Buffer.from('<!doctype html><script>alert(1)</script>'),
    '/huge.png': await huge(),
    '/animated.gif': await animated(),
    '/cut.png': good.subarray(0, Math.floor(good.length / 2)),
    '/to-metadata.png': (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
    '/to-private.png': (_, response) => response.writeHead(302, { location: 'http://10.1.2.3/x.png' }).end(),
    ...Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`/slow-${i}.png`, slowly])),
  })
  service = await startService({
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    MIRROR_PICTURES: 'on',
    ENRICHMENT_RETRY_SECONDS: '1',
  })
})
afterAll(async () => {
  await service.close()
  await site.close()
})

const progress = async () => (await service.admin('GET', '/pictures/progress')).body.data
const finished = () =>
  vi.waitFor(async () => expect(await progress()).toMatchObject({ waiting: 0 }), { timeout: 30_000, interval: 100 })
const workOf = async (slug: string) =>
  (await service.admin('GET', '/pictures')).body.data.find((row: { slug: string }) => row.slug === slug)

/** Imports the lines and waits until their pictures are done. */
async function load(lines: object[], all: number): Promise<void> {
  await service.load(lines)
  await vi.waitFor(
    async () => {
      const { waiting, done, failed } = await progress()
      expect([waiting, done + failed]).toEqual([0, all])
    },
    { timeout: 30_000, interval: 100 },
  )
  await service.settled()
}

const acme = () => ({
  kind: 'tool',
  slug: 'acme',
  name: 'Acme',
  icon: `${site.url}/logo.png`,
  frame: `${site.url}/frame.png`,
  screenshots: [`${site.url}/frame.png`, `${site.url}/missing.png`],
})

describe('after an import', () => {
  test('the pictures of tools and directories are copied, and readers get our addresses', async () => {
    const peak = { kind: 'directory', slug: 'peak', name: 'Peak', icon: `${site.url}/logo.png` }
    await load([acme(), peak], 2)
    const { data } = (await service.rest('/tools/acme')).body
    expect([data.icon, data.frame, data.screenshots[0]]).toEqual([1, 2, 3].map(() => expect.stringMatching(MEDIA)))
    expect(data.icon).toMatch(/\.png$/)
    expect((await service.rest('/directories/peak')).body.data.icon).toBe(data.icon)
    const served = await fetch(data.frame)
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/webp'])
    // One request for each address, though two fields have it.
    expect(site.asked.filter((path) => path === '/frame.png').length).toBe(1)
  })

  test('a picture that cannot be had keeps its address, pages leave it out, and the reason is listed', async () => {
    expect((await service.rest('/tools/acme')).body.data.screenshots[1]).toBe(`${site.url}/missing.png`)
    const { text } = await service.fetch('/tools/acme', { headers: { accept: 'text/html' } })
    expect(text).not.toContain(site.url)
    expect(await workOf('acme')).toMatchObject({
      state: 'failed',
      parts: [
        { part: 'icon', outcome: 'copied' },
        { part: 'frame', outcome: 'copied' },
        { part: 'screenshots.0', outcome: 'copied' },
        { part: 'screenshots.1', outcome: 'kept', note: 'The address answered 404.' },
      ],
    })
    const audit = (await service.admin('GET', '/audit')).body.data
    expect(audit.find((row: { action: string }) => row.action === 'tool.pictures')).toMatchObject({
      actor: 'pictures',
      subject: 'tool:acme',
      details: { fields: ['icon', 'frame', 'screenshots'] },
    })
  })

  test('the same import again changes nothing and fetches nothing', async () => {
    const before = (await service.admin('GET', '/tools/acme')).body.data
    const asked = site.asked.length
    await load([acme()], 2)
    expect((await service.admin('GET', '/tools/acme')).body.data).toEqual(before)
    expect(site.asked.length).toBe(asked)
  })

  test('failed ones are tried again when an operator asks', async () => {
    site.routes['/missing.png'] = await picture(20, 20)
    const { data } = (await service.admin('POST', '/pictures/retry')).body
    expect(data).toEqual({ retried: 1 })
    await finished()
    expect(await workOf('acme')).toMatchObject({ state: 'done' })
    // The job is done before the process has read what it wrote.
    await expect.poll(async () => (await service.rest('/tools/acme')).body.data.screenshots[1]).toMatch(MEDIA)
  })

  describe('when the files are lost', () => {
    const peak = () => ({ kind: 'directory', slug: 'peak', name: 'Peak', icon: `${site.url}/logo.png` })
    const lose = () => rmSync(join(service.dataDir, 'media'), { recursive: true })
    /** Resolves when both listings have all their pictures again. */
    const healed = () =>
      vi.waitFor(
        async () => {
          const { icon, frame, screenshots } = (await service.rest('/tools/acme')).body.data
          const addresses = [icon, frame, ...screenshots, (await service.rest('/directories/peak')).body.data.icon]
          expect(addresses).toEqual(addresses.map(() => expect.stringMatching(MEDIA)))
          // The file and not the answer, because an answer may come from memory.
          const files = addresses.map((address) => join(service.dataDir, 'media', address.split('/').at(-1)))
          expect(files.filter((file) => !existsSync(file))).toEqual([])
        },
        { timeout: 30_000, interval: 200 },
      )

    test('a retry fetches the pictures again from where they came, also after the same import', async () => {
      const asked = site.asked.length
      lose()
      await service.load([acme(), peak()])
      expect(site.asked.length).toBe(asked)
      expect((await service.admin('POST', '/pictures/retry')).status).toBe(200)
      await healed()
      expect([...new Set(site.asked.slice(asked))].sort()).toEqual(['/frame.png', '/logo.png', '/missing.png'])
      const audit = (await service.admin('GET', '/audit')).body.data
      expect(audit).toContainEqual(
        expect.objectContaining({ subject: 'tool:acme', details: expect.objectContaining({ missing: true }) }),
      )
      await finished()
    })

    test('the look of every hour finds out by itself', async () => {
      lose()
      await service.context().transaction((ctx) => requestAllPictures(ctx))
      await healed()
      await finished()
    })

    test('where the address is not known, the next import brings it', async () => {
      await service.sql('update picture_copies set address = null')
      lose()
      await service.admin('POST', '/pictures/retry')
      await vi.waitFor(async () => expect(await service.sql('select 1 from picture_copies')).toEqual([]), 20_000)
      await service.load([acme(), peak()])
      await healed()
      await finished()
    })

    test('a file that cannot be looked for changes nothing', async () => {
      const { icon } = (await service.rest('/tools/acme')).body.data
      const file = join(service.dataDir, 'media', icon.split('/').at(-1))
      renameSync(file, `${file}.aside`)
      symlinkSync(file, file)
      await expect(repairListings(service.context(), new AbortController().signal)).rejects.toThrow()
      rmSync(file)
      renameSync(`${file}.aside`, file)
      await healed()
    })
  })

  test('a host gets at most two requests at once', async () => {
    const lines = Array.from({ length: 6 }, (_, i) => ({
      kind: 'tool',
      slug: `slow-${i}`,
      name: `Slow ${i}`,
      icon: `${site.url}/slow-${i}.png`,
    }))
    await load(lines, 8)
    expect(site.asked.filter((path) => path.startsWith('/slow')).length).toBe(6)
    expect(mostAtOnce).toBeLessThanOrEqual(2)
  })

  test('a picture that was stored under an earlier address of the service is found again', async () => {
    const { icon } = (await service.rest('/tools/acme')).body.data
    const earlier = `https://earlier.example${new URL(icon).pathname}`
    await load([{ kind: 'tool', slug: 'moved', name: 'Moved', icon: earlier }], 9)
    expect((await service.rest('/tools/moved')).body.data.icon).toBe(icon)
  })
})

describe('a hostile picture', () => {
  const HOSTILE: Record<string, RegExp> = {
    'bomb.png': /million pixels/,
    'script.svg': /is no PNG/,
    'page.png': /is no PNG/,
    'huge.png': /more than 40 million pixels/,
    'cut.png': /is damaged/,
  }

  test('is never stored, shown or served', async () => {
    const names = Object.keys(HOSTILE)
    const before = await progress()
    await load(
      names.map((name, i) => ({
        kind: 'tool',
        slug: `hostile-${i}`,
        name: `Hostile ${i}`,
        icon: `${site.url}/${name}`,
        screenshots: [`${site.url}/${name}?again`],
      })),
      before.done + before.failed + names.length,
    )
    for (const [i, name] of names.entries()) {
      const work = await workOf(`hostile-${i}`)
      expect([name, work.state, work.parts[0].note]).toEqual([name, 'failed', expect.stringMatching(HOSTILE[name]!)])
      expect((await service.rest(`/tools/hostile-${i}`)).body.data.icon).toBe(`${site.url}/${name}`)
      const { text, headers } = await service.fetch(`/tools/hostile-${i}`, { headers: { accept: 'text/html' } })
      expect(text).not.toContain(site.url)
      expect(headers.get('content-security-policy')).toContain("img-src 'self';")
    }
    expect((await service.fetch('/tools')).text).not.toContain(site.url)
  })

  test('of several frames is stored with the first one only', async () => {
    const { done, failed } = await progress()
    const icon = `${site.url}/animated.gif`
    await load([{ kind: 'tool', slug: 'animated', name: 'Animated', icon, frame: icon }], done + failed + 1)
    const { frame } = (await service.rest('/tools/animated')).body.data
    const bytes = Buffer.from(await (await fetch(frame)).arrayBuffer())
    const { format, pages = 1, height } = await sharp(bytes, { animated: true }).metadata()
    expect([format, pages, height]).toEqual(['webp', 1, 32])
  })
})

test('a stored row that is not as it must be does not stop the others', async () => {
  const { done, failed } = await progress()
  for (const name of ['before', 'after']) site.routes[`/${name}.png`] = await picture(9, 9)
  const broken = { kind: 'tool', slug: 'broken', name: 'Broken', icon: `${site.url}/before.png` }
  await service.load([{ ...broken, published: false }])
  await service.sql(
    `update tools set screenshots = '[{"a":1},null,7]', published = true, hidden_reason = null where slug = 'broken'`,
  )
  // As a change of the row by hand is announced to no process, the next look at all listings finds it.
  await service.context().transaction((ctx) => requestAllPictures(ctx))
  await load([{ kind: 'tool', slug: 'after', name: 'After', icon: `${site.url}/after.png` }], done + failed + 2)
  expect((await service.rest('/tools/after')).body.data.icon).toMatch(MEDIA)
})

test('a redirect to a private address is not followed', async () => {
  const names = ['to-metadata', 'to-private']
  await service.load(names.map((slug) => ({ kind: 'tool', slug, name: slug, icon: `${site.url}/${slug}.png` })))
  for (const slug of names)
    await vi.waitFor(
      async () =>
        expect(await workOf(slug)).toMatchObject({
          state: 'waiting',
          parts: [{ outcome: 'unreachable', note: expect.stringMatching(/could not be fetched\. The address must/) }],
        }),
      { timeout: 20_000, interval: 100 },
    )
})

test('with MIRROR_PICTURES=off nothing is fetched, and the progress says so', async () => {
  const off = await startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', MIRROR_PICTURES: 'off' })
  try {
    const asked = site.asked.length
    await off.load([{ ...acme(), icon: `${site.url}/never.png` }])
    expect((await off.admin('GET', '/pictures/progress')).body.data).toEqual({
      isOn: false,
      waiting: 0,
      done: 0,
      failed: 0,
    })
    expect(site.asked.length).toBe(asked)
  } finally {
    await off.close()
  }
})
