// The list of all pages is complete. On every page for signed-in users axe finds no violation, nothing scrolls horizontally, and the page
// requests nothing from other hosts.
import { beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../harness/chromium.ts'
import { inspect } from '../harness/inspect.ts'
import { type PopulatedService, populateService } from '../harness/page-list.ts'
import { servedRoutes } from '../harness/routes.ts'
import { use, useService } from '../harness/use.ts'

let populated: PopulatedService
const service = useService()
beforeAll(async () => {
  populated = await populateService(service)
})
const browser = use(launchChromium)

/** Addresses for programs, and three that only redirect. */
const NO_PAGE =
  /^\/(api|mcp|assets|media|share|badges|sitemaps|feeds|\.well-known)(\/|$)|\.(txt|xml|csv|ics|tgz|json|png|svg|webmanifest)$|^\/search\/suggestions$|^\/(healthz|readyz|metrics|signed-in)$|^\/tools\/:slug\/(visit|claim\/check)$|^\/sign-in\/callback\/|^\/admin\/(import|unfound)\/export(-table)?$|^\/admin\/submissions\/:id\/records$|^\/dashboard\/account\/export$/

test('every page that the server serves is in the list', async () => {
  const listed = Object.values(populated.pages)
    .flat()
    .map((address) => address.split('?')[0]!)
  const served = (await servedRoutes()).filter(({ method, path }) => method === 'GET' && !NO_PAGE.test(path))
  const matches = (path: string) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
  expect(served.length).toBeGreaterThan(20)
  expect(
    served.map(({ path }) => path).filter((path) => !listed.some((address) => matches(path).test(address))),
  ).toEqual([])
})

test('every page of the list opens for the users who may open it', async () => {
  const { pages, newUser, partnerUser, administrator } = populated
  const statuses: [string, number][] = []
  const look = async (path: string, open: (path: string) => Promise<{ status: number }>) =>
    statuses.push([path, (await open(path)).status])
  for (const path of pages.visitor) await look(path, (path) => service.fetch(path))
  for (const path of pages.newUser) await look(path, newUser.open)
  for (const path of pages.partnerUser) await look(path, partnerUser.open)
  for (const path of pages.administrator) await look(path, administrator.open)
  expect(statuses.filter(([, status]) => status !== 200)).toEqual([
    ['/link?token=spent', 410],
    ['/no-such-page', 404],
    // Redirects to the first of its lists.
    ['/admin/taxonomy', 303],
  ])
})

const isSound = async (who: 'newUser' | 'partnerUser' | 'administrator') => {
  const { pages, [who]: person } = populated
  expect(await inspect(browser, service.origin, pages[who], { cookies: person.cookies })).toEqual([])
}

test.each([
  ['a user who has just signed up', 'newUser'],
  ['a user of a partner', 'partnerUser'],
] as const)(
  'every page for %s is valid in light and dark mode, on a desktop and on a phone',
  { timeout: 300_000 },
  (_who, who) => isSound(who),
)

// The console has so many pages that this takes minutes: npm run test:browser.
test(
  'every page for an administrator is valid in light and dark mode, on a desktop and on a phone',
  { timeout: 300_000, tags: 'long' },
  () => isSound('administrator'),
)
