// Taxonomy, import and export, and the audit log in the console, without JavaScript.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { type Browser, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { expectConsolePage, expectGuarded, fill, filledForm, HOSTILE_MARKUP, upload } from '../harness/console-forms.ts'
import { expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }
const service = useService()
beforeAll(async () => {
  admin = await signedUpAdmin(service)
  await service.load([
    { kind: 'category', slug: 'writing', name: `Writing ${HOSTILE_MARKUP}`, description: HOSTILE_MARKUP, icon: '✍️' },
    { kind: 'tag', slug: 'api', name: 'API' },
    { kind: 'tag', slug: 'unused', name: 'Unused' },
    { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
    { kind: 'tool', slug: 'acme', name: 'Acme', category: 'writing', tags: ['api'] },
    { kind: 'tool', slug: 'draft', name: 'Draft', tags: ['api'], published: false },
    { kind: 'directory', slug: 'launch', name: 'Launch', categories: ['saas'] },
  ])
})

const stored = async (path: string) => (await service.admin('GET', path)).body.data

describe('the taxonomy pages', () => {
  test.each([
    '/admin/taxonomy/categories',
    '/admin/taxonomy/tags',
    '/admin/taxonomy/directory-categories',
    '/admin/taxonomy/categories/writing',
    '/admin/taxonomy/tags/unused',
    '/admin/taxonomy/directory-categories/saas',
  ])('show %s without errors to administrators, and to no other user', async (path) => {
    await expectConsolePage(service, admin, path)
  })

  test('begin with the categories, and answer 404 for an unknown part or entry', async () => {
    expect((await admin.open('/admin/taxonomy')).headers.get('location')).toBe('/admin/taxonomy/categories')
    expect((await admin.open('/admin/taxonomy/nothing')).status).toBe(404)
    expect((await admin.open('/admin/taxonomy/tags/nothing')).status).toBe(404)
  })

  test('count listings including drafts, as the operator API does', async () => {
    expect(await stored('/tags?q=api')).toMatchObject([{ slug: 'api', listingsCount: 2 }])
    expect(await stored('/tags/api')).toMatchObject({ name: 'API', listingsCount: 2 })
    expect(await stored('/categories')).toMatchObject([{ slug: 'writing', listingsCount: 1 }])
    expect(await stored('/directory-categories/saas')).toEqual({
      slug: 'saas',
      name: 'SaaS',
      listingsCount: 1,
      version: 1,
    })
    expect((await admin.open('/admin/taxonomy/tags?q=ap')).text).toContain('<a href="/admin/tools?tag=api">2</a>')
  })

  test('create an entry with a slug made from its name, and never replace another one', async () => {
    const page = '/admin/taxonomy/categories'
    const reply = await fill(admin, page, page, { name: 'Deep Work', description: 'Focus.', adult: 'true' })
    expect([reply.status, reply.headers.get('location')]).toEqual([303, page])
    expect(await stored('/categories/deep-work')).toMatchObject({
      name: 'Deep Work',
      description: 'Focus.',
      adult: true,
    })
    const again = await fill(admin, page, page, { name: 'Other', slug: 'deep-work' })
    expect(again.status).toBe(400)
    await expectSound(again.text, ['<script>alert'])
    expect(filledForm(again.text, page)).toMatchObject({ name: 'Other', slug: 'deep-work' })
    expect(await stored('/categories/deep-work')).toMatchObject({ name: 'Deep Work' })
    expect((await fill(admin, page, page, { name: 'Wrong', slug: 'No Slug' })).text).toContain('Slug must be')
  })

  test('rename an entry and mark it as adult, and readers see both', async () => {
    const path = '/admin/taxonomy/tags/api'
    expect((await fill(admin, path, path, { name: 'Interfaces', adult: 'true' })).status).toBe(303)
    await service.settled()
    expect((await service.rest('/tools/acme')).body.data.tags).toEqual([{ slug: 'api', name: 'Interfaces' }])
    expect((await service.rest('/tools')).body.data).toEqual([])
    expect((await admin.open('/admin/tools/acme')).text).toContain('the tag Interfaces is adult')
    await fill(admin, path, path, { name: 'API', adult: null })
    const wrong = await fill(admin, path, path, { name: ' ' })
    expect(wrong.status).toBe(400)
    expect(await stored('/tags/api')).toMatchObject({ name: 'API', adult: false })
  })

  test('delete an entry that no listing uses, and refuse to delete any other', async () => {
    expect((await admin.open('/admin/taxonomy/tags/api')).text).toContain('It is used and cannot be deleted')
    for (const path of ['/tags/api', '/categories/writing', '/directory-categories/saas'])
      expect((await service.admin('DELETE', path)).body.error).toMatch(/is used by \d listings? and cannot be deleted/)
    const rows = await audited(service, () =>
      admin.submit('/admin/taxonomy/tags/unused', '/admin/taxonomy/tags/unused/delete'),
    )
    expect(rows).toMatchObject([{ actor: admin.email, action: 'tag.delete', subject: 'tag:unused' }])
    expect((await service.admin('GET', '/tags/unused')).status).toBe(404)
    expect((await service.admin('DELETE', '/tags/unused')).status).toBe(404)
  })

  test('change nothing when a form has no token', async () => {
    await expectGuarded(service, admin, '/admin/taxonomy/tags', { name: 'Forged' })
    await expectGuarded(service, admin, '/admin/taxonomy/tags/api', { name: 'Forged' })
    await expectGuarded(service, admin, '/admin/taxonomy/categories/deep-work/delete', {})
    expect(await stored('/tags?q=forged')).toEqual([])
    expect((await service.admin('GET', '/categories/deep-work')).status).toBe(200)
  })
})

test('listings are found and added to a collection before it is saved', async () => {
  const page = '/admin/collections'
  const found = await fill(admin, `${page}/-/new`, page, { name: 'Starts', slug: 'starts', q: 'la', find: 'true' })
  expect(found.status).toBe(200)
  await expectSound(found.text, ['<script>alert'])
  expect(found.text).toContain('value="directories launch"')
  expect((await service.admin('GET', '/collections/starts')).status).toBe(404)
  const added = await admin.post(page, { ...filledForm(found.text, page), add: 'directories launch' })
  expect(filledForm(added.text, page)).toMatchObject({ name: 'Starts', slug: 'starts', q: 'la', directories: 'launch' })
  expect(added.text).toMatch(/ disabled>Added/)
  expect((await admin.post(page, filledForm(added.text, page))).status).toBe(303)
  const saved = await stored('/collections/starts')
  expect(saved).toMatchObject({ tools: [], directories: ['launch'] })
  const path = `${page}/starts`
  // Enter in a field presses the first button.
  const withWords = filledForm((await fill(admin, path, path, { q: 'la', name: 'Typed', enter: 'true' })).text, path)
  expect(withWords).toMatchObject({ q: 'la', name: 'Typed' })
  expect((await admin.open(path)).text).toMatch(/<button[^>]* name="enter" value="true"/)
  expect(await stored('/collections/starts')).toMatchObject({ name: 'Starts' })
  expect((await fill(admin, path, path, { name: 'Started', enter: 'true' })).status).toBe(303)
  expect(await stored('/collections/starts')).toMatchObject({ name: 'Started' })
  await service.admin('PUT', '/collections/starts', { name: 'Theirs', text: '', tools: [], directories: [] })
  const stale = filledForm((await fill(admin, path, path, { add: 'tools acme' })).text, path)
  expect(stale).toMatchObject({ name: 'Theirs', tools: 'acme' })
  const conflict = await admin.post(path, { ...stale, version: String(saved.version), add: 'tools draft' })
  expect(filledForm(conflict.text, path).version).toBe(String(saved.version))
})

describe('the import page', () => {
  const PAGE = '/admin/import'
  const token = async () => filledForm((await admin.open(PAGE)).text, PAGE).token!
  const send = async (content: string, fields: Record<string, string> = {}) =>
    upload(service, admin, PAGE, { token: await token(), ...fields }, { name: 'catalog.ndjson', content })
  const lines = (...entries: object[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

  test('is shown without errors to administrators, and to no other user', async () => {
    await expectConsolePage(service, admin, PAGE)
  })

  test('imports a good file and says how many entries', async () => {
    const rows = await audited(service, async () => {
      const reply = await send(
        lines({ kind: 'tag', slug: 'in-a', name: 'A' }, { kind: 'tag', slug: 'in-b', name: 'B' }),
      )
      expect([reply.status, reply.headers.get('location')]).toEqual([303, PAGE])
    })
    expect(rows).toMatchObject([{ actor: admin.email, action: 'catalog.import', details: { imported: 2 } }])
    expect((await admin.open(PAGE)).text).toContain('Imported 2 entries.')
    expect(await stored('/tags/in-a')).toMatchObject({ name: 'A' })
  })

  test('imports nothing when a line is wrong, and shows each wrong line with its reason', async () => {
    const content = `${lines({ kind: 'tag', slug: 'kept', name: 'Kept' })}not json ${HOSTILE_MARKUP}\n${lines({ kind: 'tool', slug: 'x', name: '' })}`
    const reply = await send(content)
    expect(reply.status).toBe(400)
    await expectSound(reply.text, ['<script>alert', '<b onclick'])
    expect(reply.text).toContain('Nothing was imported: 2 wrong lines.')
    expect(reply.text).toMatch(/<th scope="row" class="number">2<\/th>/)
    expect(reply.text).toContain('name must')
    expect((await service.admin('GET', '/tags/kept')).status).toBe(404)
    const kept = await send(content, { skipInvalid: 'true' })
    expect(kept.status).toBe(200)
    expect(kept.text).toContain('Imported 1 entry, left out 2 wrong lines.')
    expect((await service.admin('GET', '/tags/kept')).status).toBe(200)
  })

  test('accepts a file of many megabytes, larger than any other form', async () => {
    const filler = 'x'.repeat(15_000)
    const many = Array.from({ length: 400 }, (_, i) => ({
      kind: 'tool',
      slug: `big-${i}`,
      name: `Big ${i}`,
      description: filler,
      published: false,
    }))
    expect((await send(lines(...many))).status).toBe(303)
    expect(await stored('/tools?q=big-399')).toMatchObject([{ slug: 'big-399' }])
  })

  test('asks for a file when there is none, and refuses an empty one', async () => {
    const none = await upload(service, admin, PAGE, { token: await token() }, null)
    expect([none.status, none.text.includes('Choose a file first.')]).toEqual([400, true])
    const empty = await send('\n\n')
    expect([empty.status, empty.text.includes('There is no entry in this file.')]).toEqual([400, true])
  })

  test('reads nothing of a file without the token before it', async () => {
    const content = lines({ kind: 'tag', slug: 'forged', name: 'Forged' })
    for (const fields of [{}, { token: 'nonsense' }] as Record<string, string>[]) {
      const reply = await upload(service, admin, PAGE, fields, { name: 'a.ndjson', content })
      expect(reply.status).toBe(403)
    }
    const boundary = 'xyz'
    const body = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.ndjson"\r\n\r\n${content}\r\n--${boundary}\r\ncontent-disposition: form-data; name="token"\r\n\r\n${await token()}\r\n--${boundary}--\r\n`
    const late = await service.fetch(PAGE, {
      method: 'POST',
      body,
      headers: {
        cookie: admin.cookieHeader(),
        origin: service.origin,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
    })
    expect(late.status).toBe(403)
    expect((await service.admin('GET', '/tags/forged')).status).toBe(404)
  })

  test('answers 400 to a body that is not its form', async () => {
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
      const reply = await service.fetch(PAGE, {
        method: 'POST',
        body: 'nonsense',
        headers: { cookie: admin.cookieHeader(), origin: service.origin, 'content-type': type },
      })
      expect([400, 403]).toContain(reply.status)
    }
  })

  test('offers the export of the operator API as a file', async () => {
    const reply = await admin.open('/admin/import/export')
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="catalog-[\d-]+\.ndjson"$/)
    expect(reply.text).toBe((await service.admin('GET', '/export')).text)
  })
})

describe('the audit log', () => {
  test('folds entries that follow each other and differ only in details and time, and keeps each', async () => {
    await service.sql(`insert into audit (at, actor, action, subject, details)
      select now(), 'folder', 'submission.directory', 'submission:folded', jsonb_build_object('directory', 'place-' || n) from generate_series(1, 5) n`)
    const { text } = await admin.open('/admin/audit?actor=folder')
    expect(text.match(/scope="row"/g)).toHaveLength(1)
    expect(text).toMatch(
      /<summary>5 times, directory: <bdi>place-\d<\/bdi>, <bdi>place-\d<\/bdi>, <bdi>place-\d<\/bdi> and 2 more<\/summary>/,
    )
    for (const n of [1, 2, 3, 4, 5]) expect(text).toContain(`>place-${n}</dd>`)
    expect(text.match(/<li><time /g)).toHaveLength(5)

    await service.sql(`insert into audit (at, actor, action, subject, details)
      select now(), 'mixer', 'user.change', 'user:mixed', details::jsonb
      from unnest(array['{"banned":true}', '{"plan":"premium"}', '{"banned":false}']) as details`)
    expect((await admin.open('/admin/audit?actor=mixer')).text).toContain('<summary>3 times</summary>')
  })

  const MADE_UP = 'made-up:one'
  const log = async (action: string, details: object, actor = 'ada@one.example.com') => {
    await service.sql(`insert into audit (at, actor, action, subject, details)
      values (now(), '${actor}', '${action}', '${MADE_UP}', '${JSON.stringify(details)}')`)
  }
  /** The details that the page shows of the last such entry. */
  const detailsOf = async (action: string, subject = MADE_UP): Promise<string[]> => {
    const { text } = await admin.open(`/admin/audit?action=${action}&subject=${subject}`)
    return [
      ...(/<dl class="details">.*?<\/dl>/s.exec(text)?.[0] ?? '').matchAll(/<dt>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/gs),
    ].map(([, label, value]) => `${label}: ${value?.replaceAll(/<\/?span[^>]*>/g, '')}`)
  }

  test('is shown without errors to administrators, and to no other user', async () => {
    await service.admin('POST', '/partners', { name: HOSTILE_MARKUP })
    const text = await expectConsolePage(service, admin, '/admin/audit')
    expect(text).toContain('partner.create')
    expect(text).toMatch(/href="\/admin\/partners\/[\w-]+"/)
  })

  test('names what the changes are about and who made them, and links only to what still exists', async () => {
    const partner = await service.newPartner({ name: 'Launchpad' })
    const { id } = await service.newKey('premium', admin.email)
    await service.load([
      { kind: 'tool', slug: 'kept', name: 'Kept Tool' },
      { kind: 'tool', slug: 'lost', name: 'Lost Tool' },
    ])
    await service.admin('PATCH', '/tools/kept', { featured: true })
    await service.admin('PATCH', '/tools/lost', { featured: true })
    await service.admin('DELETE', '/tools/lost')
    await admin.submit('/admin/taxonomy/tags', '/admin/taxonomy/tags', { slug: 'named', name: 'Named' })
    const text = (await admin.open('/admin/audit')).text.replaceAll(/\s+/g, ' ')
    const user = (await userNamed(service, admin.email)).id
    const what = (words: string, action: string) =>
      `<a href="/admin/audit?action=${action}">${words}</a> <span class="note">`
    expect(text).toContain(
      `${what('Partner created', 'partner.create')}<a href="/admin/partners/${partner.id}"><bdi>Launchpad</bdi></a>`,
    )
    expect(text).toContain(`${what('Tool changed', 'tool.change')}<a href="/admin/tools/kept"><bdi>Kept Tool</bdi></a>`)
    expect(text).toMatch(
      new RegExp(`Key created</a> <span class="note"><a href="/admin/users/${user}"><bdi>…\\w{4}</bdi></a>`),
    )
    expect(text).toContain(`<a href="/admin/users/${user}"><span class="person" title="${admin.email}">`)
    expect(text).toContain('<bdi>Operator</bdi>')
    expect(text).toContain('<bdi>tool:lost</bdi>')
    expect(text).not.toContain('/admin/tools/lost')
    expect(text).not.toContain(`key:${id}`)
  })

  test('shows names as they are, and names that the service gives in words', async () => {
    const logged = {
      'partner.create': { name: 'CI' },
      'key.create': { name: 'iPhone', owner: 'review' },
      'tool.accept': { fields: ['searchWords', 'name'] },
      'submission.change': { state: 'IN_QUEUE', notes: 'NASA' },
      'submission.plan': { decision: 'skipped', reason: 'payment' },
    }
    for (const [action, details] of Object.entries(logged)) await log(action, details)
    expect(await detailsOf('partner.create')).toEqual(['Name: CI'])
    expect(await detailsOf('key.create')).toEqual(['Name: iPhone', 'Owner: review'])
    expect(await detailsOf('tool.accept')).toEqual(['Fields: search words, name'])
    expect(await detailsOf('submission.change')).toEqual(['Notes: NASA', 'State: In queue'])
    expect(await detailsOf('submission.plan')).toEqual(['Reason: payment', 'Decision: skipped'])
  })

  test('shows what a field was before, and as deleted only what the change has replaced', async () => {
    await service.load([{ kind: 'tool', slug: 'shuttle', name: 'NASA' }])
    await service.admin('PATCH', '/tools/shuttle', { name: 'Nasa' })
    expect(await detailsOf('tool.change', 'tool:shuttle')).toEqual(['Name: was: NASA'])
    const listingUrl = 'https://kept.example.com/'
    await log('submission.directory', { isSubmitted: true, was: { isSubmitted: false, listingUrl } })
    expect(await detailsOf('submission.directory')).toEqual([
      'Submitted: <del>no</del> <ins>yes</ins>',
      `Listing url: was: ${listingUrl}`,
    ])
  })

  test('says what agents called on what, and the whole addresses of two administrators with the same name', async () => {
    const addresses = ['ada@one.example.com', 'ada@two.example.com']
    for (const address of addresses) await service.newKey('standard', address)
    await log('agent.call', { id: 'abc-1' })
    await log('agent.refused', { why: 'past the limit' }, 'ada@two.example.com')
    const { text } = await admin.open(`/admin/audit?subject=${MADE_UP}`)
    expect(text).toContain('>Call of an agent refused</a>')
    expect(await detailsOf('agent.call')).toEqual(['Id: abc-1'])
    for (const address of addresses)
      expect(text).toContain(`title="${address}"><span aria-hidden="true">A</span><bdi>${address}</bdi>`)
  })

  test('is filtered by actor, action and subject, as in the operator API', async () => {
    const actions = async (query: string) =>
      (await stored(`/audit?${query}`)).map(({ action }: { action: string }) => action)
    await service.load([{ kind: 'tool', slug: 'longer', name: 'Longer' }])
    await service.admin('PUT', '/tools/acme', { name: 'Acme' })
    await service.admin('PUT', '/tools/acme-two', { name: 'Acme two' })
    expect(await actions('subject=tool:acme')).toEqual(['tool.put'])
    expect((await actions('subject=acme')).length).toBeGreaterThan(1)
    expect(new Set(await actions('action=tag'))).toEqual(new Set(['tag.put', 'tag.delete']))
    expect(await actions('actor=nobody-like-that')).toEqual([])
    expect(new Set((await stored(`/audit?actor=${admin.email}`)).map((row: { actor: string }) => row.actor))).toEqual(
      new Set([admin.email]),
    )
    const page = (await admin.open('/admin/audit?subject=tool%3Aacme&action=tool')).text
    await expectSound(page)
    expect(page).toContain('href="/admin/tools/acme"')
    expect(page).not.toContain('acme-two')
    await expectSound((await admin.open(`/admin/audit?actor=${encodeURIComponent(HOSTILE_MARKUP)}`)).text, [
      '<script>alert',
    ])
  })
})
