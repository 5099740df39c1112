// A submission waits for an administrator when a listing of its host was taken down. These tests cover the console and the partner's
// dashboard.
// @module-tag slow
import { beforeAll, expect, test } from 'vitest'
import { type Browser, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { expectSound } from '../harness/html.ts'
import { SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }
let partnerUser: Browser & { email: string }
let partner: { id: string; key: string }
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  admin = await signedUpAdmin(service)
  partner = await service.newPartner({ name: 'Launcher' })
  partnerUser = await signedUp(service)
  await service.admin('PATCH', `/users/${(await userNamed(service, partnerUser.email)).id}`, { partner: partner.id })
  const { slug } = await submitted(service, partner.key, { name: 'Zqbad', website: 'https://host.example' })
  await service.admin('PATCH', `/tools/${slug}`, { published: false })
})

let serial = 0
const submitWaiting = () =>
  submitted(service, partner.key, { name: `Zqwaits ${++serial}`, website: `https://host.example/${serial}` })
const isPublic = async (slug: string) => {
  await service.settled()
  return (await service.rest(`/tools/${slug}`)).status === 200
}

/** Presses the button that publishes a listing, on the given page. */
async function publishOn(path: string, slug: string) {
  await expectSound((await admin.open(path)).text)
  return admin.submit(path, `/admin/tools/${slug}/change`)
}

test('a waiting listing is on the first page of the console, in the list and on its submission, each with a button that publishes it', async () => {
  const [home, list, work] = [await submitWaiting(), await submitWaiting(), await submitWaiting()]
  expect((await service.admin('GET', '/overview')).body.data.listingsToReview).toBe(3)
  const { text } = await admin.open('/admin')
  expect(text).toContain('Listings to review')
  expect(text).toContain('/admin/tools?hiddenReason=review')
  expect((await admin.open('/admin/tools?hiddenReason=review')).text).toContain('Awaiting review')
  expect((await admin.open('/admin/tools?hiddenReason=taken-down')).text).toContain('Zqbad')
  const { data } = (await service.admin('GET', '/submissions')).body
  const submission = data.find((item: any) => item.toolId === work.id).id
  for (const [path, { slug }] of [
    ['/admin', home],
    ['/admin/tools?hiddenReason=review', list],
    [`/admin/submissions/${submission}`, work],
  ] as const) {
    const sent = await publishOn(path, slug)
    expect([sent.status, sent.headers.get('location')]).toEqual([303, path])
    expect(await isPublic(slug)).toBe(true)
  }
  expect((await service.admin('GET', '/overview')).body.data.listingsToReview).toBeUndefined()
  expect((await admin.open('/admin')).text).not.toContain('Listings to review')
})

test('an administrator can take a waiting listing down on its own page', async () => {
  const { slug } = await submitWaiting()
  const page = await admin.open(`/admin/tools/${slug}`)
  await expectSound(page.text)
  expect(page.text).toContain('Take down')
  expect(page.text).toContain('a listing of its host was taken down')
  await service.admin('PATCH', `/tools/${slug}`, { published: false })
  const after = await admin.open(`/admin/tools/${slug}`)
  expect(after.text).toContain('Taken down')
  expect(after.text).not.toContain('Take down')
})

test('publishing ignores a return address on another site', async () => {
  const { slug } = await submitWaiting()
  const sent = await admin.submit(`/admin/tools/${slug}`, `/admin/tools/${slug}/change`, {
    back: 'https://evil.example/',
  })
  expect(sent.headers.get('location')).toBe(`/admin/tools/${slug}`)
})

test('the users of a partner see in the dashboard whether readers see their listings', async () => {
  const { slug } = await submitWaiting()
  const list = await partnerUser.open('/dashboard/partner')
  await expectSound(list.text)
  expect(list.text).toContain('Awaiting review')
  expect(list.text).toContain('Not public')
  const page = await partnerUser.open(`/dashboard/partner/submissions/${slug}`)
  await expectSound(page.text)
  expect(page.text).toContain('it waits for an administrator to look at it')
  expect(page.text).not.toContain(`href="/tools/${slug}"`)
  await service.admin('PATCH', `/tools/${slug}`, { published: true })
  expect((await partnerUser.open(`/dashboard/partner/submissions/${slug}`)).text).toContain(`href="/tools/${slug}"`)
})

test('tags that readers do not see are marked as such, also after an edit, and an administrator can make them public', async () => {
  const { slug } = await submitted(service, partner.key, { tags: ['Zq Spam'] })
  await service.admin('PATCH', `/tools/${slug}`, { published: false })
  const list = await admin.open('/admin/taxonomy/tags')
  await expectSound(list.text)
  expect(list.text).toContain('Not shown')
  const shown = async () => (await service.admin('GET', '/tags/zq-spam')).body.data.shown
  const save = async (more: Record<string, string>) => {
    const page = await admin.open('/admin/taxonomy/tags/zq-spam')
    await expectSound(page.text)
    return admin.submit('/admin/taxonomy/tags/zq-spam', '/admin/taxonomy/tags/zq-spam', more)
  }
  expect((await save({ name: 'Zq Renamed' })).status).toBe(303)
  expect(await shown()).toBe(false)
  expect((await save({ name: 'Zq Renamed', keep: 'true' })).status).toBe(303)
  expect(await shown()).toBe(true)
})

test('the button publishes the listing that the administrator saw, not another one that got its slug meanwhile', async () => {
  const other = await service.newPartner({ name: 'Other' })
  const { slug, id } = await submitWaiting()
  const { text } = await admin.open('/admin')
  expect(text).toContain(id)
  const spam = await submitted(service, other.key, { slug, name: 'Spam', website: 'https://host.example/spam' })
  expect(spam.slug).toBe(slug)
  const token = /name="token" value="([^"]+)"/.exec(text)![1]!
  const sent = await admin.post(`/admin/tools/${slug}/change`, { token, id, published: 'true', back: '/admin' })
  expect(sent.status).toBe(303)
  expect((await admin.open(sent.headers.get('location')!)).text).toContain(`is ${slug}-2 now`)
  expect([await isPublic(slug), await isPublic(`${slug}-2`)]).toEqual([false, false])
})
