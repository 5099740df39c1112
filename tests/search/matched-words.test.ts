// @module-tag once
import { beforeAll, describe, expect, it } from 'vitest'
import { createIndex, type SearchIndex } from '../../src/search/index.ts'

let index: SearchIndex<string>
beforeAll(() => {
  index = createIndex<string>()
  const texts: Record<string, [string, string, string]> = {
    clipper: ['Clipper', 'Cut a podcast', 'Makes clips of every episode'],
    notes: ['Notes', 'Meeting notes', 'Writes what was said'],
    recorder: ['Recorder', 'Podcasts on the go', ''],
    painter: ['Painter', 'Artistic pictures', 'A tool you need'],
    eleven: ['Eleven Labs', 'Voices', ''],
  }
  for (const [id, text] of Object.entries(texts))
    index.put({ id, text, facets: [], popularity: 0, recency: 0, item: id })
})

/** The words of each document that is found, by document. */
const wordsOf = (q: string): Record<string, string[]> => {
  const { items, explained } = index.find({ q, partial: true, explain: true, offset: 0, limit: 100 })
  return Object.fromEntries(items.map((id, at) => [id, explained!.hits[at]!.map(({ word }) => word)]))
}

describe('the words that a document matches', () => {
  it('are all words of the question for a full match, in the order typed', () => {
    expect(wordsOf('clips podcast').clipper).toEqual(['clips', 'podcast'])
  })

  it('are some of them for a partial match, without words of asking and function words', () => {
    const found = wordsOf('I need a tool that makes clips from my podcast interviews')
    expect(found.clipper).toEqual(['makes', 'clips', 'podcast'])
    expect(found.recorder).toEqual(['podcast'])
    expect(found.painter).toBeUndefined()
  })

  it('are written as the question writes them, also for another form, a typo and a joined word', () => {
    expect(wordsOf('podcasting interviews')).toMatchObject({ clipper: ['podcasting'], recorder: ['podcasting'] })
    expect(wordsOf('recordre')).toEqual({ recorder: ['recordre'] })
    expect(wordsOf('elevenlabs').eleven).toEqual(['elevenlabs'])
  })

  it('have the field and the quality of their best hit', () => {
    const { explained } = index.find({ q: 'meeting notes', explain: true, offset: 0, limit: 1 })
    expect(explained).toEqual({
      isName: false,
      asked: ['meeting', 'notes'],
      hits: [
        [
          { word: 'meeting', field: 1, quality: 3, terms: ['meeting'] },
          { word: 'notes', field: 0, quality: 3, terms: ['notes'] },
        ],
      ],
    })
    expect(index.find({ q: 'r', explain: true, offset: 0, limit: 1 }).explained!.hits).toEqual([
      [{ word: 'r', field: 0, quality: 1, terms: [] }],
    ])
  })

  it('are for the documents of the page', () => {
    const query = { q: 'podcast clips interviews', partial: true, explain: true }
    const whole = index.find({ ...query, offset: 0, limit: 100 })
    const second = index.find({ ...query, offset: 1, limit: 1 })
    expect(second.items).toEqual([whole.items[1]])
    expect(second.explained!.hits).toEqual([whole.explained!.hits[1]])
  })

  it('say whether the question is the whole name of a match', () => {
    const isName = (q: string) => index.find({ q, explain: true, offset: 0, limit: 1 }).explained?.isName
    expect(isName('eleven labs')).toBe(true)
    expect(isName('elevenlabs')).toBe(true)
    expect(isName('eleven')).toBe(false)
    expect(isName('')).toBeUndefined()
  })
})
