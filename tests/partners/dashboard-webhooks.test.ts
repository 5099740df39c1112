// The people of a partner look after its webhooks themselves, and reach nothing of another partner.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { checkSignatures } from '../../src/features/webhooks/delivery/signature.rules.ts'
import { audited } from '../harness/audit.ts'
import { type Browser, formIn, signedUp, userNamed } from '../harness/browser.ts'
import { deliveriesOf, markDone, outcomesOf, submitTool, type WebhookPartner } from '../harness/done-work.ts'
import { expectSound } from '../harness/html.ts'
import { until } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newTestKey } from '../harness/sandbox.ts'
import { startService } from '../harness/service.ts'
import { SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { use, useService } from '../harness/use.ts'

const WEBHOOKS = '/dashboard/partner/webhooks'
const SETTINGS = `${WEBHOOKS}/settings`
const SECRET = '/dashboard/partner/secret'

const receiver = use(() =>
  startReceiver({
    '/500': (response) => response.writeHead(500).end('<b>broken</b> zqanswer'),
  }),
)
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.1/32', SANDBOX_STEP_SECONDS: '0.2' })
beforeAll(() => service.load(SUBMISSION_CATALOG))

type Person = Browser & { email: string }

async function personOf(partner: { id: string }): Promise<Person> {
  const person = await signedUp(service)
  const { id } = await userNamed(service, person.email)
  await service.admin('PATCH', `/users/${id}`, { partner: partner.id })
  return person
}

let serial = 0
async function newSide(path = `/own-${++serial}`, support = 'off') {
  const given = { webhookUrl: receiver.origin + path, support }
  const partner = (await service.newPartner(given)) as WebhookPartner
  return { partner, path, person: await personOf(partner) }
}

const partnerOf = async ({ id }: { id: string }) => (await service.admin('GET', `/partners/${id}`)).body.data

describe('the webhook address and the events', () => {
  test('are set by the people of the partner, with an entry in the audit log that names them', async () => {
    const partner = (await service.newPartner()) as WebhookPartner
    const person = await personOf(partner)
    const before = await person.open(WEBHOOKS)
    await expectSound(before.text)
    expect(before.text).toContain('None is set, so nothing is sent.')
    expect(formIn(before.text, `${WEBHOOKS}/test`)).toBeNull()
    await expectSound((await person.open(SETTINGS)).text)
    const webhookUrl = `${receiver.origin}/mine`
    const rows = await audited(service, async () => {
      const reply = await person.submit(SETTINGS, SETTINGS, { webhookUrl, 'wants-submission-progress': 'true' })
      expect([reply.status, reply.headers.get('location')]).toEqual([303, WEBHOOKS])
    })
    expect(rows).toMatchObject([
      {
        actor: person.email,
        action: 'partner.change',
        subject: `partner:${partner.id}`,
        details: { webhookUrl, events: ['submission.progress'] },
      },
    ])
    expect(await partnerOf(partner)).toMatchObject({ webhookUrl, events: ['submission.progress'], version: 2 })
    const after = await person.open(SETTINGS)
    expect(after.text).toMatch(/name="wants-submission-progress"[^>]*checked/)
    expect(after.text).not.toMatch(/name="wants-listing-lost"[^>]*checked/)
    // The same once more changes nothing.
    expect(
      await audited(service, () =>
        person.submit(SETTINGS, SETTINGS, { webhookUrl, 'wants-submission-progress': 'true' }),
      ),
    ).toEqual([])
    await person.submit(SETTINGS, SETTINGS, { webhookUrl: '' })
    expect(await partnerOf(partner)).toMatchObject({ webhookUrl: null, events: [] })
  })

  test('have the checks of the operator API: no address of a private network, only https outside', async () => {
    const { partner, person } = await newSide()
    const stored = await partnerOf(partner)
    for (const webhookUrl of [
      ...['http://example.com/hook', 'https://10.0.0.1/', 'https://169.254.169.254/latest/meta-data', 'https://[::1]/'],
      ...['http://127.0.0.2/', 'https://user:pass@example.com/', 'javascript:alert(1)', 'x'],
      ...['https://192.168.1.1/', 'https://printer.local/', 'https://[::ffff:10.0.0.1]/'],
    ]) {
      const reply = await person.submit(SETTINGS, SETTINGS, { webhookUrl })
      expect([webhookUrl, reply.status]).toEqual([webhookUrl, 400])
      expect(reply.text).toContain('aria-invalid="true"')
      await expectSound(reply.text)
    }
    expect(await partnerOf(partner)).toEqual(stored)
  })
})

test('of two people who change the settings at once, the second gets a conflict that says so', async () => {
  const { partner, person } = await newSide()
  const other = await personOf(partner)
  const version = formIn((await other.open(SETTINGS)).text, SETTINGS)!.version!
  const [mine, theirs] = [`${receiver.origin}/mine`, `${receiver.origin}/theirs`]
  expect((await person.submit(SETTINGS, SETTINGS, { webhookUrl: mine })).status).toBe(303)
  const reply = await other.submit(SETTINGS, SETTINGS, { webhookUrl: theirs, version })
  expect(reply.status).toBe(409)
  await expectSound(reply.text)
  expect(reply.text).toContain('was changed by another person')
  // What was typed stays, what is stored is shown, and no name of an account is told.
  expect([reply.text.includes(theirs), reply.text.includes(mine), reply.text.includes(person.email)]).toEqual([
    true,
    true,
    false,
  ])
  expect((await partnerOf(partner)).webhookUrl).toBe(mine)
  const next = formIn(reply.text, SETTINGS)!.version!
  expect((await other.submit(SETTINGS, SETTINGS, { webhookUrl: theirs, version: next })).status).toBe(303)
  expect((await partnerOf(partner)).webhookUrl).toBe(theirs)
})

test('deliveries of test keys have a view of their own, and only the own ones', async () => {
  const [{ partner, person }, stranger] = [await newSide(), await newSide()]
  const testKey = await newTestKey(service, partner.id)
  await submitted(service, testKey, { paymentType: 'starter', name: 'Zqtested' })
  const tests = `${WEBHOOKS}?test=true`
  await until(async () => (await person.open(tests)).text.includes('directory_submissions.completed'), 10_000)
  const shown = (await person.open(tests)).text
  await expectSound(shown)
  const id = new RegExp(`${WEBHOOKS}/([\\w-]{36})`).exec(shown)![1]!
  expect((await person.open(WEBHOOKS)).text).not.toContain(id)
  const page = await person.open(`${WEBHOOKS}/${id}`)
  await expectSound(page.text)
  expect(page.text).toContain('Zqtested')
  expect((await stranger.person.open(tests)).text).not.toContain(id)
  expect((await stranger.person.open(`${WEBHOOKS}/${id}`)).status).toBe(404)
})

describe('deliveries', () => {
  test('are shown with what was sent and answered, and what failed can be sent again once', async () => {
    const { partner, person } = await newSide('/500')
    await markDone(service, await submitTool(service, partner, { name: 'Zqtool' }))
    const [failed] = await outcomesOf(service, partner)
    const page = `${WEBHOOKS}/${failed!.id}`
    expect((await person.open(WEBHOOKS)).text).toContain(`href="${page}"`)
    const shown = await person.open(page)
    await expectSound(shown.text, ['<b>broken'])
    for (const part of ['Zqtool', 'zqanswer', 'The receiver answered 500.', failed!.eventId])
      expect(shown.text).toContain(part)
    await person.submit(SETTINGS, SETTINGS, { webhookUrl: `${receiver.origin}/repaired` })
    const action = `${page}/resend`
    let location = ''
    const rows = await audited(service, async () => {
      const reply = await person.submit(page, action)
      location = reply.headers.get('location')!
      expect(reply.status).toBe(303)
    })
    expect(rows).toMatchObject([{ actor: person.email, action: 'webhook.resend', subject: `webhook:${failed!.id}` }])
    const [again] = await outcomesOf(service, partner, 2)
    expect([location, again]).toMatchObject([
      `${WEBHOOKS}/${again!.id}`,
      { state: 'delivered', eventId: failed!.eventId },
    ])
    expect(receiver.at('/repaired')[0]!.body.equals(receiver.at('/500').at(-1)!.body)).toBe(true)
    // Neither the old one nor the one that arrived can be sent again.
    for (const id of [failed!.id, again!.id]) {
      expect(formIn((await person.open(`${WEBHOOKS}/${id}`)).text, `${WEBHOOKS}/${id}/resend`)).toBeNull()
      const { token } = formIn((await person.open(SETTINGS)).text, SETTINGS)!
      const refused = await person.post(`${WEBHOOKS}/${id}/resend`, { token: token! })
      expect([refused.status, refused.headers.get('location')]).toEqual([303, `${WEBHOOKS}/${id}`])
    }
    expect(await deliveriesOf(service, partner)).toHaveLength(2)
  })

  test('an unknown one is sent again after a confirmation, and two people at once send it once', async () => {
    const { partner, person } = await newSide('/500')
    const colleague = await personOf(partner)
    await markDone(service, await submitTool(service, partner))
    const { id } = (await outcomesOf(service, partner))[0]!
    await service.sql(`update webhook_deliveries set state = 'unknown' where id = '${id}'`)
    const page = `${WEBHOOKS}/${id}`
    expect((await person.open(page)).text).toContain('It may have arrived.')
    // Both have the page open before either presses the button.
    const forms = await Promise.all(
      [person, colleague].map(async (one) => ({ one, form: formIn((await one.open(page)).text, `${page}/resend`)! })),
    )
    await Promise.all(forms.map(({ one, form }) => one.post(`${page}/resend`, form)))
    expect(await deliveriesOf(service, partner)).toHaveLength(2)
  })

  test('of another partner are not found, in any way', async () => {
    const [mine, theirs] = [await newSide('/500'), await newSide('/500')]
    await markDone(service, await submitTool(service, theirs.partner, { name: 'Zqsecret' }))
    const [foreign] = await outcomesOf(service, theirs.partner)
    const { token } = formIn((await mine.person.open(SETTINGS)).text, SETTINGS)!
    const of = (id: string) => [
      () => mine.person.open(`${WEBHOOKS}/${id}`),
      () => mine.person.post(`${WEBHOOKS}/${id}/resend`, { token: token! }),
    ]
    for (const [look, ask] of of(foreign!.id).map((one, i) => [one, of('no-such')[i]!] as const)) {
      const [found, unknown] = [await look(), await ask()]
      expect([found.status, unknown.status]).toEqual([404, 404])
      expect(found.text.replaceAll(foreign!.id, 'x')).toBe(unknown.text.replaceAll('no-such', 'x'))
      expect(found.text).not.toContain('Zqsecret')
    }
    expect(await deliveriesOf(service, theirs.partner)).toHaveLength(1)
    // Fields that name the other partner change nothing of it.
    const stored = await partnerOf(theirs.partner)
    const fields = { token: token!, id: theirs.partner.id, clientId: theirs.partner.id, partner: theirs.partner.id }
    await mine.person.post(SETTINGS, { ...fields, webhookUrl: `${receiver.origin}/taken` })
    await mine.person.post(SECRET, fields)
    await mine.person.post(`${WEBHOOKS}/test`, fields)
    expect(await partnerOf(theirs.partner)).toEqual(stored)
    expect(await deliveriesOf(service, theirs.partner)).toHaveLength(1)
    expect((await partnerOf(mine.partner)).webhookUrl).toBe(`${receiver.origin}/taken`)
  })
})

describe('a test event', () => {
  test('is sent with a button, and the next page says what came of it', async () => {
    const { partner, person, path } = await newSide()
    const action = `${WEBHOOKS}/test`
    const sent = await person.submit(WEBHOOKS, action)
    const [delivery] = await deliveriesOf(service, partner)
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `${WEBHOOKS}/${delivery!.id}`])
    const page = await person.open(`${WEBHOOKS}/${delivery!.id}`)
    await expectSound(page.text)
    expect(page.text).toContain('The test event arrived: the receiver answered 200.')
    expect(receiver.at(path)).toHaveLength(1)
    // A second one at once is refused, whichever of the partner's people asks.
    const colleague = await personOf(partner)
    await service.sql(`update webhook_deliveries set created_at = now() where partner_id = '${partner.id}'`)
    const soon = await colleague.submit(WEBHOOKS, action)
    expect([soon.status, soon.headers.get('location')]).toEqual([303, WEBHOOKS])
    expect(receiver.at(path)).toHaveLength(1)
  })

  test('that fails says why', async () => {
    const { person } = await newSide('/500')
    const sent = await person.submit(WEBHOOKS, `${WEBHOOKS}/test`)
    expect((await person.open(sent.headers.get('location')!)).text).toContain(
      'The test event did not arrive. The receiver answered 500.',
    )
  })
})

