// GET /ai-tools/status
import { beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../harness/service.ts'
import { expectFailure, expectShape } from '../harness/shapes.ts'
import { RANKED_DIRECTORIES, SUBMISSION_CATALOG, spellings, statusOf, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  key = (await service.newPartner()).key
})

const read = (query: Record<string, string>, as: string | null = key) => statusOf(service, as, query)
const data = async (query: Record<string, string>) => (await read(query)).body.data
const record = (tool: { slug: string }, directory: string, body: object) =>
  service.admin('PUT', `/submissions/${tool.slug}/directories/${directory}`, body)

describe('200', () => {
  test('data has exactly the fields of the contract', async () => {
    const tool = await submitted(service, key, { paymentType: 'premium' })
    const reply = await read({ id: tool.id })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      success: true,
      data: {
        tool: {
          id: tool.id,
          name: tool.name,
          slug: tool.slug,
          website: tool.website,
          url: `${service.origin}/tools/${tool.slug}`,
          paymentStatus: 'PREMIUM',
          paymentLabel: 'Premium (100+ directories)',
          targetDirectoriesCount: 100,
        },
        submissionState: 'IN_QUEUE',
        summary: { isComplete: false, submittedCount: 0, recordedSubmissions: 0, notes: '' },
        submissions: [],
        reportUrl: expect.stringMatching(new RegExp(`^${service.origin}/reports/[0-9a-f]{32}$`)),
        createdAt: tool.createdAt,
        updatedAt: tool.createdAt,
      },
    })
  })

  test('without a package: waiting, submissionState null', async () => {
    const { slug } = await submitted(service, key)
    expect(await data({ slug })).toMatchObject({
      tool: { paymentStatus: 'WAITING', paymentLabel: 'Waiting', targetDirectoriesCount: 0 },
      submissionState: null,
      summary: { isComplete: false },
    })
  })

  test('finds the submission by id, by slug and by website, however the website is spelt', async () => {
    const tool = await submitted(service, key, { website: 'https://status-site.example.com/app' })
    const expected = await data({ id: tool.id })
    expect(await data({ slug: tool.slug })).toEqual(expected)
    for (const website of [tool.website, ...spellings(tool.website)]) expect(await data({ website })).toEqual(expected)
  })

  test('rows equal those of the webhook, strongest directory first, with proofUrl and link', async () => {
    const tool = await submitted(service, key, { paymentType: 'starter' })
    for (const { slug } of [...RANKED_DIRECTORIES].reverse())
      await record(tool, slug, { isSubmitted: slug !== 'beta-board' })
    await record(tool, 'peak', {
      isSubmitted: true,
      listingUrl: 'https://peak.example.org/product',
      submittedBy: 'OWNER',
      submittedAt: '2026-03-01T10:30:00+01:00',
      proofUrl: 'https://peak.example.org/proof.png',
    })
    const { submissions, summary } = await data({ id: tool.id })
    for (const { link, waitingFor, ...row } of submissions) {
      expect([null, 'us', 'founder', 'directory']).toContain(waitingFor)
      expect(link).toEqual(row.listingUrl ? { state: 'unchecked', checkedAt: null, firstLiveAt: null } : null)
      expectShape(row, {
        name: 'string',
        slug: 'string',
        url: 'string',
        listingUrl: 'string or null',
        domainRating: 'number or null',
        isSubmitted: 'boolean',
        submittedBy: 'string or null',
        submittedAt: 'time or null',
        proofUrl: 'string or null',
        reason: 'string or null',
        action: 'string or null',
      })
    }
    expect(
      submissions.map(({ name, slug, url, domainRating }: any) => ({ name, slug, website: url, domainRating })),
    ).toEqual(
      RANKED_DIRECTORIES.map(({ name, slug, website, domainRating }) => ({ name, slug, website, domainRating })),
    )
    expect(submissions[0]).toEqual({
      name: 'Peak',
      slug: 'peak',
      url: 'https://peak.example.org',
      listingUrl: 'https://peak.example.org/product',
      domainRating: 95,
      isSubmitted: true,
      submittedBy: 'OWNER',
      submittedAt: '2026-03-01T09:30:00.000Z',
      proofUrl: 'https://peak.example.org/proof.png',
      link: { state: 'unchecked', checkedAt: null, firstLiveAt: null },
      ...{ waitingFor: null, reason: null, action: null },
    })
    expect(submissions.map(({ submittedBy }: any) => submittedBy)).toEqual(['OWNER', 'ADMIN', null, 'ADMIN'])
    expect(submissions[2]).toMatchObject({ isSubmitted: false, listingUrl: null, submittedAt: null, proofUrl: null })
    // submittedCount counts rows with isSubmitted, recordedSubmissions all rows.
    expect(summary).toEqual({ isComplete: false, submittedCount: 3, recordedSubmissions: 4, notes: '' })
  })

  test('isComplete is submissionState === "DONE", and notes are shown', async () => {
    const tool = await submitted(service, key, { paymentType: 'starter' })
    for (const state of ['IN_PROGRESS', 'REVIEW', 'IN_QUEUE']) {
      await service.admin('PATCH', `/submissions/${tool.slug}`, { state, notes: `Now ${state}` })
      expect(await data({ id: tool.id })).toMatchObject({
        submissionState: state,
        summary: { isComplete: false, notes: `Now ${state}` },
      })
    }
    await service.admin('POST', `/submissions/${tool.slug}/done`, {})
    const done = await data({ id: tool.id })
    expect(done).toMatchObject({ submissionState: 'DONE', summary: { isComplete: true, notes: 'Now IN_QUEUE' } })
    expect(done.createdAt).toBe(tool.createdAt)
    expect(Date.parse(done.updatedAt)).toBeGreaterThan(Date.parse(tool.createdAt))
  })

  test('an unpublished listing is still found by its partner', async () => {
    const tool = await submitted(service, key)
    await service.admin('PUT', `/tools/${tool.slug}`, { name: tool.name, website: tool.website, published: false })
    expect((await read({ id: tool.id })).status).toBe(200)
  })

  test('the answer has an ETag; a matching If-None-Match is a 304, and a change gives a new ETag', async () => {
    const tool = await submitted(service, key, { paymentType: 'starter' })
    const etag = (await read({ id: tool.id })).headers.get('etag')!
    const again = () => statusOf(service, key, { id: tool.id }, { 'if-none-match': etag })
    expect([(await again()).status, (await again()).text]).toEqual([304, ''])
    await service.admin('PATCH', `/submissions/${tool.slug}`, { notes: 'Changed' })
    expect((await again()).status).toBe(200)
  })
})

