// @module-tag once
import { describe, expect, it } from 'vitest'
import { createIndex, type NotFoundReason } from '../../src/search/index.ts'

const TEXTS: Record<string, [string, string, string]> = {
  clipper: ['Clipper', 'Cut a podcast', 'Makes clips of every episode'],
  notes: ['Notes', 'Meeting notes', 'Writes what was said'],
  recorder: ['Recorder', 'Podcasts on the go', ''],
  painter: ['Painter', 'Artistic pictures', 'A tool you need'],
  eleven: ['Eleven Labs', 'Voices', ''],
  chatgpt: ['ChatGPT', 'Answers', ''],
}

function indexOf(more: Record<string, [string, string, string]> = {}) {
  const index = createIndex<string>()
  for (const [id, text] of Object.entries({ ...TEXTS, ...more }))
    index.put({ id, text, facets: id === 'painter' ? ['adult'] : ['kind:a'], popularity: 0, recency: 0, item: id })
  return index
}

const search = (q: string) => ({ q, partial: true, offset: 0, limit: 100 })
const explain = (q: string, named?: string, index = indexOf()) => index.explain(search(q), named)
const reasonsOf = (q: string, named: string, index = indexOf()): NotFoundReason['reason'][] =>
  explain(q, named, index).named!.reasons.map(({ reason }) => reason)

describe('the words of a question', () => {
  const usesOf = (q: string) => Object.fromEntries(explain(q).words.map(({ word, use }) => [word, use]))

  it('are counted, function words, words of asking or unknown', () => {
    expect(usesOf('I need a tool for podcast clips with zzzzzz')).toEqual({
      ...{ i: 'function', need: 'asking', a: 'function', tool: 'asking', for: 'function', with: 'function' },
      ...{ podcast: 'counted', clips: 'counted', zzzzzz: 'unknown' },
    })
  })

  it('are too common when about a third of the documents have them, and too short when only longer words begin with them', () => {
    const more = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [
        `m${at}`,
        ['Studio', at % 2 ? 'video' : 'audio', ''] as [string, string, string],
      ]),
    )
    const { words } = indexOf(more).explain(search('video pod clips'))
    expect(words.map(({ word, use }) => [word, use])).toEqual([
      ['video', 'common'],
      ['pod', 'short'],
      ['clips', 'counted'],
    ])
  })

  it('say how they were split and joined', () => {
    expect(explain('elevenlabs voices').words).toMatchObject([{ word: 'elevenlabs', joined: [] }, { word: 'voices' }])
    expect(explain('paintervoices').words).toMatchObject([
      { word: 'painter', partOf: 'paintervoices' },
      { word: 'voices', partOf: 'paintervoices' },
    ])
    expect(explain('chat gpt').words).toMatchObject([
      { word: 'chat', joined: ['chatgpt'] },
      { word: 'gpt', joined: ['chatgpt'] },
    ])
  })

  it('say what they match in the catalog, the best first', () => {
    expect(explain('podcast').words[0]!.terms).toEqual([
      { term: 'podcast', quality: 3 },
      { term: 'podcasts', quality: 2 },
    ])
    expect(explain('recordre').words[0]!.terms).toEqual([{ term: 'recorder', quality: 0 }])
  })
})

describe('the parts of a score', () => {
  it('are field and quality of each word in a full match, and the whole name', () => {
    expect(explain('eleven lab').documents).toEqual([
      {
        match: 'full',
        score: 2505,
        hits: [
          { word: 'eleven', term: 'eleven', field: 0, quality: 3, points: 1003 },
          { word: 'lab', term: 'labs', field: 0, quality: 2, points: 1002 },
        ],
        wholeName: 500,
      },
    ])
  })

  it('are rarity and points of each word in a partial match', () => {
    const { items, documents } = explain('make clips from my podcast interviews')
    expect(items).toEqual(['clipper', 'recorder'])
    expect(documents[0]!.hits.map(({ word, term, field }) => [word, term, field]).sort()).toEqual([
      ['clips', 'clips', 2],
      ['make', 'makes', 2],
      ['podcast', 'podcast', 1],
    ])
    for (const { rarity, points } of documents[0]!.hits) expect([rarity! > 0, points > 0]).toEqual([true, true])
  })
})

describe('a document that is not found', () => {
  it('is kept out by a filter, which is named', () => {
    const index = indexOf()
    expect(index.explain({ ...search('pictures'), none: ['adult'] }, 'painter').named!.reasons).toEqual([
      { reason: 'filter', label: 'adult', has: true },
    ])
    expect(index.explain({ ...search('pictures'), all: ['kind:b'] }, 'notes').named!.reasons).toEqual([
      { reason: 'filter', label: 'kind:b', has: false },
    ])
  })

  it('lacks words, and there are enough full matches', () => {
    expect(explain('podcast', 'notes').named!.reasons).toEqual([
      { reason: 'words_missing', words: ['podcast'] },
      { reason: 'full_matches_enough', full: 2, because: 'one_word' },
    ])
    expect(explain('eleven labs', 'notes').named!.reasons[1]).toMatchObject({ because: 'name' })
    expect(indexOf().explain({ ...search('podcast clips'), partial: false }, 'notes').named!.reasons[1]).toEqual({
      reason: 'partial_not_wanted',
    })
  })

  it('has none of the words that count', () => {
    expect(reasonsOf('podcast interviews', 'notes')).toEqual([
      'words_missing',
      'no_counted_word',
      'meaning_not_compared',
    ])
    expect(reasonsOf('?!', 'notes')).toEqual(['no_words'])
  })

  it('has only words that are too common together, or too little of the best score', () => {
    const more = (count: number, text: [string, string, string]) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${text[1]}${at}`, text]))
    const index = indexOf({ ...more(40, ['Studio', 'video', '']), ...more(100, ['Shop', 'sale', '']) })
    expect(reasonsOf('video clips interviews', 'video1', index)).toEqual([
      'words_missing',
      'words_too_common',
      'meaning_not_compared',
    ])
    const long = `meeting ${'other '.repeat(300)}`
    const wide = indexOf({ wide: ['Wide', '', long], best: ['Meeting podcast clips', 'writes episode', ''] })
    expect(reasonsOf('meeting podcast clips writes episode interviews', 'wide', wide)).toEqual([
      'words_missing',
      'score_too_low',
      'meaning_not_compared',
    ])
  })

  it('is a partial match beyond the hundred that a result has', () => {
    const more = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`m${String(at).padStart(3, '0')}`, ['Reel', 'podcast', ''] as const]),
    ) as Record<string, [string, string, string]>
    const filler = Object.fromEntries(
      Array.from({ length: 2000 }, (_, at) => [`f${at}`, ['Filler', '', ''] as [string, string, string]]),
    )
    const { named } = explain('podcast interviews', 'm149', indexOf({ ...more, ...filler }))
    expect(named!.reasons.at(-1)).toEqual({ reason: 'beyond_most', place: expect.any(Number), most: 100 })
  })
})
