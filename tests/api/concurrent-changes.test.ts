// Two operators change the same thing at the same time. Each sends the version that it read: one change is saved, the other operator is
// told who changed it and when, and nothing is lost. This holds for the operator API and for the forms of the console.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { operatorOperations } from '../../src/features.ts'
import { audited } from '../harness/audit.ts'
import { type Browser, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { catalog } from '../harness/command.ts'
import { filledForm } from '../harness/console-forms.ts'
import { ADMIN_TOKEN, type Reply } from '../harness/service.ts'
import { submitted } from '../harness/submissions.ts'
import { asked, newSupportPartner } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

type Administrator = Browser & { email: string }

let pair: [Administrator, Administrator]
let partner: { id: string; key: string }
let user: string
let submission: string
let conversation: string
let article: string
const service = useService()
beforeAll(async () => {
  pair = [await signedUpAdmin(service), await signedUpAdmin(service)]
  partner = await service.newPartner({ name: 'Shared' })
  await service.admin('PUT', '/collections/shared', { name: 'Shared' })
  user = (await userNamed(service, (await signedUp(service)).email)).id
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
    { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
    { kind: 'tool', slug: 'acme', name: 'Acme' },
    { kind: 'directory', slug: 'peak', name: 'Peak' },
  ])
  const tool = await submitted(service, partner.key, { paymentType: 'starter' })
  submission = (await service.admin('GET', `/submissions/${tool.id}`)).body.data.id
  // Recording a directory would otherwise begin the work, which has an entry of its own in the audit log.
  await service.admin('PATCH', `/submissions/${submission}`, { state: 'IN_PROGRESS', assignee: 'someone' })
  const supportPartner = await newSupportPartner(service, 'human')
  conversation = (await asked(service, supportPartner.key, 'Is anyone there?')).id
  article = (await service.admin('PUT', '/knowledge', { articles: [{ title: 'One', body: 'One.' }] })).body.data
    .articles[0].id
})

/** Calls the operator API as a signed-in administrator, so that the audit log names a person. */
const send = (who: Administrator, method: string, path: string, body?: object): Promise<Reply> =>
  service.fetch(`/api/admin${path}`, { method, body, headers: { cookie: who.cookieHeader(), origin: service.origin } })

interface GuardedWrite {
  method: string
  path: () => string
  /** The request body that stores `text`. */
  body: (text: string) => object
  /** The stored version and text. */
  read: () => Promise<{ version: number; text: string }>
}

const stored = async (path: string) => (await service.admin('GET', path)).body.data
const named = (path: () => string) => async () => {
  const { version, name } = await stored(path())
  return { version, text: name }
}
const put = (path: string): GuardedWrite => ({
  method: 'PUT',
  path: () => path,
  body: (name) => ({ name }),
  read: named(() => path),
})

