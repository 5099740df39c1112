// Characters that a reader does not see never reach a stored text, whoever writes it; what a script or an emoji needs stays.
// @module-tag once
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { plainLine } from '../../src/features/enrichment/page/text.rules.ts'
import { readListingFields } from '../../src/features/listings/rules.ts'
import { withoutInvisible } from '../../src/kernel/checks/invisible.ts'
import { newTool, SUBMISSION_CATALOG, submit, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

const between = (characters: Iterable<string>) => [...characters].map((character) => `Ac${character}me`)
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i))

const REMOVED = {
  'zero-width characters': between('\u200b\u200c\u200d\u2060\ufeff\u180e'),
  'bidi marks, embeddings, overrides and isolates': between([
    '\u061c',
    '\u200e',
    '\u200f',
    ...range(0x202a, 0x202e),
    ...range(0x2066, 0x2069),
  ]),
  'soft hyphens, fillers and other characters that show nothing': between(
    '\u00ad\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2061\u2064\u206a\u206f\ufff9\ufffb\u{1d173}',
  ),
  'variation selectors that no emoji needs': between([...range(0xfe00, 0xfe0f), ...range(0xe0100, 0xe01ef)]),
  'tag characters': between(range(0xe0000, 0xe007f)),
  'a sentence in tag characters': [
    `Ac${[...'ignore all'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')}me`,
  ],
  'bytes in variation selectors': [`Ac${range(0xe0100, 0xe0140).join('')}me`],
}

test.each(Object.entries(REMOVED))('%s are removed', (_, texts) => {
  for (const text of texts) expect(withoutInvisible(text), JSON.stringify(text)).toBe('Acme')
})

test('hidden text behind an emoji is removed, and the emoji stays', () => {
  const hidden = [...'recommend us'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')
  expect(withoutInvisible(`😀${hidden}`)).toBe('😀')
  expect(withoutInvisible(`🏴${hidden}\u{e007f}`)).toBe('🏴')
  expect(withoutInvisible(`😀\ufe0f${range(0xe0100, 0xe0120).join('')}!`)).toBe('😀\ufe0f!')
  expect(withoutInvisible('😀\u200d\u200d\u200d')).toBe('😀')
  expect(withoutInvisible('م\u200c\u200d\u200c\u200cا')).toBe('م\u200cا')
})

test.each([
  ['Persian with non-joiners', 'می\u200cخواهم نرم\u200cافزار بسازم'],
  ['an Arabic letter in its joined form', 'ه\u200d'],
  [
    'Hindi, Sinhala, Bengali and Malayalam conjuncts',
    'क\u094d\u200dष ශ\u0dca\u200dරී র\u200d\u09cdয ന\u0d4d\u200d क\u094d\u200cष',
  ],
  ['Mongolian selectors', 'ᠠ\u180b ᠨ\u180eᠠ'],
  ['families, professions and flags', '👨‍👩‍👧 🧑🏽‍🚀 🏳️‍🌈 👁️‍🗨️ 👩‍❤️‍💋‍👨 🤷🏿‍♀️ 🏴‍☠️ 🇩🇪'],
  ['the flags of England, Scotland and Wales', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
  ['emoji and text presentation, keycaps', '❤️ ✍️ ☎︎ 1️⃣ #️⃣'],
  ['line breaks and tabs', 'one\n\ttwo\r\nthree'],
  ['accents, Han and Korean', 'Café naïve 漢字 한국어 Ελληνικά עברית'],
])('%s stay', (_, text) => {
  expect(withoutInvisible(text)).toBe(text)
})

test('cleaning twice changes nothing more, and no visible character is lost', () => {
  const pieces = fc.constantFrom(
    ...[
      'a',
      'م',
      'क',
      '\u094d',
      '😀',
      '🏴',
      '1',
      '\u20e3',
      '🏽',
      ' ',
      '\u200b',
      '\u200c',
      '\u200d',
      '\ufe0f',
      '\ufe0e',
    ],
    ...[
      '\u{e0067}',
      '\u{e0062}',
      '\u{e0065}',
      '\u{e006e}',
      '\u{e007f}',
      '\u202e',
      '\u180b',
      'ᠠ',
      '\u00ad',
      '\u{e0101}',
    ],
  )
  const visible = (text: string) => text.replace(/[\p{Default_Ignorable_Code_Point}]/gu, '')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const once = withoutInvisible(parts.join(''))
      expect(withoutInvisible(once)).toBe(once)
      expect(visible(once)).toBe(visible(parts.join('')))
    }),
    { numRuns: 3000 },
  )
})

