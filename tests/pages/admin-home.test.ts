// The console: pending work, the delivery log and enrichments.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { expectForAdministrators, expectRefused, HOSTILE_TEXT } from '../harness/console.ts'
import { deliveriesOf, markDone, outcomesOf, submitTool, type WebhookPartner } from '../harness/done-work.ts'
import { expectSound } from '../harness/html.ts'
import { SUBMISSION_CATALOG } from '../harness/submissions.ts'
import * as support from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }
let partner: WebhookPartner
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  admin = await signedUpAdmin(service)
  // No server listens at this address.
  partner = (await service.newPartner({
    name: `Deaf ${HOSTILE_TEXT}`,
    webhookUrl: 'http://127.0.0.1:9/hook',
    support: 'human',
  })) as WebhookPartner
})

const overview = async () => (await service.admin('GET', '/overview')).body.data
const makeEnrichmentFail = (toolId: string) =>
  service.sql(
    `update enrichments set state = 'failed', attempts = 4, finished_at = now(),
     parts = '[{"part":"icon","outcome":"unreachable","note":"<img src=x onerror=alert(1)>"}]' where tool_id = '${toolId}'`,
  )

describe('the first page of the console', () => {
  test('counts pending work and links to it', async () => {
    expect(await overview()).toMatchObject({ submissions: { IN_QUEUE: 0 }, pendingConversations: 0, openWebhooks: 0 })
    const toolId = await submitTool(service, partner, { name: 'Zqqueued' })
    await submitTool(service, partner, { name: 'Zqwaiting', paymentType: undefined })
    await support.asked(service, partner.key, HOSTILE_TEXT)
    await makeEnrichmentFail(toolId)
    const done = await submitTool(service, partner, { name: 'Zqdone' })
    await markDone(service, done)
    await outcomesOf(service, partner)
    expect(await overview()).toEqual({
      submissions: { WAITING: 1, IN_QUEUE: 1, ASSIGNED: 0, IN_PROGRESS: 0, REVIEW: 0, DONE: 1 },
      pendingConversations: 1,
      openWebhooks: 1,
      failedEnrichments: 1,
      brokenRows: 0,
      unheldKeys: 0,
    })
    await expectForAdministrators(service, admin, ['/admin'])
    const { text } = await admin.open('/admin')
    for (const name of ['Zqqueued', 'Zqwaiting']) expect(text).toContain(name)
    for (const [, href] of text.matchAll(/href="(\/admin\/[^"]*)"/g)) {
      const path = href!.replaceAll('&amp;', '&')
      if (!/^\/admin\/(submissions|support|webhooks|enrichments)/.test(path)) continue
      const page = await admin.open(path)
      expect([path, page.status]).toEqual([path, 200])
      await expectSound(page.text, ['<img src=x onerror'])
    }
  })
})

test('proposals that wait are on the first page and in the menu; the form that decides is shown only where one waits', async () => {
  const empty = await admin.open('/admin/proposals')
  expect(empty.text).toContain('Nothing was proposed yet')
  expect(empty.text).not.toContain('Accept the chosen')
  const toolId = await submitTool(service, partner, { name: 'Zqproposed' })
  await service.sql(`insert into proposals (id, tool_id, author_kind, author_id, field, old_value, new_value, state, reason, created_at)
    values ('zq-waiting', '${toolId}', 'partner', '${partner.id}', 'tagline', '"Before"', '"After"', 'waiting', '', now())`)
  expect((await service.admin('GET', '/overview/waiting')).body.data.proposals).toBe(1)
  const { text } = await admin.open('/admin')
  await expectSound(text, ['<img src=x onerror'])
  expect(text).toContain('Proposed changes <span class="count">1</span></h2><a href="/admin/proposals?state=waiting">')
  expect((await admin.open('/admin/proposals?state=waiting')).text).toContain('Accept the chosen')
  expect((await admin.open('/admin/proposals?state=refused')).text).not.toContain('Accept the chosen')
  await service.sql("delete from proposals where id = 'zq-waiting'")
})

describe('the delivery log', () => {
  test('is shown only to administrators, like a single delivery, and neither shows the secret', async () => {
    const [delivery] = await outcomesOf(service, partner)
    const paths = [
      '/admin/webhooks',
      `/admin/webhooks?state=open&client=${partner.id}`,
      `/admin/webhooks/${delivery!.id}`,
    ]
    await expectForAdministrators(service, admin, paths)
    for (const path of paths) expect((await admin.open(path)).text).not.toContain(partner.webhookSecret)
    const page = (await admin.open(paths[2]!)).text
    expect(page).toContain('directory_submissions.completed')
    expect(page).toContain('The connection was refused.')
    expect((await service.admin('GET', `/webhooks/${delivery!.id}`)).text).not.toContain(partner.webhookSecret)
    expect((await admin.open('/admin/webhooks?state=delivered')).text).toContain('No such deliveries')
    expect((await admin.open('/admin/webhooks/no-such')).status).toBe(404)
  })

  test('has a new delivery after a resend, and the old one is no longer open', async () => {
    const [delivery] = await outcomesOf(service, partner)
    const page = `/admin/webhooks/${delivery!.id}`
    const rows = await audited(service, async () => {
      const reply = await admin.submit(page, `${page}/resend`)
      expect(reply.status).toBe(303)
      await expectSound((await admin.open(reply.headers.get('location')!)).text)
    })
    expect(rows).toMatchObject([{ actor: admin.email, action: 'webhook.resend' }])
    const [again, before] = await outcomesOf(service, partner, 2)
    expect(again!.eventId).toBe(before!.eventId)
    const open = (await service.admin('GET', `/webhooks?open=true&client=${partner.id}`)).body.data
    expect(open.map(({ id }: { id: string }) => id)).toEqual([again!.id])
    expect((await overview()).openWebhooks).toBe(1)
  })

  test('resends nothing without the token of the session', async () => {
    const before = await deliveriesOf(service, partner)
    await expectRefused(admin, `/admin/webhooks/${before[0]!.id}/resend`, {})
    expect(await deliveriesOf(service, partner)).toHaveLength(before.length)
  })
})

describe('the list of enrichments', () => {
  test('shows their results and can run one again', async () => {
    const toolId = await submitTool(service, partner, { name: HOSTILE_TEXT.slice(0, 90) })
    await makeEnrichmentFail(toolId)
    await expectForAdministrators(service, admin, ['/admin/enrichments', '/admin/enrichments?state=failed'])
    const page = '/admin/enrichments?state=failed'
    expect((await admin.open(page)).text).toContain('Unreachable')
    const action = `/admin/enrichments/${toolId}/retry`
    await expectRefused(admin, action, {})
    const stateOf = async () =>
      (await service.admin('GET', '/enrichments')).body.data.find((row: { toolId: string }) => row.toolId === toolId)
    expect((await stateOf()).state).toBe('failed')
    const reply = await admin.submit(page, `${action}?state=failed`)
    expect([reply.status, reply.headers.get('location')]).toEqual([303, page])
    expect((await stateOf()).state).not.toBe('failed')
  })
})
