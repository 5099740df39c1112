// Tools and directories in the console, without JavaScript.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { expectConsolePage, expectGuarded, fill, filledForm, HOSTILE_MARKUP } from '../harness/console-forms.ts'
import { expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }

const WHOLE_TOOL = {
  name: `Acme ${HOSTILE_MARKUP}`,
  tagline: 'Drafts your mail',
  description: 'First paragraph.\n\nSecond <paragraph>.',
  website: 'https://acme.example.com',
  category: 'writing',
  tags: ['zebra', 'api'],
  pricing: 'PAID',
  rating: 4.5,
  featured: true,
  icon: 'https://acme.example.com/icon.png',
  frame: 'https://acme.example.com/frame.png',
  founderName: 'Ada',
  founderEmail: 'ada@acme.example.com',
  location: 'Lisbon',
  domainRating: 40.5,
  isForSale: true,
  askingPrice: 1000,
  discountCode: 'ACME10',
  affiliate: true,
  affiliateLink: 'https://acme.example.com/partners',
  screenshots: ['https://acme.example.com/1.png', 'https://acme.example.com/2.png'],
  video: 'https://www.youtube.com/watch?v=abcdefghijk',
  socials: { x: 'https://x.com/acme', github: 'https://github.com/acme' },
  faqs: [{ question: 'Free?', answer: 'No.\nNot yet.' }],
  features: { 'Style learning': 'Learns from "you".', Offline: 'Yes' },
}
const WHOLE_DIRECTORY = {
  name: `Launch ${HOSTILE_MARKUP}`,
  website: 'https://launch.example.org',
  submissionLink: 'https://launch.example.org/submit',
  cost: 'Paid',
  type: 'DoFollow',
  domainRating: 71,
  monthlyVisits: 120_000,
  requiresBadge: true,
  minimumPrice: 19,
  submissionExperience: 'Good',
  featured: false,
  categories: ['saas'],
  smallDescription: 'A daily list',
  fullDescription: 'Ten new products a day.',
  features: ['Newsletter', 'Badge'],
  useCases: ['First users'],
  faq: [{ question: 'How long?', answer: 'A day.' }],
  deal: { text: '20 % off', code: 'LAUNCH20' },
  socials: { x: 'https://x.com/launch' },
}

const service = useService()
beforeAll(async () => {
  admin = await signedUpAdmin(service)
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'category', slug: 'nsfw', name: 'NSFW', adult: true },
    { kind: 'tag', slug: 'api', name: 'API' },
    { kind: 'tag', slug: 'zebra', name: 'Zebra Stripes' },
    { kind: 'tag', slug: 'spicy', name: 'Spicy', adult: true },
    { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
    { kind: 'tool', slug: 'acme', ...WHOLE_TOOL },
    { kind: 'tool', slug: 'plain', name: 'Plain tool', published: false, founderEmail: 'hidden@plain.example.com' },
    { kind: 'tool', slug: 'hot', name: 'Hot tool', category: 'nsfw', tags: ['spicy'] },
    { kind: 'directory', slug: 'launch', ...WHOLE_DIRECTORY },
  ])
})

const stored = async (path: string) => (await service.admin('GET', path)).body.data

describe('the pages of listings', () => {
  test.each([
    '/admin/tools',
    '/admin/tools/-/new',
    '/admin/tools/acme',
    '/admin/tools/acme/preview',
    '/admin/tools/acme/delete',
    '/admin/tools/plain/preview',
    '/admin/tools/hot',
    '/admin/directories',
    '/admin/directories/-/new',
    '/admin/directories/launch',
    '/admin/directories/launch/preview',
    '/admin/directories/launch/delete',
  ])('show %s without errors to administrators, and to no other user', async (path) => {
    await expectConsolePage(service, admin, path)
  })

  test('answer 404 for a listing that does not exist', async () => {
    for (const path of ['/admin/tools/nothing', '/admin/tools/nothing/preview', '/admin/directories/nothing/delete'])
      expect((await admin.open(path)).status).toBe(404)
  })
})

