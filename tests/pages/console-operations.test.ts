// The page that the console makes from the declaration of each operator operation.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { operatorOperations } from '../../src/features.ts'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { expectForAdministrators, expectRefused, HOSTILE_TEXT } from '../harness/console.ts'
import { useService } from '../harness/use.ts'

const service = useService()
let admin: Browser & { email: string }
beforeAll(async () => {
  admin = await signedUpAdmin(service)
  await service.load([{ kind: 'tag', slug: 'api', name: 'API' }])
})

const pageOf = (name: string) => `/admin/operations/${name}`
const isFile = ({ lines, bytes, streams, next }: (typeof operatorOperations)[number]) =>
  lines ?? bytes ?? streams ?? next
const onPages = operatorOperations.filter((operation) => !isFile(operation))
const fieldsOf = ({ parameters, body }: (typeof operatorOperations)[number]): string[] =>
  Object.keys({ ...parameters.properties, ...(body && 'properties' in body ? (body.properties as object) : {}) })

describe('200', () => {
  test('the list names every operation with its address', async () => {
    const { status, text } = await admin.open('/admin/operations')
    expect(status).toBe(200)
    const missing = operatorOperations.filter(
      ({ path, method }) => !text.includes(`${method} /api/admin${path}</code>`),
    )
    expect(missing.map(({ name }) => name)).toEqual([])
    expect(text).not.toContain(pageOf('export_catalog'))
  })

  test.each(onPages.map((operation) => [operation.name, operation] as const))(
    '%s has a page with its fields',
    async (name, operation) => {
      // Without its path parameters an operation is not performed.
      const { status, text } = await admin.open(pageOf(name))
      expect(status).toBe(200)
      const missing = fieldsOf(operation).filter(
        (field) => !['page', 'limit'].includes(field) && !text.includes(` name="${field}"`),
      )
      expect(missing).toEqual([])
      // Fields of the page itself must not hide a field of the operation.
      expect(fieldsOf(operation).filter((field) => ['token', 'confirm'].includes(field))).toEqual([])
    },
  )

  test('a list shows its rows, filtered, with their columns from the schema', async () => {
    const { id } = await service.newKey('standard', admin.email)
    const { text } = await admin.open(`${pageOf('list_keys')}?live=true`)
    expect(text).toContain(id)
    expect(text).toContain('<option value="true" selected>Yes</option>')
    expect(text).toContain('<th scope="col">Created at</th>')
  })

  test('a long list has pages', async () => {
    await service.load(Array.from({ length: 51 }, (_, at) => ({ kind: 'tag', slug: `tag-${at}`, name: `Tag ${at}` })))
    const first = await admin.open(pageOf('list_tag_entries'))
    expect(first.text).toContain('?page=2" rel="next"')
    expect((await admin.open(`${pageOf('list_tag_entries')}?page=2`)).text).toContain('rel="prev"')
  })

  test('a write sends what was filled in and nothing else, and shows the answer', async () => {
    const page = pageOf('create_partner')
    const reply = await admin.submit(page, page, {
      name: `Made here ${HOSTILE_TEXT}`,
      support: 'human',
      confirm: 'true',
    })
    expect(reply.status).toBe(200)
    expect(reply.text).toContain('Done. The answer is below.')
    expect(reply.text).not.toContain('<img src=x')
    const [partner] = (await service.admin('GET', '/partners?q=Made')).body.data
    expect(partner).toMatchObject({ support: 'human', webhookUrl: null })
    const change = pageOf('change_partner')
    await admin.submit(change, change, { id: partner.id, webhookUrl: 'https://made.example.com/hook', confirm: 'true' })
    const stored = async () => (await service.admin('GET', `/partners/${partner.id}`)).body.data
    expect(await stored()).toMatchObject({ support: 'human', webhookUrl: 'https://made.example.com/hook' })
    await admin.submit(change, change, { id: partner.id, webhookUrl: 'null', confirm: 'true' })
    expect(await stored()).toMatchObject({ support: 'human', webhookUrl: null })
  })

  test('flags, numbers, empty lists and empty texts are sent as what they are', async () => {
    const send = (name: string, fields: Record<string, string>) =>
      admin.submit(pageOf(name), pageOf(name), { ...fields, confirm: 'true' })
    expect((await send('put_agents', { stopped: 'true' })).status).toBe(200)
    expect((await service.admin('GET', '/site/agents')).body.data).toMatchObject({ stopped: true })
    expect((await send('put_agents', { stopped: 'false' })).status).toBe(200)
    const { id } = await service.newKey('standard', admin.email)
    expect((await send('rotate_key', { id, overlapHours: '0' })).status).toBe(200)
    const { text } = await send('rotate_key', { id, overlapHours: 'soon' })
    expect(text).toContain('Overlap hours must be')
    await service.load([
      { kind: 'tool', slug: 'acme', name: 'Acme', tags: ['other'], tagline: 'Writes' },
      { kind: 'tag', slug: 'other', name: 'Other' },
    ])
    expect((await send('change_tool', { slug: 'acme', tags: '[]' })).status).toBe(200)
    expect((await service.admin('GET', '/tools/acme')).body.data).toMatchObject({ tags: [], tagline: 'Writes' })
  })

  test('leads to the whole answer of a read', async () => {
    const { text } = await admin.open(`${pageOf('list_keys')}?live=true`)
    expect(text).toContain('href="/api/admin/keys?live=true&amp;page=1&amp;limit=50"')
    expect((await admin.open(`${pageOf('get_tag_entry')}?slug=api`)).text).toContain('href="/api/admin/tags/api"')
  })

  test('shows the beginning of a text of the greatest size', async () => {
    const features = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`Feature ${at}`, '<&'.repeat(400)]))
    await service.load([{ kind: 'tool', slug: 'huge', name: 'Huge', description: '&'.repeat(20_000), features }])
    const { text } = await admin.open(`${pageOf('get_tool_entry')}?slug=huge`)
    expect([text.includes('Feature 0'), text.includes('&amp;'.repeat(1_000))]).toEqual([true, true])
    // The features are 32,000 characters, of which 20,000 are shown.
    expect([text.includes('Feature 39'), text.includes(' …</code>')]).toEqual([false, true])
  })

  test('is for administrators only', async () => {
    await expectForAdministrators(service, admin, ['/admin/operations', pageOf('list_keys'), pageOf('get_overview')])
  })
})