const GUARDED_WRITES: Record<string, GuardedWrite> = {
  'a partner': {
    method: 'PATCH',
    path: () => `/partners/${partner.id}`,
    body: (name) => ({ name }),
    read: named(() => `/partners/${partner.id}`),
  },
  'the site': put('/site'),
  'a collection': put('/collections/shared'),
  'a category': put('/categories/writing'),
  'a tag': put('/tags/api'),
  'a directory category': put('/directory-categories/saas'),
  'a tool': put('/tools/acme'),
  'a directory': put('/directories/peak'),
  'a submission': {
    method: 'PATCH',
    path: () => `/submissions/${submission}`,
    body: (notes) => ({ notes }),
    read: async () => {
      const { version, notes } = await stored(`/submissions/${submission}`)
      return { version, text: notes }
    },
  },
  'a directory of a submission': {
    method: 'PUT',
    path: () => `/submissions/${submission}/directories/peak`,
    body: (text) => ({ isSubmitted: true, listingUrl: `https://peak.example.org/${encodeURIComponent(text)}` }),
    read: async () => {
      const [row] = (await stored(`/submissions/${submission}`)).submissions
      return { version: row?.version ?? 0, text: decodeURIComponent(row?.listingUrl.split('/').at(-1) ?? '') }
    },
  },
  'an article': {
    method: 'PUT',
    path: () => `/knowledge/${article}`,
    body: (body) => ({ title: 'One', body }),
    read: async () => {
      const { version, body } = (await stored('/knowledge')).articles.find((one: any) => one.id === article)
      return { version, text: body }
    },
  },
  'the knowledge of a partner': {
    method: 'PUT',
    path: () => `/partners/${partner.id}/knowledge`,
    body: (body) => ({ articles: [{ title: 'Only', body }] }),
    read: async () => {
      const { version, articles } = await stored(`/partners/${partner.id}/knowledge`)
      return { version, text: articles[0]?.body }
    },
  },
  'a conversation': {
    method: 'POST',
    path: () => `/support/conversations/${conversation}/reply`,
    body: (content) => ({ content }),
    read: async () => {
      const { version, messages } = await stored(`/support/conversations/${conversation}`)
      return { version, text: messages.at(-1).content }
    },
  },
  'the internal note of a conversation': {
    method: 'PATCH',
    path: () => `/support/conversations/${conversation}/desk`,
    body: (internalNotes) => ({ internalNotes }),
    read: async () => {
      const { version, internalNotes } = await stored(`/support/conversations/${conversation}/desk`)
      return { version, text: internalNotes }
    },
  },
  'a saved reply': {
    method: 'PUT',
    path: () => '/support/saved-replies/shared',
    body: (body) => ({ body }),
    read: async () => {
      const found = (await stored('/support/saved-replies')).find(({ title }: any) => title === 'shared')
      return { version: found?.version ?? 0, text: found?.body }
    },
  },
}

const ROUNDS = 12
const WHEN = String.raw`at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`

describe.each(Object.keys(GUARDED_WRITES))('the operator API, for %s,', (name) => {
  const { method, path, body, read } = GUARDED_WRITES[name]!

  test(`saves one of two writes with the same version and answers 409 to the other, ${ROUNDS} times in a row`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const before = await read()
      const rows = await audited(service, async () => {
        const replies = await Promise.all(
          pair.map((who, i) =>
            send(who, method, `${path()}?ifVersion=${before.version}`, body(`round ${round} of ${i}`)),
          ),
        )
        expect(replies.map(({ status }) => status).sort(), JSON.stringify(replies.map((reply) => reply.text))).toEqual([
          200, 409,
        ])
        const won = replies.findIndex(({ status }) => status === 200)
        const lost = replies[1 - won]!.body
        expect(await read()).toEqual({ version: before.version + 1, text: `round ${round} of ${won}` })
        expect(lost.error).toMatch(new RegExp(`by ${pair[won]!.email} ${WHEN}.*Nothing was saved\\.`))
        expect(lost).toMatchObject({ success: false, version: before.version + 1, changedBy: pair[won]!.email })
        expect(Math.abs(Date.parse(lost.changedAt) - Date.now())).toBeLessThan(60_000)
      })
      // The refused write has left no audit row.
      expect(rows).toHaveLength(1)
    }
  })

  test('refuses an old version, accepts the current one, and without a version the last writer wins', async () => {
    const { version } = await read()
    expect((await send(pair[0], method, path(), body('first'))).status).toBe(200)
    expect((await send(pair[0], method, path(), body('second'))).status).toBe(200)
    const late = await send(pair[1], method, `${path()}?ifVersion=${version}`, body('late'))
    expect(late.status).toBe(409)
    if (version > 0) expect(late.body.error).toContain('changed')
    expect(await read()).toEqual({ version: version + 2, text: 'second' })
    expect((await send(pair[1], method, `${path()}?ifVersion=${version + 2}`, body('again'))).status).toBe(200)
    expect((await read()).text).toBe('again')
  })
})

test('the operator API saves one of two changes of a user at the same time, so that a new plan does not undo a ban', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const path = `/users/${user}`
    const { version, plan, banned } = await stored(path)
    const other = plan === 'premium' ? 'standard' : 'premium'
    const bodies = [{ plan: other }, { banned: !banned }]
    const replies = await Promise.all(
      pair.map((who, i) => send(who, 'PATCH', `${path}?ifVersion=${version}`, bodies[i])),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    const won = replies.findIndex(({ status }) => status === 200)
    expect(await stored(path)).toMatchObject({ plan, banned, ...bodies[won], version: version + 1 })
    expect(replies[1 - won]!.body.error).toMatch(
      new RegExp(
        `^The user .+ was changed by ${pair[won]!.email} ${WHEN} \\(${won === 0 ? 'plan' : 'banned'}\\), after`,
      ),
    )
  }
})