describe('the signing secret', () => {
  test('is replaced with the chosen overlap, and shown once', async () => {
    const { partner, person, path } = await newSide()
    await expectSound((await person.open(SECRET)).text)
    const shown = await person.submit(SECRET, SECRET, { overlapHours: '72' })
    await expectSound(shown.text)
    const secret = /whsec_[\w+/=]+/.exec(shown.text)![0]
    await person.submit(WEBHOOKS, `${WEBHOOKS}/test`)
    const [{ headers, body }] = receiver.at(path) as [any]
    expect(checkSignatures(secret, headers, body)).toEqual({ catalog: 'right', standard: 'right' })
    expect(checkSignatures(partner.webhookSecret, headers, body)).toEqual({ catalog: 'wrong', standard: 'right' })
    for (const page of [WEBHOOKS, SETTINGS, SECRET, '/dashboard'])
      expect((await person.open(page)).text).not.toContain('whsec_')
    const seen = JSON.stringify(service.logged) + (await service.admin('GET', '/audit?limit=1000')).text
    expect(seen).not.toContain(secret.slice(6))
    const wrong = await person.submit(SECRET, SECRET, { overlapHours: '1000' })
    expect([wrong.status, wrong.headers.get('location')]).toEqual([303, SECRET])
  })
})

test('what people do with webhooks has a budget', async () => {
  const limited = await startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.1/32', RATE_LIMIT_SCALE: '1' })
  try {
    const partner = await limited.newPartner()
    const person = await signedUp(limited)
    const { id } = await userNamed(limited, person.email)
    await limited.admin('PATCH', `/users/${id}`, { partner: partner.id })
    const { token } = formIn((await person.open(SETTINGS)).text, SETTINGS)!
    const statuses: number[] = []
    for (let i = 0; i < 21; i++)
      statuses.push((await person.post(SETTINGS, { token: token!, webhookUrl: `${receiver.origin}/${i}` })).status)
    expect(statuses).toEqual([...Array(20).fill(303), 429])
  } finally {
    await limited.close()
  }
})

