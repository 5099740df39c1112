// A partner sends in a moment what its limits allow in ten minutes, each call as large and as hostile as is accepted. Afterwards every read
// of all others takes at most twice the processor time of the main thread that it took before. FLOOD_MINUTES=2 sends
// less, FLOOD_LISTINGS=300 has a smaller catalog.
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PARTNER_BUDGETS } from '../../src/features/keys/budgets.rules.ts'
import type { Browser } from '../harness/browser.ts'
import { directory, several, terms, tool } from '../harness/bulk-listings.ts'
import { CONTENTS } from '../harness/contents.ts'
import { files, type HostileSite, hostileSite } from '../harness/fetched-ways.ts'
import { administrator } from '../harness/form-ways.ts'
import { greatestText } from '../harness/greatest.ts'
import { type StartedGround, startGround } from '../harness/ground.ts'
import { call } from '../harness/mcp.ts'
import { until } from '../harness/process.ts'
import { ADMIN_TOKEN, type Reply } from '../harness/service.ts'
import { newTool } from '../harness/submissions.ts'

const LISTINGS = Number(process.env.FLOOD_LISTINGS ?? 3_000)
const MINUTES = Number(process.env.FLOOD_MINUTES ?? 10)
/** Reads of a partner and calls of MCP in a minute, by the plan that a partner may have. */
const READS = 60
const MCP_CALLS = 120
/** Differences below this are what the machine itself makes. */
const FLOOR_MS = 3
const AT_ONCE = 8
/**
 * Reads that answer with what the partner sent, where there was nothing or something small before: they are not compared with themselves,
 * but take at most this much more.
 */
const SHOWN = new Set(['search zz', 'suggestions zz', 'tags zz', 'all tools', 'page of tools', 'feed'])
const MOST_SHOWN_MS = 25

let ground: StartedGround
let site: HostileSite
let operator: Browser
let other: { id: string; key: string }
let work: string

beforeAll(async () => {
  site = await hostileSite()
  ground = await startGround()
  const lines = [
    ...terms('Bulk'),
    ...several(0, LISTINGS, (i) => tool(i, { tagline: wordsOf(i, 8), description: wordsOf(i, 120) })),
    ...several(0, LISTINGS / 10, (i) => directory(i)),
  ]
  const reply = await ground.service.fetch('/api/admin/import', {
    method: 'POST',
    key: ADMIN_TOKEN,
    type: 'application/x-ndjson',
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  })
  expect(reply.status, reply.text).toBe(200)
  operator = await administrator(ground)
  other = (await ground.service.admin('POST', '/partners', { name: 'Other', support: 'hybrid' })).body.data
  work = ground.known.submissions!
  const zip = (await files())['a ZIP that pretends to be a PNG']!
  const packed = gzipSync(zip)
  site.routes.set('/zip.png', (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' }).end(packed)
  })
}, 600_000)
afterAll(async () => {
  await ground.close()
  await site.close()
}, 600_000)

const USUAL =
  'write draft image video voice chat agent code review search find plan sell mail team data chart table note meeting summary translate learn teach design logo photo music sound brand market customer support ticket answer question knowledge base workflow automate build deploy test monitor report invoice budget price travel health legal contract resume hiring sales lead social post schedule calendar'.split(
    ' ',
  )
const wordsOf = (i: number, count: number): string =>
  Array.from({ length: count }, (_, j) => USUAL[(Math.imul(i * 131 + j, 0x9e3779b1) >>> 8) % USUAL.length]).join(' ')

const rest = (path: string) => () => ground.service.fetch(`/api/v1${path}`, { key: ground.key })
const page = (path: string) => () => ground.service.fetch(path, { headers: { accept: 'text/html' } })
const admin = (path: string) => () => ground.service.admin('GET', path)

