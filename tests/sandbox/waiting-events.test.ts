// A receiver that takes nothing: the events of its sandbox wait, and no partner's wait without end.
import { beforeAll, expect, test } from 'vitest'
import { startReceiver } from '../harness/receiver.ts'
import { directories, isComplete, newSandboxPartner, pollUntil } from '../harness/sandbox.ts'
import { newTool, SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { use, useService } from '../harness/use.ts'

const receiver = use(() => startReceiver({ '/hang': () => {} }))
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', SANDBOX_STEP_SECONDS: '0.05' })
beforeAll(() => service.load([...SUBMISSION_CATALOG, ...directories(8)]))

test('while a thousand test events of a partner wait, further ones are left out, and live ones are stored and sent', async () => {
  const partner = await newSandboxPartner(service, { webhookUrl: `${receiver.origin}/hang` })
  const other = await newSandboxPartner(service, { webhookUrl: `${receiver.origin}/other` })
  await service.sql(`insert into webhook_deliveries (id, event_id, partner_id, event, body, state, created_at, test)
    select 'waits-' || n, 'msg-' || n, '${partner.id}', 'submission.progress', '{}', 'pending', now(), true
    from generate_series(1, 1010) n`)
  const stored = async (id: string, isTest: boolean) =>
    (
      await service.sql(`select count(*)::int as count from webhook_deliveries
        where partner_id = '${id}' and test = ${isTest} and id not like 'waits-%'`)
    )[0].count
  const { website } = await submitted(service, partner.testKey, newTool({ paymentType: 'starter' }))
  await pollUntil(service, partner.testKey, { website }, isComplete)
  expect(await stored(partner.id, true)).toBe(0)
  for (const { id, key } of [partner, other]) {
    const done = await submitted(service, key, newTool({ paymentType: 'starter' }))
    await service.admin('POST', `/submissions/${done.id}/done`, {})
    expect(await stored(id, false)).toBe(1)
  }
  await expect.poll(() => receiver.at('/other').length).toBe(1)
})