describe('the list of tools', () => {
  const found = async (query: string) =>
    [...(await admin.open(`/admin/tools?${query}`)).text.matchAll(/href="\/admin\/tools\/([\w-]+)"/g)].map(
      ([, slug]) => slug,
    )

  test('shows drafts too, newest first, and can be filtered', async () => {
    expect((await found('')).sort()).toEqual(['acme', 'hot', 'plain'])
    expect(await found('published=false')).toEqual(['plain'])
    expect(await found('featured=true')).toEqual(['acme'])
    expect(await found('q=PLAIN')).toEqual(['plain'])
    expect(await found('q=hidden%40plain')).toEqual(['plain'])
    expect(await found('category=nsfw')).toEqual(['hot'])
    expect(await found('tag=zebra')).toEqual(['acme'])
    expect(await found('pricing=PAID')).toEqual(['acme'])
    expect(await found('q=100%25')).toEqual([])
    await expectSound((await admin.open('/admin/tools?q=nothing-like-it')).text)
  })

  test('gives the same results as the operator API', async () => {
    const slugs = async (query: string) => (await stored(`/tools?${query}`)).map(({ slug }: { slug: string }) => slug)
    expect(await slugs('published=false')).toEqual(['plain'])
    expect(await slugs('q=acme+drafts')).toEqual(['acme'])
    expect(await slugs('q=a_me')).toEqual([])
    expect((await service.admin('GET', '/tools?published=maybe')).status).toBe(400)
    expect((await stored('/directories?q=daily&cost=paid')).map(({ slug }: { slug: string }) => slug)).toEqual([
      'launch',
    ])
    expect(await stored('/tools/plain')).toMatchObject({ published: false, founderEmail: 'hidden@plain.example.com' })
    expect((await service.admin('GET', '/tools/nothing')).status).toBe(404)
  })

  test('has pages of fifty, each with a link to the next', async () => {
    await service.load(
      Array.from({ length: 60 }, (_, i) => ({ kind: 'tool', slug: `bulk-${i}`, name: `Bulk ${i}`, published: false })),
    )
    const first = await admin.open('/admin/tools?q=bulk')
    expect(first.text.match(/href="\/admin\/tools\/bulk-\d+"/g)).toHaveLength(50)
    expect(first.text).toContain('href="/admin/tools?q=bulk&amp;page=2" rel="next"')
    const second = await admin.open('/admin/tools?q=bulk&page=2')
    expect(second.text.match(/href="\/admin\/tools\/bulk-\d+"/g)).toHaveLength(10)
    expect(second.text).not.toContain('rel="next"')
  })
})