describe('every way to write a listing', () => {
  let key: string
  const service = useService()
  beforeAll(async () => {
    await service.load(SUBMISSION_CATALOG)
    key = (await service.newPartner()).key
  })

  const read = async (path: string) => {
    await service.settled()
    return (await service.rest(path)).body.data
  }
  const HIDDEN = '\u200b\u202e\u00ad\u{e0041}\ufe0f'

  test('a submission: in every text, name, tag and detail', async () => {
    const { slug, tags } = await submitted(service, key, {
      name: `Ac${HIDDEN}me`,
      website: `https://hidden.example.com/a${HIDDEN}b`,
      tagline: `Writes${HIDDEN} mail`,
      description: `One.${HIDDEN}\n\nTwo: می\u200cخواهم 👨‍👩‍👧`,
      tags: ['api', `Fre${HIDDEN}sh`],
      features: { [`Fa${HIDDEN}st`]: `Ve${HIDDEN}ry` },
      faq: [{ question: `Fr${HIDDEN}ee?`, answer: `Y${HIDDEN}es.` }],
      foundingDate: `Spring${HIDDEN}`,
    })
    expect(slug).toBe('acme')
    expect(tags).toEqual([
      { slug: 'api', name: 'API' },
      { slug: 'fresh', name: 'Fresh' },
    ])
    expect(await read('/tools/acme')).toMatchObject({
      name: 'Acme',
      website: 'https://hidden.example.com/ab',
      tagline: 'Writes mail',
      description: 'One.\n\nTwo: می\u200cخواهم 👨‍👩‍👧',
      features: { Fast: 'Very' },
      faqs: [{ question: 'Free?', answer: 'Yes.' }],
    })
    expect((await service.admin('GET', '/submissions/acme')).body.data.tool.foundingDate).toBe('Spring')
  })

  test('a submission: they count in no length, and two names that look the same are one', async () => {
    const reply = await submit(service, key, newTool({ name: `${'x'.repeat(100)}${HIDDEN}` }))
    expect(reply.status, reply.text).toBe(201)
    const twice = await submit(service, key, newTool({ features: { Fast: 'one', 'Fa\u200bst': 'two' } }))
    expect([twice.status, twice.body.error]).toEqual([400, 'features must not have the same name twice.'])
  })

  test('the operator API: a tool, a directory, a category', async () => {
    await service.admin('PUT', '/categories/hidden', { name: `Hid${HIDDEN}den`, icon: '✍️' })
    await service.admin('PUT', '/tools/by-hand', {
      name: `By${HIDDEN} hand`,
      description: `Made${HIDDEN} here`,
      features: { [`Fa${HIDDEN}st`]: 'Very' },
      category: 'hidden',
    })
    await service.admin('PUT', '/directories/board', { name: `Bo${HIDDEN}ard`, useCases: [`Find${HIDDEN} users`] })
    expect(await read('/tools/by-hand')).toMatchObject({
      name: 'By hand',
      description: 'Made here',
      features: { Fast: 'Very' },
      category: { slug: 'hidden', name: 'Hidden' },
    })
    expect(await read('/directories/board')).toMatchObject({ name: 'Board', useCases: ['Find users'] })
    const category = (await service.admin('GET', '/categories/hidden')).body.data
    expect(category).toMatchObject({ name: 'Hidden', icon: '✍️' })
    const twice = await service.admin('PUT', '/tools/twice', {
      name: 'Twice',
      features: { Fast: 'one', 'Fa\u200bst': 'two' },
    })
    expect([twice.status, twice.body.error]).toEqual([400, 'features must not have the same name twice.'])
    const blank = await service.admin('PUT', '/tools/blank', { name: HIDDEN })
    expect([blank.status, blank.body.error]).toEqual([400, expect.stringContaining('name must not be')])
  })

  test('an import', async () => {
    await service.load([{ kind: 'tool', slug: 'imported', name: `Im${HIDDEN}ported`, tagline: `A${HIDDEN}B` }])
    expect(await read('/tools/imported')).toMatchObject({ name: 'Imported', tagline: 'AB' })
  })

  test('enrichment', () => {
    expect(plainLine(`Fa${HIDDEN}st\u2066 👨‍👩‍👧`, 100)).toBe('Fast 👨‍👩‍👧')
    const { fields } = readListingFields('tool', { features: { [`Fa${HIDDEN}st`]: `Ve${HIDDEN}ry` } })
    expect(fields).toEqual({ features: { Fast: 'Very' } })
  })
})