describe('the operator API', () => {
  test.each(['/tools/new', '/directories/new', '/categories/new', '/tags/new', '/directory-categories/new'])(
    'creates %s once when two administrators create it at the same time, and tells the other that it exists',
    async (base) => {
      for (let round = 0; round < ROUNDS; round++) {
        const path = `${base}-${round}`
        const replies = await Promise.all(
          pair.map((who, i) => send(who, 'PUT', `${path}?ifVersion=0`, { name: `Of ${i}` })),
        )
        expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
        const won = replies.findIndex(({ status }) => status === 200)
        expect(await stored(path)).toMatchObject({ name: `Of ${won}`, version: 1 })
        expect(replies[1 - won]!.body.error).toMatch(new RegExp(`already, last changed by ${pair[won]!.email} ${WHEN}`))
      }
    },
  )

  test.each(['/tools/again', '/categories/again', '/tags/again', '/directory-categories/again', '/directories/again'])(
    'does not take %s that was deleted and made again for the one that was read',
    async (path) => {
      const read = (await service.admin('PUT', path, { name: 'First' })).body.data
      expect((await send(pair[0], 'DELETE', `${path}?ifVersion=${read.version}`)).status).toBe(200)
      const gone = await send(pair[1], 'PUT', `${path}?ifVersion=${read.version}`, { name: 'Late' })
      expect([gone.status, gone.body.error]).toEqual([
        409,
        expect.stringMatching(new RegExp(`was deleted by ${pair[0].email} ${WHEN}`)),
      ])
      const made = (await service.admin('PUT', path, { name: 'Second' })).body.data
      expect(made.version).toBe(read.version + 1)
      const late = await send(pair[1], 'PUT', `${path}?ifVersion=${read.version}`, { name: 'Late' })
      expect(late.status).toBe(409)
      expect((await stored(path)).name).toBe('Second')
      // An import makes things too.
      await service.admin('DELETE', path)
      const kind = { tools: 'tool', categories: 'category', tags: 'tag', directories: 'directory' }[path.split('/')[1]!]
      await service.load([{ kind: kind ?? 'directoryCategory', slug: 'again', name: 'Third' }])
      expect((await stored(path)).version).toBe(read.version + 2)
    },
  )

  test.each([
    '/tools/doomed',
    '/tags/doomed',
    '/categories/doomed',
    '/directory-categories/doomed',
    '/directories/doomed',
  ])('DELETE %s deletes only the version that was read', async (path) => {
    const { version } = (await service.admin('PUT', path, { name: 'Read' })).body.data
    await service.admin('PUT', path, { name: 'Changed' })
    expect((await send(pair[0], 'DELETE', `${path}?ifVersion=${version}`)).status).toBe(409)
    expect((await send(pair[0], 'DELETE', `${path}?ifVersion=${version + 1}`)).status).toBe(200)
  })

  test('names an import as the change when a later write is refused', async () => {
    for (const [kind, path] of [
      ['tool', '/tools/imported'],
      ['tag', '/tags/imported'],
    ] as const) {
      await service.admin('PUT', path, { name: 'Before' })
      const { version } = await stored(path)
      await service.load([{ kind, slug: 'imported', name: 'By an import' }])
      const { status, body } = await service.admin('PUT', `${path}?ifVersion=${version}`, { name: 'Late' })
      expect([status, body.error]).toEqual([409, expect.stringMatching(new RegExp(`by an import of operator ${WHEN}`))])
      // An import that does not name the row leaves its version as it is.
      await service.load([{ kind, slug: `other-${kind}`, name: 'Other' }])
      expect((await stored(path)).version).toBe(version + 1)
    }
    const { version } = await stored('/tools/imported')
    await service.admin('PUT', '/tools/imported', { name: 'By a person' })
    await service.load([{ kind: 'tag', slug: 'unrelated', name: 'Unrelated' }])
    const late = await service.admin('PUT', `/tools/imported?ifVersion=${version}`, { name: 'Late' })
    expect(late.body.error).toMatch(/was changed by operator at/)
  })

  test('keeps the version on a click, on a recorded directory, and when a write changes nothing', async () => {
    const [tool, work] = [await stored('/tools/acme'), await stored(`/submissions/${submission}`)]
    await service.sql(`update tools set opens = opens + 1 where slug = 'acme'`)
    await service.admin('PUT', `/submissions/${submission}/directories/peak`, { isSubmitted: false })
    await service.admin('PATCH', '/tools/acme', { featured: tool.featured })
    await service.admin('PATCH', `/submissions/${submission}`, { notes: work.notes })
    expect((await stored('/tools/acme')).version).toBe(tool.version)
    expect((await stored(`/submissions/${submission}`)).version).toBe(work.version)
  })

  test.each(['abc', '', '-1', '1.5', '99999999999', '1&ifVersion=2'])(
    'answers 400 to ifVersion=%s and does not write',
    async (text) => {
      const before = await stored('/tags/api')
      const reply = await service.admin('PUT', `/tags/api?ifVersion=${text}`, { name: 'Unguarded' })
      expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('ifVersion')])
      expect(await stored('/tags/api')).toEqual(before)
    },
  )

  test('answers 409 to a version that never existed', async () => {
    const { version } = await stored('/tags/api')
    const { status, body } = await service.admin('PUT', `/tags/api?ifVersion=${version + 7}`, { name: 'x' })
    expect([status, body.error]).toEqual([409, expect.stringContaining(`${version + 7} never existed`)])
  })

  test('takes ifVersion and may answer 409 on every write of an existing thing, with these exceptions', () => {
    const isGuarded = ({ parameters }: (typeof operatorOperations)[number]) => 'ifVersion' in parameters.properties
    const writes = operatorOperations.filter(({ method }) => method !== 'GET')
    expect(writes.filter(isGuarded).filter(({ failures }) => !failures.includes(409))).toEqual([])
    expect(operatorOperations.filter(({ method }) => method === 'GET').filter(isGuarded)).toEqual([])
    const exceptions = [
      // These make something new, or can be repeated without harm.
      'create_key',
      'revoke_key',
      'rotate_key',
      'create_partner',
      'create_partner_key',
      'import_catalog',
      'import_table',
      'preview_table',
      'confirm_tags',
      'split_tag',
      'forget_opening',
      // Each submission in its body has a version.
      'change_submissions',
      // Only the administrator whose view it is changes it.
      'put_queue_view',
      'delete_queue_view',
      'check_listings',
      'change_tool_health',
      'change_directory_health',
      'decide_health',
      'replace_report',
      'make_article_of_reply',
      'add_partner_knowledge',
      'add_knowledge',
      'resend_webhook',
      'send_test_event',
      'retry_enrichment',
      'upload_picture',
      'retry_pictures',
      'create_user_link',
      'export_person',
      'delete_person',
      'compare_subscriptions',
      'compare_order',
      'withdraw_grant',
      'remove_owner',
      'put_agents',
      ...writes.filter(({ group }) => group === 'Backups').map(({ name }) => name),
      'compare_settings',
    ]
    const unguarded = writes.filter((one) => !isGuarded(one)).map(({ name }) => name)
    expect(unguarded.toSorted()).toEqual(exceptions.toSorted())
  })
})