describe('the form of a listing', () => {
  test.each([
    ['tools/acme', WHOLE_TOOL],
    ['directories/launch', WHOLE_DIRECTORY],
  ])('changes nothing of %s when it is saved untouched', async (path, whole) => {
    const before = await stored(`/${path}`)
    const rows = await audited(service, async () => {
      const reply = await fill(admin, `/admin/${path}`, `/admin/${path}`, {})
      expect([reply.status, reply.headers.get('location')]).toEqual([303, `/admin/${path}`])
    })
    const after = await stored(`/${path}`)
    expect(after).toEqual(before)
    expect(after).toMatchObject(whole)
    expect(rows).toEqual([])
  })

  test('saves the changed fields, and the audit log names them', async () => {
    const rows = await audited(service, async () => {
      await fill(admin, '/admin/tools/plain', '/admin/tools/plain', {
        name: '  New name ',
        description: 'One.\r\n\r\nTwo.',
        'tags+': 'Zebra stripes, api',
        'socials.0.name': 'x',
        'socials.0.value': 'https://x.com/plain',
        'faqs.0.name': 'Why?',
        'faqs.0.value': 'Because.',
        domainRating: '12.5',
        published: 'true',
      })
    })
    expect(await stored('/tools/plain')).toMatchObject({
      name: 'New name',
      description: 'One.\n\nTwo.',
      tags: ['zebra', 'api'],
      socials: { x: 'https://x.com/plain' },
      faqs: [{ question: 'Why?', answer: 'Because.' }],
      domainRating: 12.5,
      published: true,
      founderEmail: 'hidden@plain.example.com',
    })
    expect(rows[0]!.details.changed).toEqual(expect.arrayContaining(['name', 'tags', 'published']))
  })

  test('comes back with what was typed and with the errors marked when a field is wrong, and nothing is saved', async () => {
    const before = await stored('/tools/acme')
    const reply = await fill(admin, '/admin/tools/acme', '/admin/tools/acme', {
      name: '',
      website: 'javascript:alert(1)',
      tagline: `typed ${HOSTILE_MARKUP}`,
      domainRating: 'much',
      'tags+': 'unheard-of',
      'features.0.name': '',
    })
    expect(reply.status).toBe(400)
    await expectSound(reply.text, ['<script>alert', '<b onclick', 'href="javascript'])
    for (const text of ['Name must', 'Website must be', 'Domain Rating must be', 'unheard-of', 'a row has no name'])
      expect(reply.text).toContain(text)
    expect(filledForm(reply.text, '/admin/tools/acme')).toMatchObject({
      website: 'javascript:alert(1)',
      tagline: `typed ${HOSTILE_MARKUP}`,
      domainRating: 'much',
    })
    expect(await stored('/tools/acme')).toEqual(before)
  })

  test('shows all errors of a field at that field, including entries that do not exist', async () => {
    const reply = await fill(admin, '/admin/tools/acme', '/admin/tools/acme', {
      'tags+': 'unheard-of, name must',
      screenshots: 'https://acme.example.com/1.png\nfirst\nsecond',
    })
    expect(reply.status).toBe(400)
    const marked = [...reply.text.matchAll(/<p class="error"[^>]*>([^<]*)</g)].map(([, text]) => text)
    expect(marked).toHaveLength(2)
    expect(marked).toContainEqual(
      'Screenshots.1 must be a complete http or https address. Screenshots.2 must be a complete http or https address.',
    )
    expect(marked).toContainEqual('Tags unheard-of, name must do not exist; create them first.')
    expect(reply.text).toContain('Nothing was saved. Correct the marked fields.')
  })

  test('comes back with more rows and what was typed when more rows are asked for, and nothing is saved', async () => {
    const before = await stored('/tools/acme')
    const reply = await fill(admin, '/admin/tools/acme', '/admin/tools/acme', { do: 'more features', tagline: 'Typed' })
    expect(reply.status).toBe(200)
    await expectSound(reply.text)
    const fields = filledForm(reply.text, '/admin/tools/acme')
    expect(fields.tagline).toBe('Typed')
    expect(fields['features.5.name']).toBe('')
    expect(await stored('/tools/acme')).toEqual(before)
  })

  test('says why a listing is adult', async () => {
    const page = (await admin.open('/admin/tools/hot')).text
    expect(page).toContain('the category NSFW is adult')
    expect(page).toContain('the tag Spicy is adult')
  })
})

describe('a new listing', () => {
  test('is created, with a slug made from its name', async () => {
    const reply = await fill(admin, '/admin/tools/-/new', '/admin/tools', {
      name: 'Brand New Tool',
      website: 'https://new.example',
    })
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/admin/tools/brand-new-tool'])
    expect(await stored('/tools/brand-new-tool')).toMatchObject({ name: 'Brand New Tool', published: true })
    expect((await admin.open('/admin/tools/brand-new-tool')).text).toContain('Created Brand New Tool.')
  })

  test('never replaces an existing one', async () => {
    const before = await stored('/tools/acme')
    const reply = await fill(admin, '/admin/tools/-/new', '/admin/tools', { name: 'Thief', slug: 'acme' })
    expect(reply.status).toBe(409)
    expect(reply.text).toContain('There is a tool acme already')
    expect(filledForm(reply.text, '/admin/tools').name).toBe('Thief')
    expect(await stored('/tools/acme')).toEqual(before)
  })

  test('may be a directory, with its category typed by name', async () => {
    await fill(admin, '/admin/directories/-/new', '/admin/directories', {
      name: 'New Place',
      'categories+': 'saas',
      published: null,
    })
    expect(await stored('/directories/new-place')).toMatchObject({ categories: ['saas'], published: false })
  })
})

