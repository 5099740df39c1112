// What the users of a partner see, and that they see nothing of another partner.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { type Browser, formIn, signedUp, userNamed } from '../harness/browser.ts'
import { expectSound } from '../harness/html.ts'
import { until } from '../harness/process.ts'
import { SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

interface PartnerSide {
  id: string
  key: string
  person: Browser & { email: string }
  tool: { id: string; slug: string; name: string }
}

let sides: [PartnerSide, PartnerSide]
const SHARED = 'https://both-have-it.example.com'

const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  sides = [await newSide('zqalpha'), await newSide('zqbravo')]
})

async function newSide(mark: string): Promise<PartnerSide> {
  const { id, key } = await service.newPartner({
    name: `Partner ${mark}`,
    webhookUrl: `https://${mark}.example.com/hook`,
  })
  const tool = await submitted(service, key, {
    name: `Tool ${mark}`,
    website: `https://${mark}-tool.example.com`,
    paymentType: 'starter',
  })
  await submitted(service, key, { name: 'Shared', website: SHARED, paymentType: 'pro' })
  const [shared, own] = (await service.admin('GET', `/submissions?client=${id}`)).body.data
  for (const submission of [shared, own]) {
    await service.admin('PATCH', `/submissions/${submission.id}`, { notes: `notes of ${mark}` })
    await service.admin('PUT', `/submissions/${submission.id}/directories/peak`, {
      isSubmitted: true,
      listingUrl: `https://peak.example.org/${mark}`,
    })
  }
  await service.admin('POST', `/submissions/${own.id}/done`, {})
  const person = await signedUp(service)
  const user = await userNamed(service, person.email)
  await service.admin('PATCH', `/users/${user.id}`, { partner: id })
  return { id, key, person, tool }
}

describe("the submissions on the partner's dashboard", () => {
  test('are listed with state and progress, and each has a page with its directories', async () => {
    const [{ person, tool }] = sides
    const list = await person.open('/dashboard/partner')
    await expectSound(list.text)
    expect(list.text).toContain('Tool zqalpha')
    expect(list.text).toContain('1 of 30')
    expect(list.text).toContain('Done')
    const page = await person.open(`/dashboard/partner/submissions/${tool.slug}`)
    await expectSound(page.text)
    expect(page.text).toContain('notes of zqalpha')
    expect(page.text).toContain('https://peak.example.org/zqalpha')
    expect(page.text).toContain('<dd>Starter</dd>')
  })

  test('say which of the sent pictures cannot be used, only to the partner that sent them', async () => {
    const website = 'https://pictures.example.com'
    const [mine, theirs] = sides
    const { id, slug } = await submitted(service, mine.key, { name: 'Pictured', website })
    await submitted(service, theirs.key, { name: 'Pictured', website })
    const parts = [
      {
        part: 'icon',
        outcome: 'replaced',
        note: 'The given address answered 404. The picture of the site is shown instead.',
      },
      { part: 'frame', outcome: 'found', note: '' },
      { part: 'screenshots.1', outcome: 'dropped', note: 'The given address is no picture.' },
    ]
    // The test waits for the first enrichment, and a later one finds this row done.
    const attempted = `select 1 from enrichments where tool_id = '${id}' and json_array_length(parts) > 0`
    await until(async () => (await service.sql(attempted)).length === 1, 20_000)
    await service.sql(
      `update enrichments set state = 'done', parts = '${JSON.stringify(parts)}' where tool_id = '${id}'`,
    )
    const page = await mine.person.open(`/dashboard/partner/submissions/${slug}`)
    await expectSound(page.text)
    expect(page.text).toContain('Icon: The given address answered 404. The picture of the site is shown instead.')
    expect(page.text).toContain('Screenshot 2: The given address is no picture. It is not shown.')
    expect(page.text).not.toContain('Main screenshot')
    const other = await theirs.person.open(`/dashboard/partner/submissions/${slug}`)
    expect(other.status).toBe(200)
    expect(other.text).not.toContain('given address')
  })

  test('submissions of another partner are not shown, even if both submitted the same site', async () => {
    const [mine, theirs] = sides
    for (const path of [
      '/dashboard/partner',
      '/dashboard/partner/webhooks',
      '/dashboard/partner/submissions/shared',
      '/dashboard/account',
    ])
      expect((await mine.person.open(path)).text).not.toContain('zqbravo')
    const foreign = await mine.person.open(`/dashboard/partner/submissions/${theirs.tool.slug}`)
    const unknown = await mine.person.open('/dashboard/partner/submissions/no-such')
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    expect(foreign.text.replaceAll(theirs.tool.slug, 'x')).toBe(unknown.text.replaceAll('no-such', 'x'))
  })
})