test('the command line takes --if-version and prints the refusal of the service', async () => {
  const env = { CATALOG_URL: service.origin, ADMIN_TOKEN }
  const { version } = await stored('/tags/api')
  const put = (flags: string[]) => catalog(['tags', 'put', 'api', '--name', 'By command', ...flags], env)
  expect((await put(['--if-version', String(version)])).status).toBe(0)
  const late = await put(['--if-version', String(version)])
  expect([late.status, late.err]).toEqual([1, expect.stringMatching(new RegExp(`changed by operator ${WHEN}`))])
})

describe('the console', () => {
  const FORMS: Record<string, { path: () => string; page?: () => string; field: string }> = {
    'a partner': { path: () => `/admin/partners/${partner.id}`, field: 'name' },
    'a category': { path: () => '/admin/taxonomy/categories/writing', field: 'name' },
    'a tool': { path: () => '/admin/tools/acme', field: 'tagline' },
    'a directory': { path: () => '/admin/directories/peak', field: 'smallDescription' },
    'an article': { path: () => `/admin/knowledge/${article}`, field: 'title' },
    'a submission': {
      path: () => `/admin/submissions/${submission}/change`,
      page: () => `/admin/submissions/${submission}`,
      field: 'internalNotes',
    },
    'a reply': {
      path: () => `/admin/support/${conversation}/reply`,
      page: () => `/admin/support/${conversation}`,
      field: 'content',
    },
  }

  test.each(Object.entries(FORMS))(
    `saves one of two forms of %s that were open at the same time, and returns the other with its text and the name of the first writer, ${ROUNDS} times in a row`,
    async (_name, { path, page = path, field }) => {
      for (let round = 0; round < ROUNDS; round++) {
        const forms = await Promise.all(pair.map(async (who) => formWith((await who.open(page())).text, path(), field)))
        const typed = forms.map((_, i) => `typed ${round} by ${i}`)
        const replies = await Promise.all(pair.map((who, i) => who.post(path(), { ...forms[i]!, [field]: typed[i]! })))
        expect(replies.map(({ status }) => status).sort()).toEqual([303, 409])
        const lost = replies.findIndex(({ status }) => status === 409)
        expect(replies[lost]!.text).toMatch(new RegExp(`by ${pair[1 - lost]!.email} ${WHEN}`))
        const back = formWith(replies[lost]!.text, path(), field)
        expect(back[field]).toBe(typed[lost])
        // The second administrator has now read the stored version, so the same form is saved when it is sent again.
        if (round === 0) expect((await pair[lost]!.post(path(), back)).status).toBe(303)
      }
    },
  )

  test('returns the values chosen in the refused form of a user, and loses neither change', async () => {
    const path = `/admin/users/${user}`
    for (let round = 0; round < ROUNDS; round++) {
      await service.admin('PATCH', `/users/${user}`, { plan: 'standard', role: 'user', partner: null, banned: false })
      const forms = await Promise.all(pair.map(async (who) => filledForm((await who.open(path)).text, path)))
      const changes: Record<string, string>[] = [{ plan: 'premium' }, { partner: partner.id }]
      const replies = await Promise.all(pair.map((who, i) => who.post(path, { ...forms[i]!, ...changes[i] })))
      expect(replies.map(({ status }) => status).sort()).toEqual([303, 409])
      const lost = replies.findIndex(({ status }) => status === 409)
      expect(replies[lost]!.text).toMatch(new RegExp(`by ${pair[1 - lost]!.email} ${WHEN}`))
      expect(filledForm(replies[lost]!.text, path)).toMatchObject(changes[lost]!)
    }
  })

  test.each([
    ['a partner', () => `/admin/partners/${partner.id}`, () => `/partners/${partner.id}`],
    ['a user', () => `/admin/users/${user}`, () => `/users/${user}`],
  ])('refuses a button on the page of %s that was changed after it was opened', async (_name, path, api) => {
    const [admin] = pair
    const form = filledForm((await admin.open(path())).text, `${path()}/ban`)
    const change = api().startsWith('/users') ? { plan: 'premium' } : { name: 'Changed meanwhile' }
    await service.admin('PATCH', api(), api().startsWith('/users') ? { plan: 'standard' } : {})
    await service.admin('PATCH', api(), change)
    const reply = await admin.post(`${path()}/ban`, { ...form, banned: 'true' })
    expect(reply.status).toBe(303)
    expect((await admin.open(path())).text).toMatch(
      new RegExp(`changed (\\d+ times after you read it, last )?by operator ${WHEN}`),
    )
    expect((await stored(api())).banned).toBe(false)
  })
})

/** Finds the form that has the field, because a page may have several forms with the same action. */
function formWith(html: string, action: string, field: string): Record<string, string> {
  const from = html.split(/(?=<form\b)/)
  for (const part of from) {
    if (!part.includes(`action="${action}"`) || !part.includes(`name="${field}"`)) continue
    return filledForm(part, action)
  }
  throw new Error(`no form for ${action} with ${field}`)
}
