// All parts of a job share its time limit: pages, pictures, decoding, parsing, the language model.

// @module-tag slow
import { rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { readSite } from '../../src/features/enrichment/gather.ts'
import { enrich, enricher } from '../../src/features/enrichment/jobs.ts'
import type { Context } from '../../src/kernel/context.ts'
import { attemptContext, TimeUp } from '../../src/kernel/job.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { createPictures } from '../../src/platform/pictures/pictures.ts'
import { letMistakesHappen } from '../harness/process.ts'
import { type ProductSite, picture, productSite } from '../harness/product-site.ts'
import { ADMIN_TOKEN, freePort, recordingLog } from '../harness/service.ts'
import { copyTemplate } from '../harness/template.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

let app: App
let origin: string
let silentServer: string
let site: ProductSite
const sockets = new Set<Socket>()
const server = createServer((socket) => void sockets.add(socket.on('error', () => {})))
const folder = temporaryFolder('limits')

// These tests use only the embedded database, because the limits do not depend on the database.
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  silentServer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  site = await productSite({ '/': '<h1>Acme</h1><p>Writes mail.</p>' })
  await copyTemplate(folder)
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  const config = readConfig({
    PORT: String(port),
    PUBLIC_URL: origin,
    DATA_DIR: folder,
    ADMIN_TOKEN,
    SEED: 'none',
    RATE_LIMIT_SCALE: '1000',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LLM_BASE_URL: silentServer,
    LLM_MODEL: 'silent',
  })
  // The app has no worker: the test runs the job itself.
  app = await createApp(config, recordingLog([]), 'server')
  await app.server.listen({ host: '127.0.0.1', port })
  await app.start()
})
afterAll(async () => {
  await app.close()
  await site.close()
  for (const socket of sockets) socket.destroy()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const adminRequest = async (method: string, path: string, body?: object) =>
  (
    await fetch(`${origin}/api/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  ).json() as any

/** Creates a listing and runs one enrichment of it that is aborted after this many milliseconds. */
async function attempt(slug: string, listing: object, ms: number) {
  await adminRequest('PUT', `/tools/${slug}`, { name: slug, description: 'Writes.', ...listing })
  const { toolId } = (await adminRequest('POST', `/enrichments/${slug}/retry`)).data
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(new TimeUp('It took longer than 60 seconds.')), ms)
  const given = { signal: ended.signal, endsAt: Date.now() + 60_000, owner: 'p' }
  const outcome = await enrich(attemptContext(app.context(enricher), given), toolId, given).catch(
    (error: Error) => error,
  )
  clearTimeout(timer)
  const row = (await adminRequest('GET', '/enrichments')).data.find((one: any) => one.toolId === toolId)
  return { outcome, row }
}

describe('an enrichment that takes too long ends, and its row says why', () => {
  test.each([
    ['a site that hangs', () => ({ website: silentServer })],
    [
      'pictures that hang',
      () => ({
        website: site.url,
        icon: `${silentServer}/i.png`,
        screenshots: [`${silentServer}/1.png`, `${silentServer}/2.png`, `${silentServer}/3.png`],
      }),
    ],
    ['a language model that hangs', () => ({ website: site.url })],
  ])('because of %s', async (name, listing) => {
    const { outcome, row } = await attempt(name.replaceAll(' ', '-'), listing(), 1_500)
    expect(outcome).toBeInstanceOf(TimeUp)
    expect(row).toMatchObject({ state: 'pending', attempts: 1 })
    expect(row.parts).toContainEqual({ part: 'page', outcome: 'unreachable', note: 'It took longer than 60 seconds.' })
  })

  test('and has failed for that reason after the last attempt', async () => {
    await adminRequest('PUT', '/tools/last', { name: 'last', website: silentServer })
    const { toolId } = (await adminRequest('POST', '/enrichments/last/retry')).data
    await (app.context(enricher).db as any).execute(`update enrichments set attempts = 3 where tool_id = '${toolId}'`)
    const ended = new AbortController()
    setTimeout(() => ended.abort(new TimeUp('It took longer than 60 seconds.')), 500)
    const given = { signal: ended.signal, endsAt: Date.now() + 60_000, owner: 'p' }
    await enrich(attemptContext(app.context(enricher), given), toolId, given)
    const row = (await adminRequest('GET', '/enrichments')).data.find((one: any) => one.toolId === toolId)
    expect(row).toMatchObject({ state: 'failed', attempts: 4 })
    expect(row.parts[0].note).toBe('It took longer than 60 seconds.')
  })
})

describe('when the time of a job ends, the job aborts', () => {
  const abortedAfter = (ms: number) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new TimeUp('over')), ms)
    return { signal: controller.signal, owner: 'p' }
  }
  /** A request that went on would end with the message of its own time limit. */
  const expectAborted = (result: Promise<unknown>) => expect(result).rejects.toThrow('over')
  const contextOfJob = (): Context => attemptContext(app.context(enricher), abortedAfter(300))

  test('its outbound request', () =>
    expectAborted(contextOfJob().outbound.fetch(silentServer, { maxBytes: 100, timeoutMs: 30_000, redirects: 0 })))

  test('and starts no further outbound request', async () => {
    const ctx = attemptContext(app.context(enricher), { signal: AbortSignal.abort(new TimeUp('over')), owner: 'p' })
    const asked = site.asked.length
    await expectAborted(ctx.outbound.fetch(site.url, { maxBytes: 100, timeoutMs: 30_000, redirects: 0 }))
    await letMistakesHappen()
    expect(site.asked.length).toBe(asked)
  })

  test('its question to the language model', () =>
    expectAborted(
      contextOfJob().languageModel!.ask({ purpose: 'enrichment', instructions: '', material: '', timeoutMs: 30_000 }),
    ))

  test('its parsing of a page that was made to take long', () => {
    const bytes = Buffer.from('<div>'.repeat(300_000))
    return expectAborted(contextOfJob().readPage({ bytes, url: site.url, contentType: 'text/html' }))
  })

  test('its decoding of a picture, and its wait for the decoder', async () => {
    const { pictures } = contextOfJob()
    const large = await picture(6_000, 6_000)
    const first = pictures.encode(large, 'picture').catch((error: Error) => error)
    const waiting = expectAborted(pictures.encode(large, 'picture'))
    await waiting
    expect(await first).toBeTruthy()
  })
})

describe('a site is read with its texts and its logo', () => {
  test.each([
    ['never end', () => new Promise<never>(() => {})],
    ['fail', () => Promise.reject(new Error('out of memory'))],
  ])('also when its other pictures %s', async (_name, encode) => {
    const shown = await picture(640, 480)
    const own = await productSite({
      '/': `<title>Acme</title><meta property="og:image" content="/a.png"><link rel="icon" href="/icon.png">
<h1>Acme</h1><p>Writes mail.</p><img src="/b.png" width="640" height="480"><img src="/c.png" width="640" height="480">`,
      ...{ '/icon.png': await picture(64, 64), '/a.png': shown, '/b.png': shown, '/c.png': shown },
    })
    const ctx = app.context(enricher)
    const { pictures } = ctx
    const slow = extend(ctx, {
      pictures: { ...pictures, encode: (bytes, use) => (use === 'icon' ? pictures.encode(bytes, use) : encode()) },
    } satisfies Partial<Context>)
    const until = Date.now() + 2_500
    const site = await readSite(slow, own.url, until, async () => {})
    expect(site).toMatchObject({
      ...{ facts: { about: { name: 'Acme' } }, icon: expect.stringContaining('/media/'), pictures: [] },
    })
    expect(Date.now()).toBeLessThan(until + 1_000)
    await own.close()
  })
})

test('the pictures of several owners take turns: an owner with many pictures delays another owner by one picture', async () => {
  const pictures = createPictures()
  const large = await picture(3_000, 3_000)
  const done: string[] = []
  const encode = async (owner: string) => {
    await pictures.encode(large, 'picture', { owner })
    done.push(owner)
  }
  await Promise.all([...Array.from({ length: 6 }, () => encode('a')), encode('b')])
  expect(done.indexOf('b')).toBeLessThanOrEqual(2)
})
