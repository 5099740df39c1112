// @module-tag long
// Processes on one PostgreSQL give the same answers to searches, byte for byte, whichever of them took the changes.
// tests/with-servers.sh runs this file.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { ADMIN_TOKEN, createDatabase } from '../harness/service.ts'

const { TEST_DATABASE_URL } = process.env

const WORDS =
  'podcast clips meeting notes transcribe speech voice music picture photo video editor writing grammar translate german code review chatbot support email invoice budget recipe travel map startup launch directory reviews newsletter'.split(
    ' ',
  )
const QUESTIONS = [
  ...['podcast', 'video editor', 'meeting notes', 'translat', 'recieps', 'speech-to-text', 'Tool 7'],
  'which tool can take notes in my meetings automatically',
  'I need something that turns dictation into text',
  'cut a podcast into short clips for a newsletter',
  'where can I launch my startup and get reviews',
  'help me cook dinner from what is in the fridge',
  'fix the spelling of my letters',
  'quarterly accounting for freelancers',
]

/** The same numbers in every run. */
function numbers(): (below: number) => number {
  let state = 12
  return (below) => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

describe.skipIf(!TEST_DATABASE_URL)('two processes on one database', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let a: ServiceProcess
  let b: ServiceProcess
  let key: string
  const started: ServiceProcess[] = []
  const folders: string[] = []
  const next = numbers()

  const start = async () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-several-'))
    folders.push(folder)
    const service = await spawnService({
      ...{ DATA_DIR: folder, DATABASE_URL: database.url, RATE_LIMIT_SCALE: '100000' },
      KEY_PEPPER: 'a pepper that both processes share, long enough',
      PUBLIC_URL: 'http://catalog.example.com',
      ALLOWED_HOSTS: '127.0.0.1',
    })
    started.push(service)
    await service.ready()
    return service
  }
  const write = async (method: string, path: string, body?: object, service = a) => {
    const reply = await service.call(`/api/admin${path}`, { method, body })
    expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(300)
    return reply.body.data
  }
  const text = (count: number) => Array.from({ length: count }, () => WORDS[next(WORDS.length)]).join(' ')
  const listing = (serial: number) => ({ name: `${WORDS[serial % WORDS.length]} ${serial}`, ...texts() })
  const texts = () => ({ tagline: text(4), description: text(12) })

  beforeAll(async () => {
    database = await createDatabase(TEST_DATABASE_URL!)
    a = await start()
    b = await start()
    key = (await write('POST', '/keys', { email: 'reader@example.com', plan: 'premium' })).key
    const lines = Array.from({ length: 300 }, (_, i) => {
      const { name, tagline, description } = listing(i)
      return i % 4 === 0
        ? { kind: 'directory', slug: `d${i}`, name, smallDescription: tagline, longDescription: description }
        : { kind: 'tool', slug: `t${i}`, name, tagline, description }
    })
    const reply = await fetch(`${a.origin}/api/admin/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    expect(reply.status, await reply.text()).toBe(200)
  }, 120_000)
  afterAll(async () => {
    await Promise.all(started.map((service) => service.kill('SIGTERM')))
    await database.drop()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  const read = async ({ origin }: ServiceProcess, path: string) => {
    const reply = await fetch(`${origin}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
    const { status, headers } = reply
    return { path, status, match: headers.get('x-catalog-match'), etag: headers.get('etag'), text: await reply.text() }
  }
  const searches = QUESTIONS.flatMap((question) => {
    const q = encodeURIComponent(question)
    return ['/tools', '/directories'].flatMap((path) => [
      `${path}?q=${q}`,
      `${path}?q=${q}&limit=5&page=2`,
      `${path}?q=${q}&match=full`,
    ])
  })
  const answersOf = async (service: ServiceProcess) => {
    const answers = []
    for (const path of searches) answers.push(await read(service, path))
    return answers
  }
  /** Changes are announced in order, so a process that has the last one has all of them. */
  let markers = 0
  const bothHaveAll = async (writer: ServiceProcess) => {
    const slug = `marker-${++markers}`
    await write('PUT', `/tools/${slug}`, { name: slug, tagline: slug, description: slug }, writer)
    for (const service of [a, b])
      await until(async () => (await read(service, `/tools/${slug}`)).status === 200, 20_000)
  }

  test('give the same full and partial answers, also after listings were created, changed and deleted', async () => {
    await bothHaveAll(a)
    const before = await answersOf(a)
    expect(await answersOf(b)).toEqual(before)
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]))
    for (const match of ['full', 'partial']) {
      const found = before.filter((answer) => answer.match === match && !answer.text.includes('"data":[]'))
      expect([match, found.length > 10]).toEqual([match, true])
    }
    const states = [JSON.stringify(before)]
    for (let round = 0; round < 6; round++) {
      const writer = round % 3 === 2 ? b : a
      for (let i = 0; i < 8; i++) await write('PUT', `/tools/new-${round}-${i}`, listing(1_000 + round * 8 + i), writer)
      for (let i = 0; i < 8; i++) await write('PATCH', `/tools/t${1 + 4 * next(60)}`, texts(), writer)
      for (let i = 0; i < 4; i++) await write('DELETE', `/tools/t${2 + 4 * (round * 4 + i)}`, undefined, writer)
      await write('DELETE', `/directories/d${4 * round}`, undefined, writer)
      await bothHaveAll(writer)
      const answers = await answersOf(a)
      expect(await answersOf(b)).toEqual(answers)
      states.push(JSON.stringify(answers))
    }
    // The changes did change the answers.
    expect(new Set(states).size).toBe(states.length)
  }, 120_000)

  test('and a process that starts now, and has read everything at once, gives them, too', async () => {
    const c = await start()
    expect(await answersOf(c)).toEqual(await answersOf(a))
  }, 120_000)
})
