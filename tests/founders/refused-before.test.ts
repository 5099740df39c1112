// Products that were refused before the service stored refusals apart from accounts.
// @module-tag slow
import { expect, test } from 'vitest'
import { signedUp } from '../harness/browser.ts'
import { startUpgraded } from '../harness/earlier-version.ts'
import { idOf, sent } from '../harness/founders.ts'
import { use } from '../harness/use.ts'

const EMAIL = 'refused-before@example.com'
const product = (id: string, key: string, state: string, reason: string, decidedAt: string) =>
  `insert into founder_products (id, user_id, website, website_key, state, step, fields, sources, reason, times_sent, created_at, updated_at, sent_at, decided_at)
   values ('${id}', 'leaving', 'https://${key}', '${key}', '${state}', 'page', '{}', '{}', '${reason}', 1, now(), now(), now(), '${decidedAt}')`

const service = use(() =>
  startUpgraded(
    '_finished',
    [
      `insert into categories (slug, name, description, icon, adult) values ('writing', 'Writing', '', '', false)`,
      `insert into users (id, email, created_at, updated_at) values ('leaving', '${EMAIL}', now(), now())`,
      product('first', 'copied.example', 'refused', 'Say what it does.', '2026-03-01T00:00:00Z'),
      product('second', 'copied.example', 'refused', 'It is a copy.', '2026-04-01T00:00:00Z'),
      product('waiting', 'other.example', 'waiting', '', '2026-04-01T00:00:00Z'),
      product('third', 'better.example', 'refused', 'Say what it does.', '2026-03-01T00:00:00Z'),
      product('fourth', 'better.example', 'accepted', '', '2026-04-01T00:00:00Z'),
      product('fifth', 'worse.example', 'accepted', '', '2026-03-01T00:00:00Z'),
      product('sixth', 'worse.example', 'refused', 'It is gone.', '2026-04-01T00:00:00Z'),
    ],
    { FOUNDERS: 'open', SIGN_UPS_PER_DAY: '1000' },
  ),
)

const suspicionsOf = async (path: string): Promise<string> => {
  const reviews = (await service.admin('GET', '/reviews')).body.data
  return reviews.find(({ id }: { id: string }) => id === idOf(path))?.suspicions.join(' ') ?? ''
}

test('they stay refused after the upgrade, also without the account that sent them', async () => {
  const deleted = await service.admin('POST', '/people/delete', { email: EMAIL, confirm: EMAIL })
  expect(deleted.status).toBe(200)
  expect(await service.sql(`select id from founder_products where user_id = 'leaving'`)).toEqual([])
  const again = await sent(await signedUp(service), 'https://www.copied.example/again', { name: 'Copied Notes' })
  expect(await suspicionsOf(again)).toContain('was refused before: It is a copy.')
  const other = await sent(await signedUp(service), 'https://other.example', { name: 'Other Notes' })
  expect(await suspicionsOf(other)).not.toContain('refused')
})

test('a website of which a product was accepted after the refusal is not one that was refused', async () => {
  const keys = await service.sql('select website_key from refused_websites order by website_key')
  expect(keys).toEqual([{ website_key: 'copied.example' }, { website_key: 'worse.example' }])
})
