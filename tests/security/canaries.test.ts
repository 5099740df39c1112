// Puts a recognisable value into every private column, then searches everything that each reader can open for these values.
// tests/harness/security/columns.ts says who may read which column.
import { beforeAll, describe, expect, test } from 'vitest'
import { operatorOperations } from '../../src/features.ts'
import { createBrowser, PASSWORD } from '../harness/browser.ts'
import { startReceiver } from '../harness/receiver.ts'
import { type Canary, columnsOf, foundIn } from '../harness/security/canaries.ts'
import { CLASSES } from '../harness/security/columns.ts'
import { crawl, type ReadText, readTextOf } from '../harness/security/crawl.ts'
import { filled, guessedPages, PUBLIC, pagesOf, readsOf } from '../harness/security/readers.ts'
import { createTwoPartners, type TwoPartners } from '../harness/security/two-partners.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { statusOf, submit } from '../harness/submissions.ts'
import { use, useService } from '../harness/use.ts'

const PEPPER = 'zqpepper-of-the-canaries-0123456789'

let partners: TwoPartners

const receiver = use(() => startReceiver({ '/zqonehook': (response) => response.end('zqhookanswer') }))
const service = useService({
  OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  KEY_PEPPER: PEPPER,
  ENRICHMENT_RETRY_SECONDS: '3600',
})
beforeAll(async () => {
  partners = await createTwoPartners(service, receiver)
  await service.settled()
})