describe('two administrators who edit the same listing', () => {
  test('overwrite nothing: the form takes over what the other changed, and shows what both changed', async () => {
    await service.load([
      { kind: 'tool', slug: 'shared', name: 'Shared', tagline: 'Old', description: 'Old', location: 'Old' },
    ])
    const opened = filledForm((await admin.open('/admin/tools/shared')).text, '/admin/tools/shared')
    await service.admin('PUT', '/tools/shared', {
      name: 'Shared',
      tagline: `Theirs ${HOSTILE_MARKUP}`,
      description: 'Theirs',
      location: 'Old',
    })
    const mine = { ...opened, tagline: 'Mine', location: 'Mine' }
    const reply = await admin.post('/admin/tools/shared', mine)
    expect(reply.status).toBe(409)
    await expectSound(reply.text, ['<script>alert', '<b onclick'])
    expect(reply.text).toContain('changed by operator')
    expect(reply.text).toContain('Taken over into the form, because you had not touched them: Description.')
    expect(await stored('/tools/shared')).toMatchObject({ description: 'Theirs', location: 'Old' })
    const merged = filledForm(reply.text, '/admin/tools/shared')
    expect(merged).toMatchObject({ tagline: 'Mine', description: 'Theirs', location: 'Mine' })
    expect((await admin.post('/admin/tools/shared', merged)).status).toBe(303)
    expect(await stored('/tools/shared')).toMatchObject({ tagline: 'Mine', description: 'Theirs', location: 'Mine' })
  })

  test('do not create a deleted listing again without saying so', async () => {
    await service.load([{ kind: 'tool', slug: 'going', name: 'Going' }])
    const opened = filledForm((await admin.open('/admin/tools/going')).text, '/admin/tools/going')
    await service.admin('DELETE', '/tools/going')
    const reply = await admin.post('/admin/tools/going', { ...opened, name: 'Still here' })
    expect(reply.status).toBe(409)
    await expectSound(reply.text)
    expect(reply.text).toMatch(/The tool going was deleted by operator at .* Saving now creates it again\./)
    expect((await service.admin('GET', '/tools/going')).status).toBe(404)
    expect((await admin.post('/admin/tools/going', filledForm(reply.text, '/admin/tools/going'))).status).toBe(303)
    expect(await stored('/tools/going')).toMatchObject({ name: 'Still here' })
  })
})

describe('the buttons of a listing', () => {
  test('publish, hide and feature it with one click each, and every click is in the audit log', async () => {
    const press = async (fields: Record<string, string>) => {
      const { token } = filledForm((await admin.open('/admin/tools/acme')).text, '/admin/tools/acme/change')
      return admin.post('/admin/tools/acme/change', { token: token!, ...fields })
    }
    const rows = await audited(service, async () => {
      expect((await press({ published: 'false' })).status).toBe(303)
    })
    expect(rows).toMatchObject([{ action: 'tool.change', subject: 'tool:acme', details: { published: false } }])
    await service.settled()
    expect((await service.rest('/tools/acme')).status).toBe(404)
    expect((await admin.open('/admin/tools/acme/preview')).text).toContain('Preview of a draft')
    await press({ published: 'true' })
    await press({ featured: 'false' })
    await service.settled()
    expect((await service.rest('/tools/acme')).body.data).toMatchObject({
      featured: false,
      tagline: 'Drafts your mail',
    })
  })

  test('ask before they delete it', async () => {
    await service.load([{ kind: 'tool', slug: 'unwanted', name: 'Unwanted' }])
    await admin.open('/admin/tools/unwanted/delete')
    expect((await service.admin('GET', '/tools/unwanted')).status).toBe(200)
    const reply = await admin.submit('/admin/tools/unwanted/delete', '/admin/tools/unwanted/delete')
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/admin/tools'])
    expect((await service.admin('GET', '/tools/unwanted')).status).toBe(404)
  })

  test('change nothing without the token of the session', async () => {
    const before = await stored('/tools/acme')
    await expectGuarded(service, admin, '/admin/tools/acme', { name: 'Forged' })
    await expectGuarded(service, admin, '/admin/tools/acme/change', { published: 'false' })
    await expectGuarded(service, admin, '/admin/tools/acme/delete', {})
    await expectGuarded(service, admin, '/admin/tools', { name: 'Forged' })
    expect(await stored('/tools/acme')).toEqual(before)
    expect((await service.admin('GET', '/tools/forged')).status).toBe(404)
  })
})
