// Two administrators have the same form open: the one who saves last must not undo the change of the other.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { filledForm } from '../harness/console-forms.ts'
import { expectSound } from '../harness/html.ts'
import { queue, SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { asked, newSupportPartner } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let first: Browser & { email: string }
let second: Browser
let partner: string
let submission: string
let conversation: string
const service = useService()
beforeAll(async () => {
  first = await signedUpAdmin(service)
  second = await signedUpAdmin(service)
  partner = (await service.newPartner({ name: 'Shared', webhookUrl: 'https://old.example.com/' })).id
  await service.load([{ kind: 'directoryCategory', slug: 'saas', name: 'SaaS' }, ...SUBMISSION_CATALOG])
  const { key } = await newSupportPartner(service, 'human')
  conversation = (await asked(service, key, 'Where is my invoice?')).id
  const { id } = await submitted(service, key, { paymentType: 'starter' })
  submission = (await queue(service)).find(({ toolId }) => toolId === id)!.id
  await service.admin('PUT', '/support/saved-replies/hours', { body: 'From nine.' })
  await service.admin('PUT', '/site', { name: 'Stored' })
  await service.admin('PUT', '/collections/steps', { name: 'Steps', text: '', tools: [], directories: [] })
})

describe.each([
  ['a partner', () => `/admin/partners/${partner}`, () => `/partners/${partner}`],
  ['a category', () => '/admin/taxonomy/categories/writing', () => '/categories/writing'],
  ['a tag', () => '/admin/taxonomy/tags/api', () => '/tags/api'],
  ['a directory category', () => '/admin/taxonomy/directory-categories/saas', () => '/directory-categories/saas'],
  ['the site', () => '/admin/site', () => '/site'],
])('the form of %s', (_what, pathOf, apiOf) => {
  const nameOf = async () => (await service.admin('GET', apiOf())).body.data.name

  test('is refused with what was typed when it is out of date, and saved when it is sent again after that', async () => {
    const path = pathOf()
    const [theirs, mine] = [await first.open(path), await second.open(path)].map(({ text }) => filledForm(text, path))
    expect((await first.post(path, { ...theirs!, name: 'Theirs' })).status).toBe(303)
    const refused = await second.post(path, { ...mine!, name: 'Mine' })
    expect(refused.status).toBe(409)
    expect(refused.text).toMatch(
      new RegExp(`was changed by ${first.email} at \\d{4}-\\d\\d-\\d\\d [\\d:]{8} UTC \\(name\\)`),
    )
    expect(await nameOf()).toBe('Theirs')
    const again = filledForm(refused.text, path)
    expect(again.name).toBe('Mine')
    expect((await second.post(path, again)).status).toBe(303)
    expect(await nameOf()).toBe('Mine')
  })

  test('is also out of date after a change through the operator API', async () => {
    const path = pathOf()
    const form = filledForm((await first.open(path)).text, path)
    const method = apiOf().startsWith('/partners') ? 'PATCH' : 'PUT'
    expect((await service.admin(method, apiOf(), { name: 'By the API' })).status).toBe(200)
    expect((await first.post(path, { ...form, name: 'Late' })).status).toBe(409)
    expect(await nameOf()).toBe('By the API')
  })

  test('is not out of date when the other administrator saved without a change', async () => {
    const path = pathOf()
    const [theirs, mine] = [await first.open(path), await second.open(path)].map(({ text }) => filledForm(text, path))
    expect((await first.post(path, theirs!)).status).toBe(303)
    expect((await second.post(path, { ...mine!, name: 'Still' })).status).toBe(303)
    expect(await nameOf()).toBe('Still')
  })
})

interface StaleForm {
  page: string
  action: string
  /** What is typed, and what another administrator stores meanwhile. */
  typed: Record<string, string>
  field: string
  stored: string
  change: [method: string, path: string, body: object]
}

const formsOf = (): Record<string, StaleForm> => {
  const work = `/admin/submissions/${submission}`
  const partnerPage = `/admin/partners/${partner}`
  return {
    'the site': {
      page: '/admin/site',
      action: '/admin/site',
      typed: { about: 'Zqmine' },
      field: 'about',
      stored: 'Zqtheirs',
      change: ['PUT', '/site', { texts: { about: 'Zqtheirs' } }],
    },
    'a collection': {
      page: '/admin/collections/steps',
      action: '/admin/collections/steps',
      typed: { text: 'Zqmine' },
      field: 'text',
      stored: 'Zqtheirs',
      change: ['PUT', '/collections/steps', { name: 'Steps', text: 'Zqtheirs', tools: [], directories: [] }],
    },
    'the desk of a conversation': {
      page: `/admin/support/${conversation}`,
      action: `/admin/support/${conversation}/desk`,
      typed: { internalNotes: 'Zqmine' },
      field: 'internalNotes',
      stored: 'Zqtheirs',
      change: ['PATCH', `/support/conversations/${conversation}/desk`, { internalNotes: 'Zqtheirs' }],
    },
    'a saved reply': {
      page: '/admin/support/saved-replies',
      action: '/admin/support/saved-replies',
      typed: { body: 'Zqmine' },
      field: 'body',
      stored: 'Zqtheirs',
      change: ['PUT', '/support/saved-replies/hours', { body: 'Zqtheirs' }],
    },
    'the limits of a partner': {
      page: partnerPage,
      action: `${partnerPage}/plan`,
      typed: { budget: '17' },
      field: 'budget',
      stored: '4321',
      change: ['PATCH', `/partners/${partner}`, { plan: { budget: 4321, badges: true } }],
    },
    'the events of a partner': {
      page: partnerPage,
      action: partnerPage,
      typed: { contactEmail: 'zqmine@example.com' },
      field: 'contactEmail',
      stored: 'Progress of the work',
      change: ['PATCH', `/partners/${partner}`, { events: ['submission.progress'] }],
    },
    'the terms of a plan': {
      page: `${work}/plan`,
      action: `${work}/plan`,
      typed: { language: 'pt' },
      field: 'language',
      stored: 'fi',
      change: ['PATCH', `/submissions/${submission}`, { language: 'fi' }],
    },
    'a decision about a plan': {
      page: `${work}/plan`,
      action: `${work}/plan/peak`,
      typed: { reason: 'Zqmine', decision: 'pinned' },
      field: 'reason',
      stored: 'Zqtheirs',
      change: ['PUT', `/submissions/${submission}/plan/peak`, { decision: 'pinned', reason: 'Zqtheirs' }],
    },
    'the end of a submission': {
      page: `${work}/done`,
      action: `${work}/done`,
      typed: { notes: 'Zqmine' },
      field: 'notes',
      stored: 'Zqtheirs',
      change: ['PATCH', `/submissions/${submission}`, { notes: 'Zqtheirs' }],
    },
  }
}

test('every form that is out of date keeps what was typed, shows what is stored, and is saved when it is sent again', async () => {
  for (const [what, { page, action, typed, field, stored, change }] of Object.entries(formsOf())) {
    const mine = filledForm((await second.open(page)).text, action)
    const changed = await service.admin(...change)
    expect([what, changed.status, changed.body.error]).toEqual([what, 200, undefined])
    const refused = await second.post(action, { ...mine, ...typed })
    expect([what, refused.status]).toEqual([what, 409])
    await expectSound(refused.text)
    const [, now = ''] = /aria-label="Stored now">(.*?)<\/section>/s.exec(refused.text) ?? []
    expect([what, now]).toEqual([what, expect.stringContaining(stored)])
    const again = filledForm(refused.text, action)
    expect([what, again[field]]).toEqual([what, typed[field]])
    const saved = await second.post(action, { ...typed, ...again })
    expect([what, saved.status]).toEqual([what, 303])
  }
})
