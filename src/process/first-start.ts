// The first start of the service: loads the demo catalog and its first keys into an empty database, and says what can be done with them.
import { readFileSync } from 'node:fs'
import { LINK_HOURS } from '../features/accounts/rules.ts'
import { issueKey, issuePartner, noteShown } from '../features/keys/issue.ts'
import { importLines } from '../features/listings/import/import.ts'
import { isCatalogEmpty } from '../features/listings/queries.ts'
import { mediaAddress } from '../kernel/addresses/own-addresses.ts'
import type { Context } from '../kernel/context.ts'
import { hoursText } from '../kernel/values/text.ts'
import { MCP_PATH, REST_BASE } from '../surfaces/http/addresses.ts'

export interface DemoKeys {
  standard: string
  premium: string
  partner: string
}

const FILES = ['taxonomy', 'tools', 'directories']

/** Returns null if the database has a catalog already. */
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
  await importLines(ctx, demoLines(ctx))
  // The caller prints the keys as soon as this returns.
  for (const id of [standard.id, premium.id, partner.keyId]) await noteShown(ctx, id)
  return { standard: standard.key, premium: premium.key, partner: partner.key }
}

const DEMO = new URL('../../seeds/demo/', import.meta.url)
const PICTURES = new URL('pictures/', DEMO)

/** The lines of the demo catalog, with the addresses of the pictures that were drawn for it (scripts/draw-demo-pictures.ts). */
async function* demoLines(ctx: Context): AsyncGenerator<Uint8Array> {
  const pictures = await storePictures(ctx)
  for (const file of FILES)
    for (const line of readFileSync(new URL(`${file}.ndjson`, DEMO), 'utf8')
      .split('\n')
      .filter(Boolean)) {
      const entry = JSON.parse(line)
      yield Buffer.from(`${JSON.stringify({ ...entry, ...pictures[`${entry.kind}:${entry.slug}`] })}\n`)
    }
}

type DemoPictures = Record<string, { icon: string; frame?: string }>

/** Stores the pictures as they are: the project drew them in the size in which they are shown. */
async function storePictures(ctx: Context): Promise<DemoPictures> {
  const files: DemoPictures = JSON.parse(readFileSync(new URL('pictures.json', PICTURES), 'utf8'))
  const addresses = new Map<string, string>()
  const store = async (file: string) => {
    const type = file.endsWith('.png') ? 'png' : 'webp'
    const name = await ctx.pictureStore.keep(readFileSync(new URL(file, PICTURES)), type)
    addresses.set(file, mediaAddress(ctx.publicUrl, name))
  }
  try {
    await Promise.all([...new Set(Object.values(files).flatMap((one) => Object.values(one)))].map(store))
  } catch (error) {
    // The demo catalog is useful without pictures too.
    ctx.log.warn({ err: error }, 'the pictures of the demo catalog could not be stored')
    return {}
  }
  const addressed = (one: object) =>
    Object.fromEntries(Object.entries(one).map(([field, file]) => [field, addresses.get(file)]))
  return Object.fromEntries(Object.entries(files).map(([key, one]) => [key, addressed(one)])) as DemoPictures
}

/** The text that is printed once, at the very first start. `adminLink` null: an administrator exists already. */
export function welcome(
  origin: string,
  keys: DemoKeys,
  adminTokenFile: string | null,
  adminLink: string | null,
): string {
  const rows: [string, string][] = [
    ['REST', `${origin}${REST_BASE}`],
    ['MCP', `${origin}${MCP_PATH}`],
    ['Site', `${origin}/`],
    ['', ''],
    ['Standard key', keys.standard],
    ['Premium key', keys.premium],
    ['Partner key', keys.partner],
    ['Operator token', adminTokenFile ? `in ${adminTokenFile}` : 'the value of ADMIN_TOKEN'],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const client = {
    mcpServers: {
      catalog: { type: 'http', url: `${origin}${MCP_PATH}`, headers: { Authorization: `Bearer ${keys.premium}` } },
    },
  }
  return `
Catalog Service is running with the demo catalog. The keys are shown this once; keep them.

${rows.map(([name, value]) => (name ? `  ${name.padEnd(width)}  ${value}` : '')).join('\n')}

Try it:

  curl -H 'Authorization: Bearer ${keys.premium}' '${origin}${REST_BASE}/tools?q=meeting+notes&limit=3'

Paste into an MCP client:

${JSON.stringify(client, null, 2).replace(/^/gm, '  ')}
${adminLink ? invitation(adminLink) : '\n'}`
}

export const invitation = (adminLink: string): string => `
There is no administrator yet. Open this link to become one; it works once, for ${hoursText(LINK_HOURS)}:

  ${adminLink}

`
