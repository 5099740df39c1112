// POST /submit-ai-tool: what is refused, and that a refused request stores nothing.
// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import type { RequestOptions } from '../harness/service.ts'
import { expectFailure } from '../harness/shapes.ts'
import {
  newTool,
  queue,
  REQUIRED_FIELDS,
  refusedSubmission,
  SUBMISSION_CATALOG,
  submit,
} from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService({ OUTBOUND_ALLOW_CIDRS: '10.20.0.0/16' })
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  key = (await service.newPartner()).key
})

const refused = (body: unknown, more?: RequestOptions) => refusedSubmission(service, key, body, more)
const wrong = (more: Record<string, unknown>) => refused(newTool(more))

describe('400: required fields', () => {
  test.each(REQUIRED_FIELDS)('%s missing', async (field) => {
    const error = await wrong({ [field]: undefined })
    expect(error).toBe(`${field} is required.`)
  })

  test('when all are missing, one error names every field', async () => {
    for (const body of [{}, { unknown: 1 }]) {
      const error = await refused(body)
      for (const field of REQUIRED_FIELDS) expect(error).toMatch(new RegExp(`\\b${field}\\b`))
    }
  })

  test.each(REQUIRED_FIELDS.filter((field) => field !== 'tags'))('a blank %s counts as missing', async (field) => {
    for (const blank of ['', '   ', '\n\t\u00a0\u3000'])
      expect(await wrong({ [field]: blank })).toContain(`${field} is required`)
  })

  test.each(REQUIRED_FIELDS)('%s: null counts as missing', async (field) => {
    expect(await wrong({ [field]: null })).toContain(`${field} is required`)
  })
})

