// @module-tag once
// A misspelt word of a short question finds what the right word finds, in the same order.
import { beforeAll, expect, test } from 'vitest'
import { useService } from '../harness/use.ts'

const tool = (slug: string, name: string, tagline: string) => ({
  ...{ kind: 'tool', slug, name, tagline, description: '', pricing: 'FREE' },
  website: `https://${slug}.example.com`,
})

const service = useService()
beforeAll(() =>
  service.load([
    tool('chatgpt', 'ChatGPT', 'Answers in dialogue'),
    tool('chatgpt-prompts', 'Prompts for ChatGPT', 'A list to begin with'),
    tool('custom', 'Custom', 'Makes a badge'),
    tool('badges', 'Badge Shop', 'Customized badges'),
    tool('costume', 'Costume Party', 'Masks'),
    tool('pixel', 'Pixel', 'Applications that design pictures'),
    tool('photo', 'Darkroom', 'Develops a photo'),
    tool('digi', 'Digi', 'Cards'),
    tool('digi-cards', 'Digi Cards', 'More cards'),
  ]),
)

const find = async (q: string, more = ''): Promise<string[]> =>
  (await service.rest(`/tools?q=${encodeURIComponent(q)}${more}`)).body.data.map(({ slug }: { slug: string }) => slug)

test.each([
  ['chatgtp', 'chatgpt'],
  ['custum', 'custom'],
  ['pixl', 'pixel'],
  ['disgn', 'design'],
  ['aplications', 'applications'],
  ['foto', 'photo'],
  ['mkaes a bagde', 'makes a badge'],
  ['a free disgn tool', 'a free design tool'],
  ['a frree tool that makes a badge', 'a free tool that makes a badge'],
  ['phtoo', 'photo'],
])('%s finds what %s finds', async (wrong, right) => {
  const found = await find(right)
  expect(found).not.toEqual([])
  expect(await find(wrong)).toEqual(found)
})

test('two mistakes in a short word make no other consonants of it', async () => {
  expect(await find('dagn')).toEqual([])
  expect(await find('disgt')).toEqual([])
})

test('the site says what was searched for instead', async () => {
  const pageOf = async (q: string) =>
    (await service.fetch(`/tools?${new URLSearchParams({ q })}`, { headers: { accept: 'text/html' } })).text
  expect(await pageOf('a free disgn tool')).toContain(
    'Searched for <strong><bdi>design</bdi></strong>. <a href="/tools?q=a+free+disgn+tool&amp;facts=off">Search for <bdi>disgn</bdi>',
  )
  expect(await pageOf('a free design tool')).not.toContain('Searched for')
})

test('a word that a listing has is taken as it is', async () => {
  expect((await find('costume'))[0]).toBe('costume')
})

test('with facts=off words of the language are taken as they are', async () => {
  expect(await find('custum', '&facts=off')).toContain('custom')
  for (const q of ['pixl', 'foto']) expect(await find(q, '&facts=off')).toEqual([])
})