describe("the webhooks on the partner's dashboard", () => {
  test('show the address and the deliveries of that partner', async () => {
    const [{ person }] = sides
    const page = await person.open('/dashboard/partner/webhooks')
    await expectSound(page.text)
    expect(page.text.replaceAll('<wbr>', '')).toContain('https://zqalpha.example.com/hook')
    expect(page.text).toContain('directory_submissions.completed')
  })

  test('have a secret that is replaced after a confirmation and shown once; the other partner keeps its own', async () => {
    const [{ person, id }, other] = sides
    const page = '/dashboard/partner/secret'
    await expectSound((await person.open(page)).text)
    let secret = ''
    const rows = await audited(service, async () => {
      const reply = await person.submit(page, page)
      await expectSound(reply.text)
      secret = /whsec_[\w+/=]+/.exec(reply.text)![0]
    })
    expect(rows).toMatchObject([{ actor: person.email, action: 'partner.rotate-secret', subject: `partner:${id}` }])
    for (const path of [page, '/dashboard/partner/webhooks', '/dashboard'])
      expect((await person.open(path)).text).not.toContain('whsec_')
    expect(JSON.stringify(service.logged)).not.toContain(secret)
    expect((await service.admin('GET', '/audit?limit=1000')).text).not.toContain(secret)
    expect((await other.person.open('/dashboard/partner')).status).toBe(200)
  })
})

describe("the keys on the partner's dashboard", () => {
  const PARTNER_KEYS = '/dashboard/partner/keys'
  const keysOf = async (id: string) => (await service.admin('GET', `/keys?partner=${id}&live=true`)).body.data

  test('are listed, and a test key is made, works in the sandbox alone, and is revoked', async () => {
    const [{ id, person, key }] = sides
    const before = (await person.open('/dashboard')).text
    expect(before).toContain(`…${key.slice(-4)}`)
    expect(before).not.toContain('No key yet')
    let made = { status: 0, text: '' }
    const rows = await audited(service, async () => {
      made = await person.submit('/dashboard', PARTNER_KEYS)
    })
    expect(rows).toMatchObject([{ action: 'key.create', actor: person.email, details: { partner: id, test: true } }])
    expect(made.status).toBe(201)
    await expectSound(made.text)
    const [testKey] = /aid_test_\w+/.exec(made.text)!
    expect((await service.rest('/me', { key: testKey })).body.data).toMatchObject({ kind: 'test', partner: { id } })
    const page = (await person.open('/dashboard')).text
    expect(page).toContain(`…${testKey.slice(-4)}`)
    expect(page).not.toContain(testKey)
    const { id: keyId } = (await keysOf(id)).find(({ test }: any) => test)
    expect((await person.submit('/dashboard', `${PARTNER_KEYS}/${keyId}/revoke`)).status).toBe(303)
    expect((await service.rest('/me', { key: testKey })).status).toBe(401)
  })

  test('are no live keys, none of another partner, and none for users without a partner', async () => {
    const [mine, theirs] = sides
    const [live] = await keysOf(mine.id)
    await theirs.person.submit('/dashboard', PARTNER_KEYS)
    const theirTest = (await keysOf(theirs.id)).find(({ test }: any) => test)
    const token = formIn((await mine.person.open('/dashboard')).text, PARTNER_KEYS)!
    for (const { id } of [live, theirTest])
      expect((await mine.person.post(`${PARTNER_KEYS}/${id}/revoke`, token)).status).toBe(404)
    expect((await keysOf(mine.id)).map(({ id }: any) => id)).toContain(live.id)
    expect((await keysOf(theirs.id)).map(({ id }: any) => id)).toContain(theirTest.id)
    const person = await signedUp(service)
    const page = (await person.open('/dashboard')).text
    expect(page).not.toContain(PARTNER_KEYS)
    expect((await person.post(PARTNER_KEYS, formIn(page, '/dashboard/keys')!)).status).toBe(403)
  })
})

describe('a user who no longer belongs to the partner', () => {
  test('sees nothing of it from then on, and neither does a user of a banned partner', async () => {
    const [, { person, id }] = sides
    const user = await userNamed(service, person.email)
    await service.admin('PATCH', `/users/${user.id}`, { partner: null })
    expect((await person.open('/dashboard/partner')).status).toBe(403)
    await service.admin('PATCH', `/users/${user.id}`, { partner: id })
    expect((await person.open('/dashboard/partner')).status).toBe(200)
    await service.admin('PATCH', `/partners/${id}`, { banned: true })
    expect((await person.open('/dashboard/partner')).status).toBe(403)
    await service.admin('PATCH', `/partners/${id}`, { banned: false })
  })
})

test('long lists have pages, and the last entry can be opened', async () => {
  const { id, key } = await service.newPartner({ support: 'human' })
  const person = await signedUp(service)
  const user = await userNamed(service, person.email)
  await service.admin('PATCH', `/users/${user.id}`, { partner: id })
  for (let i = 0; i < 51; i++)
    expect(
      (await service.rest('/support/ask', { method: 'POST', key, body: { question: `Question ${i}.` } })).status,
    ).toBe(200)
  const first = await person.open('/dashboard/partner/support')
  expect(first.text).toContain('Question 50.')
  expect(first.text).not.toContain('Question 0.')
  expect(first.text).toContain('href="/dashboard/partner/support?page=2"')
  await expectSound(first.text)
  const second = await person.open('/dashboard/partner/support?page=2')
  expect(second.text).toContain('Question 0.')
  expect(second.text).not.toContain('rel="next"')
})