test('users of no partner and people who no longer work for one reach none of it', async () => {
  const { partner, person } = await newSide()
  const stored = await partnerOf(partner)
  const { id } = await userNamed(service, person.email)
  await service.admin('PATCH', `/users/${id}`, { partner: null })
  const { token } = formIn((await person.open('/dashboard')).text, '/dashboard/keys')!
  for (const page of [WEBHOOKS, SETTINGS, SECRET, `${WEBHOOKS}/x`])
    expect([page, (await person.open(page)).status]).toEqual([page, 403])
  for (const path of [SETTINGS, SECRET, `${WEBHOOKS}/test`, `${WEBHOOKS}/x/resend`])
    expect([path, (await person.post(path, { token: token! })).status]).toEqual([path, 403])
  expect([await partnerOf(partner), await deliveriesOf(service, partner)]).toEqual([stored, []])
})

test('a form without the token of the session changes nothing', async () => {
  const { partner, person } = await newSide()
  const stored = await partnerOf(partner)
  for (const path of [SETTINGS, SECRET, `${WEBHOOKS}/test`])
    expect([path, (await person.post(path, { webhookUrl: 'https://evil.example.com/' })).status]).toEqual([path, 403])
  expect([await partnerOf(partner), await deliveriesOf(service, partner)]).toEqual([stored, []])
})
