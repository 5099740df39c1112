// Before the work on a product begins, directories with a known search are asked once whether they list it already.
// @module-tag slow
import { beforeAll, expect, test } from 'vitest'
import { html, PRODUCT } from '../harness/listing-pages.ts'
import { letMistakesHappen, until } from '../harness/process.ts'
import { productSite } from '../harness/product-site.ts'
import { loadDirectories, newWork, startCheckingService } from '../harness/proof.ts'
import { use } from '../harness/use.ts'
import { refused } from '../harness/workflow.ts'

const LINK = `<a href="${PRODUCT}">Visit</a>`
const SEARCH = '/search?q=Acme%20Writer'
const ROBOTS = { '/robots.txt': 'User-agent: *\nDisallow: /closed' }
const sites = {
  links: use(() => productSite({ [SEARCH]: html(LINK) })),
  pages: use(() =>
    productSite({
      [SEARCH]: html('<a href="/t/other">Other</a><a href="/t/acme">Acme Writer, drafts your mail</a>'),
      '/t/acme': html(LINK),
    }),
  ),
  // It has a page with that name, which is another product.
  namesake: use(() =>
    productSite({
      [SEARCH]: html('<a href="/t/acme">Acme Writer</a>'),
      '/t/acme': html('<a href="https://else.example.com">Visit</a>'),
    }),
  ),
  none: use(() => productSite({ [SEARCH]: html('Nothing was found.') })),
  blocked: use(() => productSite({ ...ROBOTS, '/closed?q=Acme%20Writer': html(LINK) })),
}
// A search that redirects to a page of another host.
const elsewhere = use(() => productSite({ '/found': html('Nothing was found.') }))
const leads = use(() =>
  productSite({
    [SEARCH]: (_request, response) => response.writeHead(302, { location: `${elsewhere.url}/found` }).end(),
  }),
)
const PATHS: Record<keyof typeof sites, string> = {
  links: '/search?q={name}',
  pages: '/search?q={name}',
  namesake: '/search?q={name}',
  none: '/search?q={name}',
  blocked: '/closed?q={name}',
}
const names = Object.keys(sites) as (keyof typeof sites)[]

const service = use(startCheckingService)
let partner: { id: string; key: string }
beforeAll(async () => {
  await loadDirectories(service, 2)
  partner = await service.newPartner()
})

const statesOf = async (id: string) =>
  Object.fromEntries(
    (
      await service.sql(
        `select d.slug, q.state from directory_searches q join directories d on d.id = q.directory_id where q.submission_id = '${id}'`,
      )
    ).map(({ slug, state }) => [slug, state]),
  )

test('what is listed already is left out of the plan, and nothing else is', async () => {
  await service.load(
    names.map((slug) => ({ kind: 'directory', slug, name: slug, searchLink: `${sites[slug].url}${PATHS[slug]}` })),
  )
  const { id } = await newWork(service, partner, { website: PRODUCT, name: 'Acme Writer' })
  await service.wake()
  const expected = { links: 'listed', pages: 'listed', namesake: 'absent', none: 'absent', blocked: 'unknown' }
  await until(async () => {
    const states = await statesOf(id)
    return names.every((slug) => states[slug] !== undefined && states[slug] !== 'asking')
  }, 60_000)
  expect(await statesOf(id)).toEqual(expected)
  const { chosen, left } = (await service.admin('GET', `/submissions/${id}/plan`)).body.data
  const reasons = Object.fromEntries(left.map(({ slug, reason }: any) => [slug, reason]))
  expect(reasons.links).toBe(`lists the product already: ${sites.links.url}${SEARCH}`)
  expect(reasons.pages).toBe(`lists the product already: ${sites.pages.url}/t/acme`)
  const slugs = chosen.map(({ slug }: any) => slug)
  for (const slug of ['namesake', 'none', 'blocked', 'd-0', 'd-1']) expect(slugs).toContain(slug)
  expect(sites.blocked.asked).toEqual(['/robots.txt'])
  expect(sites.pages.asked).toEqual(['/robots.txt', SEARCH, '/t/acme'])
})

test('each is asked once', async () => {
  const asked = names.map((slug) => sites[slug].asked.length)
  await service.wake()
  const { id } = await newWork(service, partner, { website: 'https://begun.example.com', paymentType: undefined })
  await service.wake()
  await letMistakesHappen()
  expect(await statesOf(id)).toEqual({})
  expect(names.map((slug) => sites[slug].asked.length)).toEqual(asked)
})

test('a directory whose host wants to be left alone is asked later, and keeps no other waiting', async () => {
  const busy = new URL(sites.none.url).host
  await service.sql(`insert into link_hosts (host, next_at) values ('${busy}', now() + interval '1 day')
    on conflict (host) do update set next_at = excluded.next_at`)
  const { id } = await newWork(service, partner, { website: 'https://busy-host.example.com', name: 'Acme Writer' })
  await service.wake()
  const answered = async () =>
    Object.entries(await statesOf(id))
      .filter(([, state]) => state !== 'asking')
      .map(([slug]) => slug)
      .sort()
  const others = names.filter((slug) => slug !== 'none').sort()
  await until(async () => (await answered()).length === others.length, 60_000)
  expect(await answered()).toEqual(others)
  expect(Object.keys(await statesOf(id))).not.toContain('none')
  await service.sql(`update link_hosts set next_at = now() where host = '${busy}'`)
  await service.wake()
  await until(async () => (await answered()).includes('none'), 60_000)
})

test('a search that leads to a host that wants to be left alone is asked again after a pause, not at once', async () => {
  const free = (host: string) => service.sql(`update link_hosts set next_at = now() where host = '${host}'`)
  const busy = new URL(elsewhere.url).host
  // The earlier products would be asked about, too.
  await service.sql(`update submissions set state = 'DONE'`)
  await service.sql(`insert into link_hosts (host, next_at) values ('${busy}', now() + interval '1 day')`)
  await service.load([{ kind: 'directory', slug: 'leads', name: 'Leads', searchLink: `${leads.url}/search?q={name}` }])
  const { id } = await newWork(service, partner, { website: 'https://led-away.example.com', name: 'Acme Writer' })
  await service.wake()
  const searches = () => leads.asked.filter((path) => path === SEARCH).length
  const host = new URL(leads.url).host
  const isPaused = async () =>
    (await service.sql(`select 1 from link_hosts where host = '${host}' and next_at > now() + interval '20 seconds'`))
      .length > 0
  await until(isPaused, 60_000)
  await service.wake()
  await letMistakesHappen()
  expect(searches()).toBe(1)
  expect(Object.keys(await statesOf(id))).not.toContain('leads')
  await free(busy)
  await free(host)
  await until(async () => {
    await service.wake()
    return (await statesOf(id)).leads === 'absent'
  }, 60_000)
  expect(searches()).toBe(2)
})

test('the address of a search has the name of the product once, after the host, and no reader sees it', async () => {
  const put = (searchLink: unknown) => service.admin('PUT', '/directories/d-0', { name: 'D', searchLink })
  for (const wrong of [
    'https://x.example.org/search',
    'https://{name}.example.org/',
    'https://x.example.org/{name}/{name}',
    'nothing',
  ])
    expect(await refused(put(wrong))).toContain('searchLink')
  expect((await put('https://x.example.org/search?q={name}')).body.data.searchLink).toBe(
    'https://x.example.org/search?q={name}',
  )
  expect((await service.rest('/directories/d-0')).text).not.toContain('{name}')
})