/** What all others ask for. */
const ASKED: Readonly<Record<string, () => Promise<Pick<Reply, 'status'>>>> = {
  'search zz': rest('/tools?q=zz'),
  'search image': rest('/tools?q=image'),
  'search of a sentence': rest('/tools?q=which+tool+can+write+a+summary+of+a+meeting'),
  'search with a typo': rest('/tools?q=transalte+meetng'),
  'search that finds nothing': rest('/tools?q=qqqqqq'),
  'all tools': rest('/tools'),
  'tools of a tag': rest('/tools?tag=t5'),
  'tools of a category': rest('/tools?category=bulk&q=photo'),
  'tools, most opened': rest('/tools/top'),
  'directories that match': rest('/directories?q=board'),
  'tags zz': rest('/tags?q=zz'),
  'all tags': rest('/tags'),
  categories: rest('/categories'),
  'one tool': rest('/tools/bulk-7'),
  'suggestions zz': page('/search/suggestions?q=zz'),
  'suggestions im': page('/search/suggestions?q=im'),
  'home page': page('/'),
  'page of tools': page('/tools'),
  'page of a search': page('/tools?q=image'),
  'page of both catalogs': page('/search?q=image'),
  'page of a tool': page('/tools/bulk-7'),
  'page of tags': page('/tags'),
  sitemap: page('/sitemap.xml'),
  'first part of the sitemap': page('/sitemaps/1.xml'),
  feed: page('/feeds/tools.xml'),
  'search over MCP': () =>
    ground.service.fetch('/mcp', {
      method: 'POST',
      key: ground.key,
      headers: { accept: 'application/json, text/event-stream' },
      body: call('search_tools', { q: 'image' }),
    }),
  'submission of another partner': () =>
    ground.service.fetch('/api/v1/submit-ai-tool', {
      method: 'POST',
      key: other.key,
      body: newTool({ website: `${ground.site}/page/other-${++serial}` }),
    }),
  'question of another partner': () =>
    ground.service.fetch('/api/v1/support/ask', {
      method: 'POST',
      key: other.key,
      body: { question: 'When is a refund paid?' },
    }),
  'status of another partner': () => ground.service.fetch(`/api/v1/ai-tools?limit=5`, { key: other.key }),
  plan: () => ground.service.admin('GET', `/submissions/${work}/plan`),
  'queue over the operator API': admin('/submissions?limit=20'),
  'inbox over the operator API': admin('/support/conversations?limit=20'),
  'page of the queue': () => operator.open('/admin/submissions'),
  'page of the inbox': () => operator.open('/admin/support'),
}
let serial = 0

/** The processor time of each read after a change of the catalog, when nothing is remembered: the least of three. */
async function timed(): Promise<Record<string, number>> {
  const times: Record<string, number> = {}
  for (const [name, read] of Object.entries(ASKED))
    for (let i = 0; i < 3; i++) {
      await ground.service.admin('PUT', '/tools/changed', { name: `Changed ${++serial}` })
      const before = await ground.service.idle()
      const { status } = await read()
      expect([name, status < 400]).toEqual([name, true])
      times[name] = Math.min(times[name] ?? Number.POSITIVE_INFINITY, (await ground.service.idle()) - before)
    }
  return times
}

/** A connection that the service closed while it was idle is a reason to send the call again, but once. */
async function inTurns(count: number, one: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let i = next++; i < count; i = next++) await one(i).catch(() => one(i))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const contentOf = (i: number) => CONTENTS[i % CONTENTS.length]!
const SHARED = CONTENTS.find(({ name }) => name === 'words that share a beginning')!

/** The largest submission that is accepted; a partner who may make no more tags sends fewer. */
async function submitGreatest(i: number): Promise<number> {
  const content = i % 2 === 0 ? SHARED : contentOf(i)
  const from = i * 4_000
  const hasPictures = i % 40 === 0
  const body = (tags: number) =>
    newTool({
      // Names and taglines are one line.
      name: `${i} ${oneLine(greatestText(content, 90, from))}`.slice(0, 100).toWellFormed(),
      website: `${ground.site}/page/flood-${i}`,
      tagline: `x${oneLine(greatestText(content, 198, from + 50))}x`,
      description: greatestText(content, 20_000, from + 100),
      tags: Array.from({ length: tags }, (_, j) => `zz${i} tag ${j}`),
      socials: Object.fromEntries(several(0, 100, (j) => [`net ${j}`, `https://x.example/${i}/${j}`])),
      features: Object.fromEntries(several(0, 400, (j) => [`f ${j}`, greatestText(content, 60, from + j * 7)])),
      faq: several(0, 50, (j) => ({ question: `${j}?`, answer: greatestText(content, 250, from + j * 40) })),
      ...(hasPictures
        ? {
            icon: `${site.url}/zip.png?i`,
            frame: `${site.url}/zip.png?f`,
            screenshots: several(0, 20, (j) => `${site.url}/zip.png?${i}-${j}`),
          }
        : {}),
    })
  let refusal = ''
  for (const tags of [20, 5, 0]) {
    const { status, text } = await ground.service.fetch('/api/v1/submit-ai-tool', {
      method: 'POST',
      key: ground.partner.key,
      body: body(tags),
    })
    if (status < 300) return tags
    refusal = text
  }
  throw new Error(`submission ${i} was refused: ${refusal}`)
}

