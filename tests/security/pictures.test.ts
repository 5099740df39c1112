// A partner chooses URLs that other people's browsers request. None of them may be an address of this service that changes something.
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { productSite } from '../harness/product-site.ts'
import { newTool, queue, SUBMISSION_CATALOG, submit, submitted } from '../harness/submissions.ts'
import { use, useService } from '../harness/use.ts'

let key: string
const site = use(() => productSite({}))
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', ENRICHMENT_RETRY_SECONDS: '1' })
beforeAll(async () => {
  await service.load([
    ...SUBMISSION_CATALOG,
    { kind: 'tool', slug: 'booster', name: 'Booster', website: 'https://booster.example.com' },
  ])
  key = (await service.newPartner()).key
})

/** Spellings of an address of this service that counts a click. */
const disguises = () =>
  [
    '/media/../tools/booster/visit',
    '/media/%2e%2e/tools/booster/visit',
    '/tools/booster/visit',
    '/media/x/../../tools/booster/visit',
  ].map((path) => service.origin + path)

/** Everything that visitors and API clients read about tools. */
async function publicTexts(slug: string): Promise<string> {
  await service.settled()
  const texts = [
    (await service.rest('/tools')).text,
    (await service.rest(`/tools/${slug}`)).text,
    (await service.tool('get_tool', { slug })).text,
    (await service.fetch(`/tools/${slug}`)).text.replaceAll(`"/tools/${slug}/visit"`, ''),
    (await service.fetch('/tools')).text,
    (await service.fetch('/')).text,
  ]
  return texts.join('\n')
}

const enriched = (id: string) =>
  vi.waitFor(
    async () => {
      const { data } = (await service.admin('GET', '/enrichments')).body
      expect(data.find((row: any) => row.toolId === id).state).not.toBe('pending')
    },
    { timeout: 20_000, interval: 100 },
  )

describe('a submitted picture URL that is an address of this service', () => {
  test('a picture URL of this service is not shown, before or after enrichment', async () => {
    for (const address of disguises()) {
      const made = await submitted(service, key, {
        website: `${site.url}/disguise-${disguises().indexOf(address)}`,
        icon: address,
        frame: address,
        screenshots: [address],
      })
      expect(await publicTexts(made.slug)).not.toContain('booster/visit')
      await enriched(made.id)
      expect(await publicTexts(made.slug)).not.toContain('booster/visit')
      expect((await service.admin('GET', `/tools/${made.slug}`)).text).not.toContain('booster/visit')
    }
  })

  test('is not requested by the service itself when the product’s page names it', async () => {
    const before = service.logged.length
    site.routes['/names-us'] = `<link rel="icon" href="${service.origin}/tools/booster/visit">`
    const { id } = await submitted(service, key, { website: `${site.url}/names-us` })
    await enriched(id)
    expect(service.logged.slice(before).filter(({ path }) => String(path).includes('booster/visit'))).toEqual([])
  })

  test('is accepted, in its canonical form, when it is a stored picture', async () => {
    const name = `${'a'.repeat(40)}.png`
    const made = await submitted(service, key, { icon: `${service.origin}/media/./${name}` })
    await service.settled()
    expect((await service.rest(`/tools/${made.slug}`)).body.data.icon).toBe(`${service.origin}/media/${name}`)
  })
})

test('is not shown from a stored row either, written by an earlier version or an import', async () => {
  const [address] = disguises()
  await service.load([
    { kind: 'tool', slug: 'stored', name: 'Stored', icon: address, frame: address, screenshots: [address] },
    { kind: 'directory', slug: 'stored', name: 'Stored', icon: address, frame: address },
  ])
  expect(await publicTexts('stored')).not.toContain('booster/visit')
  expect((await service.rest('/directories/stored')).text).not.toContain('booster/visit')
  expect((await service.fetch('/directories/stored')).text).not.toContain('booster/visit')
})

test('links of a submission must not lead to this service: a click on one would count for another listing', async () => {
  const [, , address] = disguises()
  for (const more of [{ website: address }, { affiliateLink: address }, { socials: { x: address } }]) {
    const reply = await submit(service, key, newTool(more))
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatch(/must not be an address of this service/)
  }
})

test('a proof on this service must be a picture under /media/', async () => {
  const { id: toolId } = await submitted(service, key, { paymentType: 'starter' })
  const [{ id }] = (await queue(service)).filter((item) => item.toolId === toolId) as [{ id: string }]
  const record = (proofUrl: string) =>
    service.admin('PUT', `/submissions/${id}/directories/peak`, { isSubmitted: true, proofUrl })
  for (const address of disguises()) {
    const { status, body } = await record(address)
    expect([status, body.error]).toEqual([400, expect.stringContaining('proofUrl must be a picture')])
  }
  expect((await record(`${service.origin}/media/${'a'.repeat(40)}.webp`)).status).toBe(200)
})