describe('400', () => {
  test.each(['', '?id=', '?id=&slug=%20&website=', '?other=x', '?ID=x'])(
    'a request without id, slug and website: %j',
    async (query) => {
      const reply = await service.rest(`/ai-tools/status${query}`, { key })
      expect(reply.status).toBe(400)
      expect(expectFailure(reply.body)).toBe('Give exactly one of id, slug and website.')
    },
  )

  test('more than one of id, slug and website, also when they name the same tool', async () => {
    const { id, slug, website } = await submitted(service, key)
    const several: Record<string, string>[] = [
      { id, slug },
      { id, website },
      { slug, website },
      { id, slug, website },
    ]
    for (const query of several) {
      const reply = await read(query)
      expect(reply.status).toBe(400)
      expectFailure(reply.body)
    }
    expect((await service.rest(`/ai-tools/status?id=${id}&id=${id}`, { key })).status).toBe(400)
  })

  test('a text with NUL', async () => {
    for (const name of ['id', 'slug', 'website'])
      expect((await service.rest(`/ai-tools/status?${name}=a%00b`, { key })).status).toBe(400)
  })
})

describe('401 and 403', () => {
  test('401 without a valid key, 403 with a catalog key whichever header carries it', async () => {
    const catalog = (await service.newKey()).key
    const { id } = await submitted(service, key)
    expect((await read({ id }, null)).status).toBe(401)
    expect((await read({ id }, `${key}x`)).status).toBe(401)
    expect((await read({ id }, catalog)).status).toBe(403)
    expect((await statusOf(service, null, { id }, { 'x-api-key': catalog })).status).toBe(403)
    expect((await statusOf(service, null, { id }, { 'x-api-key': key })).status).toBe(200)
    // The key is checked before the query.
    expect((await read({}, catalog)).status).toBe(403)
  })
})

describe('404', () => {
  const bytes = ({ status, text, headers }: Reply) => [
    status,
    text,
    [...headers].filter(([name]) => !/^(date|x-request-id|(x-)?ratelimit.*)$/.test(name)),
  ]

  test('another partner’s tool and an unknown one give the same answer, byte for byte', async () => {
    const tool = await submitted(service, key, { paymentType: 'pro' })
    const other = (await service.newPartner()).key
    const unknown = bytes(await read({ id: 'unknown' }, other))
    expect(unknown.slice(0, 2)).toEqual([
      404,
      JSON.stringify({ success: false, error: 'Tool not found.', code: 'not_found' }),
    ])
    for (const query of [
      { id: tool.id },
      { slug: tool.slug },
      { website: tool.website },
      { id: tool.slug },
      { slug: 'unknown' },
      { website: 'https://unknown.example.com' },
      { website: 'not an address' },
      { website: 'mailto:a@example.com' },
      { id: "' or 1=1 --" },
      { slug: '%' },
      { id: '🦉' },
    ] as Record<string, string>[])
      expect(bytes(await read(query, other)), JSON.stringify(query)).toEqual(unknown)
  })

  test('a listing that was never submitted', async () => {
    await service.admin('PUT', '/tools/never-submitted', { name: 'Never', website: 'https://never.example.com' })
    expect((await read({ slug: 'never-submitted' })).status).toBe(404)
    expect((await read({ website: 'https://never.example.com' })).status).toBe(404)
  })
})