describe('400: the error names every offending field and says what is allowed', () => {
  test('when many are wrong', async () => {
    const error = await wrong({
      name: 'x'.repeat(101),
      tagline: undefined,
      website: 'nope',
      category: 'unheard-of',
      pricing: 'GRATIS',
      founderEmail: 'nobody',
      video: 'https://video.example.com/1',
      icon: 'javascript:alert(1)',
      tags: ['ok', 7],
      isCustomer: 'yes',
    })
    for (const part of [
      'name must have at most 100 characters.',
      'tagline is required.',
      'website must be a complete http or https address.',
      'category "unheard-of" does not exist',
      'pricing must be one of FREE, FREEMIUM, PAID.',
      'founderEmail must be an e-mail address',
      'video must be an address at YouTube or Vimeo.',
      'icon must be a complete http or https address.',
      'tags.1 must be a string.',
      'isCustomer must be a boolean.',
    ])
      expect(error).toContain(part)
  })

  test('name: maximum 100 characters, tagline: maximum 200, in Unicode code points after trimming', async () => {
    expect(await wrong({ name: '🦉'.repeat(101) })).toBe('name must have at most 100 characters.')
    expect(await wrong({ name: `${'e\u0301'.repeat(50)}x` })).toBe('name must have at most 100 characters.')
    expect(await wrong({ tagline: '🦉'.repeat(201) })).toBe('tagline must have at most 200 characters.')
  })

  test('every wrong field is named, however many there are and whatever is wrong', async () => {
    const fields = [...REQUIRED_FIELDS, 'location', 'isLaunched', 'faq', 'features', 'discountCode', 'screenshots']
    const error = await refused(Object.fromEntries(fields.map((field) => [field, { is: 5 }])))
    for (const field of fields.filter((one) => one !== 'features')) expect(error).toContain(`${field} must`)
    expect(error).toContain('features.is must be a string.')
    expect(error).not.toContain('additional')
    const several = await wrong({ name: 'a\u0000', website: 'x', tagline: 5 })
    for (const part of ['name must not contain the character NUL.', 'tagline must be a string.', 'website must'])
      expect(several).toContain(part)
  })

  test('pricing is taken in any case, as reads take it', async () => {
    for (const pricing of ['free', 'Freemium', ' pAiD '])
      expect((await submit(service, key, newTool({ pricing }))).body.data.pricing).toBe(pricing.trim().toUpperCase())
  })

  test('pricing and paymentType: the allowed values are listed', async () => {
    expect(await wrong({ pricing: 'FREE OF CHARGE' })).toBe('pricing must be one of FREE, FREEMIUM, PAID.')
    expect(await wrong({ paymentType: 'gold' })).toBe('paymentType must be one of starter, pro, premium.')
  })

  test('blank names and texts inside features, socials and faq are named', async () => {
    for (const blank of ['', '  ', '\u200b\u2060', '\u3164', '\u2800']) {
      expect(await wrong({ features: { [blank]: 'text' } })).toBe('A name in features must not be blank.')
      expect(await wrong({ features: { Fast: blank } })).toBe('features.Fast must not be blank.')
      expect(await wrong({ socials: { [blank]: 'https://x.com/acme' } })).toBe('A name in socials must not be blank.')
      expect(await wrong({ socials: { x: blank } })).toBe('socials.x must not be blank.')
      expect(await wrong({ faq: [{ question: blank, answer: 'Yes.' }] })).toBe('faq.0.question must not be blank.')
      expect(await wrong({ faq: [{ question: 'Free?', answer: blank }] })).toBe('faq.0.answer must not be blank.')
    }
    const error = await wrong({ name: 'x'.repeat(101), features: { A: '' }, faq: [{ question: '', answer: '' }] })
    expect(error).toBe(
      'name must have at most 100 characters. features.A must not be blank. faq.0.question must not be blank. faq.0.answer must not be blank.',
    )
    expect(await wrong({ features: { Fast: 'one', ' Fast': 'two' } })).toBe(
      'features must not have the same name twice.',
    )
    expect(await wrong({ features: { Fast: 'x'.repeat(40_001) } })).toBe(
      'features.Fast must have at most 20000 characters.',
    )
  })

  test.each(REQUIRED_FIELDS.filter((field) => field !== 'tags'))(
    '%s: text without a visible character is blank',
    async (field) => {
      for (const blank of ['\u200b', '\u200d \ufe0f', '\u00ad\u2060\ufeff', '\u3164', '\u{e0020}'])
        expect(await wrong({ [field]: blank })).toContain(`${field} is required`)
    },
  )

  test('control characters are refused in every text; line breaks and tabs are allowed in description, features and answers', async () => {
    const fields = ['name', 'tagline', 'description', 'founderName', 'location', 'discountCode', 'affiliate', 'slug']
    for (const control of ['\u0001', '\u0007', '\u001b', '\u007f', '\u0085'])
      for (const field of fields)
        expect(await wrong({ [field]: `a${control}b` })).toContain(`${field} must not contain control characters`)
    for (const field of fields.filter((one) => one !== 'description'))
      expect(await wrong({ [field]: 'a\nb' })).toContain(`${field} must not contain control characters`)
    expect(await wrong({ location: '\u0007' })).toBe('location must not contain control characters.')
    expect(await wrong({ website: 'https://exa\nmple.com' })).toContain('website must not contain control characters.')
    expect(await wrong({ tags: ['api', 'a\u0007b'] })).toBe('tags.1 must not contain control characters.')
    expect(await wrong({ socials: { 'a\tb': 'https://x.com/a' } })).toBe(
      'A name in socials must not contain control characters.',
    )
    expect(await wrong({ faq: [{ question: 'a\nb?', answer: 'b\u0008' }] })).toBe(
      'faq.0.question must not contain control characters. faq.0.answer must not contain control characters other than line breaks and tabs.',
    )
    const text = 'one\r\n\ttwo'
    const reply = await submit(
      service,
      key,
      newTool({ description: text, features: { Fast: text }, faq: [{ question: 'Free?', answer: text }] }),
    )
    expect(reply.status, reply.text).toBe(201)
    await service.settled()
    expect((await service.rest(`/tools/${reply.body.data.slug}`)).body.data).toMatchObject({
      description: text,
      features: { Fast: text },
      faqs: [{ question: 'Free?', answer: text }],
    })
  })

  test('a tag from which no slug can be made', async () => {
    expect(await wrong({ tags: ['api', '!?', '🦉'] })).toMatch(/^tags\.1 .* tags\.2 /)
  })

  test.each(['plain', 'a@b', 'a b@example.com', '@example.com', 'a@', 'a@b@example.com'])(
    'founderEmail %j',
    async (founderEmail) => {
      expect(await wrong({ founderEmail })).toMatch(/^founderEmail must be an e-mail address/)
    },
  )

  test.each([
    ['faq', { question: 'x', answer: 'y' }],
    ['faq', ['x']],
    ['faq', [{ question: 'only' }]],
    ['faq', [{ question: 'x', answer: 1 }]],
    ['features', ['x']],
    ['features', 'x'],
    ['features', { a: 1 }],
    ['features', { a: { b: 'c' } }],
    ['socials', { x: 1 }],
    ['socials', ['https://x.com/a']],
    ['screenshots', 'https://a.example.com/1.png'],
    ['screenshots', [1]],
    ['tags', 'api'],
    ['tags', { 0: 'api' }],
    ['tags', [['api']]],
    ['name', 7],
    ['name', ['x']],
    ['website', {}],
    ['slug', 7],
    ['affiliate', true],
    ['foundingDate', 2024],
    ['isLaunched', 1],
  ])('%s: %j is of the wrong type', async (field, value) => {
    expect(await wrong({ [field]: value })).toMatch(new RegExp(`^${field}\\b`))
  })
})