test('every column of every table has a class, and no class names a column that does not exist', async () => {
  const columns = (await columnsOf(service)).map(({ table, name }) => `${table}.${name}`)
  expect(
    columns.filter((column) => !CLASSES.has(column)),
    'columns without a class',
  ).toEqual([])
  expect(
    [...CLASSES.keys()].filter((column) => !columns.includes(column)),
    'columns that are gone',
  ).toEqual([])
  const schemas = await service.sql(
    `select distinct table_schema as name from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  )
  // drizzle records the applied migrations, jobs has the queue's tables, and public has ours.
  expect(schemas.map(({ name }) => name)).toEqual(['drizzle', 'jobs', 'public'])
})

/** What readers other than the owner may not see. */
const hiddenFromOthers = (): Canary[] => [
  ...partners.canaries,
  ...secret('a listing that is not published', 'zqhidden'),
  ...secret('a job', 'zqjob'),
  ...secrets(),
]
const hiddenFromOwner = () => partners.canaries.filter(({ kind }) => kind !== 'owner').concat(secrets())
const secrets = (): Canary[] => [
  ...partners.canaries.filter(({ kind }) => kind === 'secret'),
  ...secret('a key or a signing secret in full', ...partners.shownOnce),
  ...secret('the operator token', ADMIN_TOKEN),
  ...secret('the pepper', PEPPER),
  ...secret('a password', PASSWORD),
]
const secret = (column: string, ...texts: string[]): Canary[] => [{ column, kind: 'secret', texts }]

function expectNone(answers: readonly ReadText[], forbidden: readonly Canary[]): void {
  for (const { where, text } of answers)
    expect({ where, found: foundIn(text, forbidden) }).toEqual({ where, found: [] })
}
const expectWords = (answers: readonly ReadText[], words: readonly string[]) =>
  expect(words.filter((word) => !answers.some(({ text }) => text.includes(word)))).toEqual([])

describe('data of other partners and users is not shown to', () => {
  test('a visitor, on any page and at any address', async () => {
    const answers = await crawl(createBrowser(service).open, [...PUBLIC, ...guessedPages(partners)])
    expect(answers.length).toBeGreaterThan(80)
    expectWords(answers, ['Canary Tool', 'Peak', 'sitemap', 'openapi', 'catalog_request_seconds'])
    expectNone([...answers, ...(await readsOf(service, partners, null))], hiddenFromOthers())
  })

  test('the holder of a catalog key', async () => {
    const answers = await readsOf(service, partners, partners.two.catalogKey)
    expectWords(answers, ['Canary Tool', 'Peak'])
    expectNone(answers, hiddenFromOthers())
  })

  test('another partner that has the same listing', async () => {
    const answers = await readsOf(service, partners, partners.two.partnerKey)
    expectWords(answers, ['"submissionState":"IN_QUEUE"', '"externalId":"mine"'])
    expectNone(answers, hiddenFromOthers())
  })

  test('the users of another partner, in their dashboard', async () => {
    const answers = await pagesOf(partners, partners.two.browser)
    expectWords(answers, ['otherpartner', 'Canary Tool'])
    expectNone(answers, hiddenFromOthers())
  })

  test('a client that searches: no private word finds anything', async () => {
    const words = [...new Set(hiddenFromOthers().flatMap(({ texts }) => texts.slice(0, 2)))]
    const find = async (path: string, parameters: Record<string, string>) =>
      (await service.rest(`/${path}?${new URLSearchParams(parameters)}`)).body.data
    for (const q of words)
      for (const path of ['tools', 'directories', 'categories', 'tags']) {
        expect([q, path, await find(path, { q, match: 'full' })]).toEqual([q, path, []])
        // A text may also have words that are public elsewhere. What is private in it must not change what those find.
        const publicWords = q.replace(/zq\w*/gi, 'zqunknownword')
        if (publicWords !== q)
          expect([q, path, await find(path, { q })]).toEqual([q, path, await find(path, { q: publicWords })])
      }
  })
})

describe('what only administrators may see is not shown to', () => {
  test('the partner itself, over the API', async () => {
    const answers = await readsOf(service, partners, partners.one.partnerKey)
    answers.push(readTextOf('status', await statusOf(service, partners.one.partnerKey, { id: partners.tool.id })))
    expectWords(answers, ['zqnotes', 'zqlisting', 'zqproof', 'zqreply', 'zqthread', 'zqsecond'])
    expectNone(answers, hiddenFromOwner())
  })

  test('the users of the partner, in their dashboard', async () => {
    const answers = await pagesOf(partners, partners.one.browser)
    expectWords(answers, ['zqonepartner', 'zqnotes', 'zqlisting', 'zqcustomer', 'zqkeyslast4'])
    expectNone(answers, hiddenFromOwner())
  })

  test('the receiver of an event; another partner’s receiver gets nothing of it', () => {
    const events = (path: string) =>
      receiver.at(path).map(({ headers, body }) => ({ where: path, text: `${JSON.stringify(headers)}\n${body}` }))
    expectWords(events('/zqonehook'), ['zqnotes', 'zqreply'])
    expectNone(events('/zqonehook'), hiddenFromOwner())
    expectNone(events('/otherhook'), hiddenFromOthers())
  })
})

describe('secrets are not shown to', () => {
  test('an administrator, in the console', async () => {
    const answers = await crawl(partners.administrator.open, [
      '/admin',
      '/admin/audit',
      '/admin/webhooks',
      '/admin/keys',
    ])
    expect(answers.length).toBeGreaterThan(60)
    expectWords(answers, [
      'zqfounder',
      'zqlink',
      'zqassignee',
      'zqpart',
      'zqpassagetext',
      'zqactor',
      'zqonecontact',
      'zqhidden',
    ])
    expectNone(answers, secrets())
  })

  test('the operator, at any address of the operator API', async () => {
    const answers: ReadText[] = []
    for (const { path } of operatorOperations.filter(({ method }) => method === 'GET'))
      answers.push(readTextOf(path, await service.admin('GET', filled(partners, path))))
    expectWords(answers, [
      'zqfounder',
      'zqlink',
      'zqassignee',
      'zqaffiliate',
      'zqpart',
      'zqauthor',
      'zqdetails',
      'zqonecontact',
    ])
    expectNone(answers, secrets())
  })

  test('a reader of the log, who sees only identifiers and the last characters of keys', async () => {
    // Failing requests are logged too.
    const body = { founderEmail: 'zqfounder@private.example.com', affiliate: 'zqaffiliate', website: 'zqlink' }
    for (const sent of [body, JSON.stringify(body).slice(0, -1)]) await submit(service, partners.one.partnerKey, sent)
    await statusOf(service, partners.one.partnerKey, { website: 'https://zqlink.example.org' })
    const lines = service.logged.map((line) =>
      JSON.stringify(line, (_name, value) =>
        value instanceof Error ? { ...value, text: value.stack, cause: value.cause } : value,
      ),
    )
    expect(lines.length).toBeGreaterThan(1_000)
    const forbidden = hiddenFromOthers().filter(
      ({ column, kind }) => kind === 'secret' || !(column.endsWith('.id') || column === 'keys.last4'),
    )
    // The log has the requested addresses, and with them the names that the test guessed.
    const text = lines.join('\n').replaceAll(/\/(zqhidden|zqthread|zqpeer)/g, '')
    expectNone([{ where: 'the log', text }], forbidden)
  })
})
