// @module-tag once
// A word with a hyphen is one word and its parts.
import { beforeAll, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import { useService } from '../harness/use.ts'

const tool = (slug: string, tagline: string) => ({
  ...{ kind: 'tool', slug, name: slug, tagline, description: '', pricing: 'FREE' },
  website: `https://${slug}.example.com`,
})

const service = useService()
beforeAll(() =>
  service.load([
    tool('hyphen', 'Writes the follow-up to an e-mail'),
    tool('joined', 'Writes followups by email'),
    tool('apart', 'Writes when you follow up by E mail'),
    tool('aloud', 'Reads text aloud'),
    tool('builder', 'Low-code apps'),
    tool('things', 'Set things up'),
    tool('typist', 'AI writer'),
    tool('other', 'Follow creators, upload pictures, and mail every one of them'),
  ]),
)

test.each(['follow-up', 'e-mail', 'E-Mail follow-up'])(
  '%s finds it with a hyphen, as one word and as two, but no longer words that begin with a part',
  async (q) => {
    const { data } = await onBoth(service, 'search_tools', { q, limit: 100 })
    const full = (await service.rest(`/tools?match=full&q=${encodeURIComponent(q)}`)).body.data
    const slugs = full.map(({ slug }: { slug: string }) => slug)
    expect(slugs.toSorted()).toEqual(['apart', 'hyphen', 'joined'])
    expect(data.slice(0, 3).map(({ slug }: { slug: string }) => slug)).toEqual(slugs)
  },
)

test('the site shows it as one wish', async () => {
  const { text } = await service.fetch('/tools?q=follow-up+zzzzz', { headers: { accept: 'text/html' } })
  const wishes = [...text.matchAll(/<li><a class="(?:on|no)"[^>]*><span><span[^>]*>Without <\/span><bdi>([^<]*)/g)]
  expect(wishes.map(([, label]) => label)).toEqual(['follow-up', 'zzzzz'])
})

test.each([
  ['text-to-speech speech-to-text zebra', 'aloud', ['mentions text', 'not text-to-speech, speech-to-text, zebra']],
  ['e-commerce e-mail zebra', 'hyphen', ['1 of 3 words: e-mail', 'not e-commerce, zebra']],
  ['no-code low-code garden', 'builder', ['1 of 3 words: low-code', 'not no-code, garden']],
  ['follow-up set-up zebra', 'things', ['1 of 3 words: set', 'not follow-up, zebra']],
  ['AI-powered AI writer zebra', 'typist', ['2 of 4 words: ai, writer', 'not ai-powered, zebra']],
])('%s: a result says which of its words it has and how many, each counted once', async (q, slug, parts) => {
  const { text } = await service.fetch(`/tools?q=${encodeURIComponent(q)}`, { headers: { accept: 'text/html' } })
  const row = text.slice(text.indexOf(`href="/tools/${slug}"`))
  const [, reason = ''] = /<p class="reason">(.*?)<\/p>/s.exec(row) ?? []
  const said = reason.replace(/<[^>]*>/g, '')
  expect(
    said
      .split(' · ')
      .map((part) => part.trim())
      .filter(Boolean),
  ).toEqual(parts)
})

test('with facts=off longer words that begin with a part match, as in 1.1', async () => {
  const { body } = await service.rest('/tools?match=full&facts=off&q=follow-up')
  expect(body.data.map(({ slug }: { slug: string }) => slug)).toContain('other')
})