describe('400: URLs', () => {
  const BAD = [
    'example.com',
    '//example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'JaVa\nScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://',
    'https://user@example.com',
    'https://user:pass@example.com',
    'http://localhost/',
    'http://intranet/',
    'http://printer.local/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://100.64.0.1/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[64:ff9b::7f00:1]/',
  ]
  const FIELDS: [string, (value: string) => Record<string, unknown>][] = [
    ['website', (value) => ({ website: value })],
    ['icon', (value) => ({ icon: value })],
    ['frame', (value) => ({ frame: value })],
    ['affiliateLink', (value) => ({ affiliateLink: value })],
    ['video', (value) => ({ video: value })],
    ['screenshots.1', (value) => ({ screenshots: ['https://a.example.com/1.png', value] })],
    ['socials.x', (value) => ({ socials: { github: 'https://github.com/a', x: value } })],
  ]
  test.each(FIELDS)('%s must be a public http or https URL without credentials', async (field, more) => {
    for (const value of BAD) expect(await wrong(more(value)), value).toMatch(new RegExp(`^${field} must `))
  })

  test.each([
    'https://video.example.com/1',
    'https://youtube.com.example.com/watch?v=1',
    'https://notyoutube.com/watch?v=1',
    'https://example.com/youtube.com',
    'javascript://youtube.com/%0aalert(1)',
    'https://user:pass@youtube.com/watch?v=1',
    'ftp://vimeo.com/1',
  ])('video %s is not on YouTube or Vimeo', async (video) => {
    expect(await wrong({ video })).toMatch(/^video must /)
  })

  test.each([
    'https://www.youtube.com/watch?v=1',
    'https://youtu.be/1',
    'https://m.youtube.com/1',
    'https://player.vimeo.com/video/1',
  ])('201: video %s', async (video) => {
    expect((await submit(service, key, newTool({ video }))).status).toBe(201)
  })

  test('inside OUTBOUND_ALLOW_CIDRS a private address is accepted', async () => {
    expect((await submit(service, key, newTool({ website: 'http://10.20.1.1/' }))).status).toBe(201)
    expect(await wrong({ website: 'http://10.21.1.1/' })).toBe('website must be a public address.')
  })
})

describe('403 and 401', () => {
  test.each(['authorization', 'x-api-key'])(
    'a catalog key gets 403, whichever header carries it: %s',
    async (header) => {
      for (const plan of ['standard', 'premium'] as const) {
        const catalog = (await service.newKey(plan)).key
        const headers = { [header]: header === 'authorization' ? `Bearer ${catalog}` : catalog }
        // The key is checked before the body.
        for (const body of [newTool(), '{', { name: 1 }]) {
          const reply = await submit(service, null, body, { headers })
          expect(reply.status).toBe(403)
          expectFailure(reply.body)
        }
      }
    },
  )

  test('a missing, invalid or revoked key gets 401', async () => {
    const banned = await service.newPartner()
    await service.admin('PATCH', `/partners/${banned.id}`, { banned: true })
    for (const held of [null, `${key}x`, key.replace('aid_p_', 'aid_'), banned.key]) {
      const reply = await submit(service, held, newTool())
      expect(reply.status).toBe(401)
      expectFailure(reply.body)
    }
    const query = await service.fetch(`/api/v1/submit-ai-tool?api_key=${key}`, { method: 'POST', body: newTool() })
    expect(query.status).toBe(401)
  })

  test('other methods are a 405 with Allow', async () => {
    const reply = await service.rest('/submit-ai-tool', { key })
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

test('no page of another origin may call it: there are no CORS headers, whatever the answer', async () => {
  const origin = { origin: 'https://page.example' }
  const replies = [
    await submit(service, key, newTool(), { headers: origin }),
    await submit(service, key, {}, { headers: origin }),
    await submit(service, null, {}, { headers: origin }),
    await service.rest('/submit-ai-tool', {
      method: 'OPTIONS',
      key: null,
      headers: { ...origin, 'access-control-request-method': 'POST' },
    }),
    await service.rest('/ai-tools/status?slug=x', { key, headers: origin }),
    await service.rest('/ai-tools/status', {
      method: 'OPTIONS',
      key: null,
      headers: { ...origin, 'access-control-request-method': 'GET' },
    }),
  ]
  for (const { headers } of replies)
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
})

test('refused requests have stored nothing', async () => {
  const before = (await queue(service, { limit: '1000' })).length
  const tags = (await service.rest('/tags')).body.data.length
  await wrong({ tags: ['left-behind'], pricing: 'x' })
  await wrong({ tags: ['left-behind'], website: 'http://127.0.0.1' })
  await service.settled()
  expect((await queue(service, { limit: '1000' })).length).toBe(before)
  expect((await service.rest('/tags')).body.data.length).toBe(tags)
})