describe('400', () => {
  test('every write needs a check in a box', async () => {
    for (const { name, method } of onPages) {
      if (method === 'GET') continue
      const refused = await admin.submit(pageOf(name), pageOf(name))
      expect([name, refused.status, refused.text.includes('Nothing was done.')]).toEqual([name, 400, true])
    }
  })

  test('nothing is deleted without the check', async () => {
    const page = pageOf('delete_tag')
    const refused = await admin.submit(page, page, { slug: 'api' })
    expect([refused.status, refused.text.includes('Nothing was done.')]).toEqual([400, true])
    expect((await service.admin('GET', '/tags/api')).status).toBe(200)
    expect((await admin.submit(page, page, { slug: 'api', confirm: 'true' })).status).toBe(200)
    expect((await service.admin('GET', '/tags/api')).status).toBe(404)
  })

  test('a refused form keeps what was typed and marks the field', async () => {
    const page = pageOf('create_key')
    const reply = await admin.submit(page, page, { email: 'not an address', confirm: 'true' })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('value="not an address"')
    expect(reply.text).toContain('aria-invalid="true"')
  })

  test('a field that is an object must be JSON', async () => {
    const page = pageOf('put_site')
    const reply = await admin.submit(page, page, { texts: '{', confirm: 'true' })
    expect([reply.status, reply.text.includes('must be JSON')]).toEqual([400, true])
  })
})

describe('403', () => {
  test('nothing is sent without the token of the session', async () => {
    await expectRefused(admin, pageOf('create_partner'), { name: 'Forged' })
  })
})

describe('404', () => {
  test('a form that names nothing stored keeps what was typed', async () => {
    const page = pageOf('add_partner_knowledge')
    const reply = await admin.submit(page, page, { id: 'nobody', title: 'Kept title', body: 'Kept', confirm: 'true' })
    expect([reply.status, reply.text.includes('value="Kept title"')]).toEqual([404, true])
  })

  test.each(['nothing', 'import_catalog', 'list_changes', 'constructor'])('%s has no page', async (name) => {
    expect((await admin.open(pageOf(name))).status).toBe(404)
  })
})