const oneLine = (text: string): string => text.replaceAll(/\p{Cc}/gu, '.')

async function flood(): Promise<{ tags: number }> {
  let tags = 0
  const partner = (path: string, body?: object) =>
    ground.service.fetch(`/api/v1${path}`, { method: body ? 'POST' : 'GET', key: ground.partner.key, body })
  await inTurns(PARTNER_BUDGETS.submit * MINUTES, async (i) => {
    const made = await submitGreatest(i)
    tags += made
  })
  await inTurns(PARTNER_BUDGETS.support * MINUTES, (i) =>
    partner('/support/ask', { question: greatestText(contentOf(i), 4_000, i * 700), externalId: `flood-${i}` }),
  )
  await inTurns(READS * MINUTES, (i) => partner(`/ai-tools/status?website=${ground.site}/page/flood-${i % 200}`))
  await inTurns(MCP_CALLS * MINUTES, (i) =>
    ground.service.fetch('/mcp', {
      method: 'POST',
      key: ground.partner.key,
      headers: { accept: 'application/json, text/event-stream' },
      body: call('search_tools', { q: greatestText(contentOf(i), 500, i * 90) }),
    }),
  )
  return { tags }
}

/** How long a small read of another client waits while `during` goes on: median and longest, in milliseconds. */
async function waits(during: Promise<unknown>): Promise<{ median: number; longest: number }> {
  const all: number[] = []
  let isOver = false
  void during.finally(() => (isOver = true)).catch(() => {})
  while (!isOver) {
    const start = performance.now()
    await rest('/tools/bulk-7')().catch(rest('/tools/bulk-7'))
    all.push(performance.now() - start)
    await sleep(50)
  }
  await during
  all.sort((a, b) => a - b)
  return { median: all[all.length >> 1]!, longest: all.at(-1)! }
}

test('after ten minutes of a partner at its limits, reads of all others take at most twice as long', {
  timeout: 3_600_000,
}, async () => {
  await timed()
  const before = await timed()
  await ground.service.longestStop()
  const flooding = flood()
  const waited = await waits(flooding)
  const { tags } = await flooding
  await until(async () => {
    await sleep(1_000)
    const { data } = (await ground.service.admin('GET', '/enrichments?limit=1000')).body
    return data.every(({ state }: { state: string }) => state !== 'pending')
  }, 1_200_000)
  const stop = await ground.service.longestStop()
  const after = await timed()
  const rows = Object.entries(before).map(([name, ms]) => ({ name, before: ms, after: after[name]! }))
  process.stdout.write(
    [
      '| Read | before, ms | after, ms |\n|---|---|---|',
      ...rows.map(({ name, before, after }) => `| ${name} | ${before.toFixed(1)} | ${after.toFixed(1)} |`),
      `During the flood a small read waited ${waited.median.toFixed(0)} ms (median), ${waited.longest.toFixed(0)} ms (longest).`,
      `The longest pause of the main thread was ${stop.toFixed(0)} ms. ${tags} tags were accepted.\n`,
    ].join('\n'),
  )
  const slower = rows.filter(({ name, before, after }) =>
    SHOWN.has(name) ? after - before > MOST_SHOWN_MS : after > 2 * before && after - before > FLOOR_MS,
  )
  expect(slower.map(({ name, before, after }) => `${name}: ${before.toFixed(1)} → ${after.toFixed(1)} ms`)).toEqual([])
})
