// Loads the demo catalog and its first keys into an empty database.
import { createReadStream } from 'node:fs'
import { issueKey, issuePartner, noteShown } from '../features/keys/issue.ts'
import { importLines } from '../features/listings/import.ts'
import { isCatalogEmpty } from '../features/listings/queries.ts'
import type { Context } from '../kernel/context.ts'

export interface DemoKeys {
  standard: string
  premium: string
  partner: string
}

const FILES = ['taxonomy', 'tools', 'directories']

/** null: the database has a catalog already. */
export async function seedDemo(ctx: Context): Promise<DemoKeys | null> {
  if (!(await isCatalogEmpty(ctx.db))) return null
  const standard = await issueKey(ctx, { email: 'demo@example.com', name: 'Demo, standard', plan: 'standard' })
  const premium = await issueKey(ctx, { email: 'demo@example.com', name: 'Demo, premium', plan: 'premium' })
  const partner = await issuePartner(ctx, {
    name: 'Demo partner',
    contactEmail: null,
    webhookUrl: null,
    support: 'hybrid',
  })
  // The listings are imported last. A start that was interrupted before leaves the catalog empty, so the next start seeds again.
  await importLines(ctx, demoLines(), false)
  // The caller prints the keys as soon as this returns.
  for (const id of [standard.id, premium.id, partner.keyId]) await noteShown(ctx, id)
  return { standard: standard.key, premium: premium.key, partner: partner.key }
}

async function* demoLines(): AsyncGenerator<Uint8Array> {
  for (const file of FILES)
    yield* createReadStream(new URL(`../../seeds/demo/${file}.ndjson`, import.meta.url)) as AsyncIterable<Uint8Array>
}
