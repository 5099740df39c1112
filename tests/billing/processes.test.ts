// @module-tag long
// Several processes, and processes that are killed while they ask Stripe.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { auditOf, deliver, letTimePass, newPayer, planOfKey, send, subscriber } from '../harness/billing.ts'
import { spawnService, until } from '../harness/process.ts'
import { createDatabase, startService } from '../harness/service.ts'
import { bodyOf, signatureOf, standInStripe } from '../harness/stripe.ts'
import { copyTemplate } from '../harness/template.ts'

const server = process.env.TEST_DATABASE_URL

test.skipIf(!server)('two processes: a plan begins and ends in both, and each change is made once', async () => {
  const stripe = await standInStripe()
  const database = await createDatabase(server!)
  const settings = {
    ...stripe.settings,
    DATABASE_URL: database.url,
    KEY_PEPPER: 'a pepper that both processes share here',
  }
  const one = await startService(settings, { billingMs: 100 })
  const two = await startService(settings, { billingMs: 100 })
  try {
    const { payer, subscription } = await subscriber(one, stripe)
    await until(async () => (await planOfKey(two, payer.key)) === 'premium', 5_000)
    // Both get the same event at once.
    const [event] = stripe.cancelAtEnd(subscription.id)
    expect((await Promise.all([send(one, event!), send(two, event!)])).map(({ status }) => status)).toEqual([200, 200])
    stripe.setFault(500)
    await letTimePass(one, payer.id, 31 * 86_400)
    for (const service of [one, two])
      await until(async () => (await planOfKey(service, payer.key)) === 'standard', 15_000)
    const ends = (await auditOf(one, payer.id)).filter((action) => action === 'billing.plan standard')
    expect(ends).toHaveLength(1)
  } finally {
    await one.close()
    await two.close()
    await database.drop()
    await stripe.close()
  }
})

test('a process that is killed between the question and the answer loses nothing', { timeout: 300_000 }, async () => {
  const stripe = await standInStripe()
  const dataDir = mkdtempSync(join(tmpdir(), 'catalog-billing-'))
  const database = server ? await createDatabase(server) : null
  if (!database) await copyTemplate(dataDir)
  const environment = {
    ...stripe.settings,
    DATA_DIR: dataDir,
    RATE_LIMIT_SCALE: '1000',
    ...(database ? { DATABASE_URL: database.url } : {}),
  }
  try {
    const before = await startService(environment)
    const payer = await newPayer(before)
    const [, [event]] = stripe.pay(await payer.checkout())
    await before.close()
    const first = await spawnService(environment)
    await first.ready()
    stripe.setFault(({ path }) => (path === '/v1/invoices' ? 'silent' : null))
    const body = bodyOf(event!)
    const asking = fetch(`${first.origin}/api/stripe/webhook`, {
      method: 'POST',
      body,
      headers: { 'stripe-signature': signatureOf(body) },
    }).catch(() => null)
    await until(() => stripe.requests.some(({ path }) => path === '/v1/invoices'), 60_000)
    await first.kill()
    expect(await asking).toBeNull()
    stripe.setFault(null)
    const second = await startService(environment)
    expect(await planOfKey(second, payer.key)).toBe('standard')
    await deliver(second, [event!])
    expect(await planOfKey(second, payer.key)).toBe('premium')
    await second.close()
  } finally {
    await database?.drop()
    await stripe.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
