// The badge that founders show on their own websites, and which the look at the website finds.
import { expect, test } from 'vitest'
import { claimNet } from '../harness/claims.ts'
import { lookSoon, newFounder, storeOwner } from '../harness/founders.ts'
import { until } from '../harness/process.ts'
import { startService } from '../harness/service.ts'
import { use } from '../harness/use.ts'

const net = use(claimNet)
const service = use(() =>
  startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', HEALTH_CHECKS: 'on' }, { hostNames: net.hostNames }),
)

const badge = (of: string) => `<img src="${service.origin}/badges/${of}.svg?theme=dark" alt="">`

test('the look at a website finds the badge, without a further request, until the website shows it no more', async () => {
  await service.load([
    { kind: 'tool', slug: 'shows', name: 'Shows', website: net.url('shows.example'), published: true },
  ])
  const founder = await newFounder(service)
  const [{ id }] = await service.sql(`select id from users where email = '${founder.email}'`)
  await storeOwner(service, id, 'shows')
  let asked: string[] = []
  const answer = (path: string, status: number, body: string, headers: Record<string, string> = {}) =>
    net.pages.set(`shows.example${path}`, (response) => {
      asked.push(path)
      response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
    })
  answer('/robots.txt', 404, '')
  net.pages.set('elsewhere.example/', `<h1>Elsewhere</h1>${badge('shows')}`)
  const looks: [string, boolean, () => unknown][] = [
    ['the badge of another listing', false, () => answer('/', 200, badge('another'))],
    ['its badge', true, () => answer('/', 200, `<h1>Shows</h1>${badge('shows')}`)],
    ['a failure', true, () => answer('/', 503, '')],
    ['its badge in a comment', false, () => answer('/', 200, `<h1>Shows</h1><!-- ${badge('shows')} -->`)],
    ['its badge again', true, () => answer('/', 200, `<h1>Shows</h1>${badge('shows')}`)],
    ['another site with the badge', false, () => answer('/', 302, '', { location: net.url('elsewhere.example') })],
  ]
  for (const [what, isShown, show] of looks) {
    show()
    asked = []
    await service.sql(`update listing_health set checked_at = '2026-01-01'`)
    await lookSoon(service, 'shows')
    await until(
      async () => (await service.sql(`select 1 from listing_health where checked_at > '2026-01-01'`)).length > 0,
    )
    await service.settled()
    for (const path of ['/tools/shows', '/dashboard/products/shows'])
      expect([what, path, (await founder.open(path)).text.includes('Badge shown')]).toEqual([what, path, isShown])
    expect([what, asked.filter((path) => path !== '/robots.txt')]).toEqual([what, ['/']])
  }
})
