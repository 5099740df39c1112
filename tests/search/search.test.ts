// @module-tag once
import { describe, expect, it } from 'vitest'
import { createPauses } from '../../src/kernel/work/scheduler.ts'
import { buildIndex, createIndex, type SearchDocument, type SearchQuery } from '../../src/search/index.ts'

type PartialDocument = Partial<Omit<SearchDocument<string>, 'text' | 'item'>> & {
  strong?: string
  middle?: string
  weak?: string
}

function documentFrom(
  id: string,
  { strong = '', middle = '', weak = '', ...rest }: PartialDocument,
): SearchDocument<string> {
  return { id, text: [strong, middle, weak], facets: [], popularity: 0, recency: 0, item: id, ...rest }
}

function indexOf(sketches: Record<string, PartialDocument>) {
  const index = createIndex<string>()
  for (const [id, rest] of Object.entries(sketches)) index.put(documentFrom(id, rest))
  return index
}

/** Returns the ids found, in order. */
function findIds(sketches: Record<string, PartialDocument>, query: string | Partial<SearchQuery>): string[] {
  return indexOf(sketches).find({ offset: 0, limit: 100, ...(typeof query === 'string' ? { q: query } : query) }).items
}

describe('a document is found', () => {
  it('by all words, in whichever fields they are', () => {
    const documents = { both: { strong: 'Logo', weak: 'a maker' }, one: { strong: 'Logo' } }
    expect(findIds(documents, 'maker logo')).toEqual(['both'])
  })

  it('in any case and with any accents', () => {
    expect(findIds({ a: { strong: 'Café Noir' } }, 'CAFE')).toEqual(['a'])
    expect(findIds({ a: { strong: 'Cafe Noir' } }, 'café')).toEqual(['a'])
  })

  it('by another form of a word', () => {
    expect(findIds({ a: { weak: 'tells stories' } }, 'story')).toEqual(['a'])
    expect(findIds({ a: { weak: 'a story' } }, 'stories')).toEqual(['a'])
    expect(findIds({ a: { weak: 'for children' } }, 'child')).toEqual(['a'])
    expect(findIds({ a: { weak: 'well written' } }, 'writing')).toEqual(['a'])
  })

  it('by the beginning of a word, but not by its middle or end', () => {
    expect(findIds({ a: { strong: 'Photography' } }, 'photo')).toEqual(['a'])
    expect(findIds({ a: { strong: 'Photography' } }, 'graphy')).toEqual([])
  })

  it('by a single character of Chinese or Japanese', () => {
    expect(findIds({ a: { strong: '画像生成' } }, '生')).toEqual(['a'])
  })

  it('although it lacks the function words of the query', () => {
    expect(findIds({ a: { strong: 'Logo maker' } }, 'a maker of logos')).toEqual(['a'])
  })

  it('by function words when the query has no others', () => {
    expect(findIds({ a: { strong: 'The Who' }, b: { strong: 'The Band' } }, 'the who')).toEqual(['a'])
  })

  it('by a blank query, and not by a query of only signs', () => {
    expect(findIds({ a: { strong: 'Logo' } }, ' \n')).toEqual(['a'])
    expect(findIds({ a: { strong: 'Logo' } }, '?!')).toEqual([])
    expect(findIds({ a: { strong: 'Logo' } }, '\0')).toEqual([])
  })
})

describe('a typo', () => {
  it.each(['trnaslate', 'tranlate', 'transllate', 'tramslate', 'transalte', 'tanslste'])('is tolerated in %s', (q) => {
    expect(findIds({ a: { strong: 'Translate' } }, q)).toEqual(['a'])
  })

  it('also finds the other forms of the word', () => {
    expect(findIds({ a: { strong: 'image' }, b: { weak: 'imaging' } }, 'imagr')).toEqual(['a', 'b'])
  })

  it('is tolerated only when no document has the word, whatever the facets', () => {
    const documents = { form: { strong: 'form' }, farm: { strong: 'farm', facets: ['hidden'] } }
    expect(findIds(documents, 'firm')).toEqual(['farm', 'form'])
    expect(findIds(documents, 'farm')).toEqual(['farm'])
    expect(findIds(documents, { q: 'farm', none: ['hidden'] })).toEqual([])
  })

  it('is tolerated again once the last document with the word is removed', () => {
    const index = indexOf({ form: { strong: 'form' }, farm: { strong: 'farm' } })
    index.remove('farm')
    expect(index.find({ q: 'farm', offset: 0, limit: 10 }).items).toEqual(['form'])
  })

  it('is not tolerated in short words, twice in medium ones, or in numbers', () => {
    expect(findIds({ a: { strong: 'dog' } }, 'dig')).toEqual([])
    expect(findIds({ a: { strong: 'editor' } }, 'aditer')).toEqual([])
    expect(findIds({ a: { strong: '20251231' } }, '20251230')).toEqual([])
  })
})

describe('the order with q', () => {
  it('puts a match in the strong field before one in the middle field before one in the weak field', () => {
    const documents = {
      weak: { weak: 'logo', popularity: 9 },
      middle: { middle: 'logo', popularity: 5 },
      strong: { strong: 'My logo' },
    }
    expect(findIds(documents, 'logo')).toEqual(['strong', 'middle', 'weak'])
  })

  it('puts the same word before another form before a longer word', () => {
    const documents = {
      longer: { strong: 'big imagemagick', popularity: 9 },
      form: { strong: 'big images', popularity: 5 },
      same: { strong: 'big image' },
    }
    expect(findIds(documents, 'image')).toEqual(['same', 'form', 'longer'])
  })

  it('puts a name that equals the whole query first', () => {
    const documents = { more: { strong: 'Notion Calendar', popularity: 9 }, whole: { strong: 'Notion' } }
    expect(findIds(documents, 'notion')).toEqual(['whole', 'more'])
    const bands = { music: { strong: 'Make Music', popularity: 9 }, whole: { strong: 'Make It' } }
    expect(findIds(bands, 'make it')).toEqual(['whole', 'music'])
  })

  it('is by popularity, then recency, then id among equals', () => {
    const documents = {
      d: { strong: 'logo' },
      c: { strong: 'logo' },
      b: { strong: 'logo', recency: 5 },
      a: { strong: 'logo', popularity: 1 },
    }
    expect(findIds(documents, 'logo')).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('the order without q', () => {
  const documents = { old: { recency: 1, popularity: 7 }, b: { recency: 2 }, a: { recency: 2, popularity: 2 } }

  it('is newest first, then id', () => {
    expect(findIds(documents, {})).toEqual(['a', 'b', 'old'])
  })

  it('is by popularity when the query asks for it', () => {
    expect(findIds(documents, { order: 'popular-then-newest' })).toEqual(['old', 'a', 'b'])
  })

  it('is by the key of the index: number descending, text ascending, id', async () => {
    const ratings = new Map([
      ['none', -Infinity],
      ['low', 3],
      ['z', 90],
      ['y', 90],
    ])
    const index = await buildIndex([[...ratings.keys()].map((id) => documentFrom(id, { strong: 'same' }))], {
      defaultKey: ({ id, text }) => [ratings.get(id)!, text[0]],
    })
    expect(index.find({ offset: 0, limit: 10 }).items).toEqual(['y', 'z', 'low', 'none'])
  })
})

describe('facets and pages', () => {
  const documents = {
    a: { strong: 'one', facets: ['free', 'new'] },
    b: { strong: 'one', facets: ['free', 'adult'] },
    c: { strong: 'one', facets: ['paid'] },
  }

  it('keep documents that have all facets of one list and none of another', () => {
    expect(findIds(documents, { all: ['free'] })).toEqual(['a', 'b'])
    expect(findIds(documents, { all: ['free', 'new'] })).toEqual(['a'])
    expect(findIds(documents, { none: ['adult', 'paid'] })).toEqual(['a'])
    expect(findIds(documents, { q: 'one', all: ['free'], none: ['adult'] })).toEqual(['a'])
  })

  it('find nothing for a facet that no document has, and excluding it changes nothing', () => {
    expect(findIds(documents, { all: ['unknown'] })).toEqual([])
    expect(findIds(documents, { none: ['unknown'] })).toEqual(['a', 'b', 'c'])
  })

  it('give the true total on every page, even far beyond the last', () => {
    const index = indexOf(documents)
    expect(index.find({ q: 'one', offset: 1, limit: 1 })).toEqual({ items: ['b'], total: 3, full: 3 })
    expect(index.find({ q: 'one', offset: 1e15, limit: 20 })).toEqual({ items: [], total: 3, full: 3 })
    expect(index.find({ offset: 1e30, limit: 20 })).toEqual({ items: [], total: 3, full: 3 })
  })
})

describe('a change is visible at once', () => {
  it('when a document is replaced', () => {
    const index = indexOf({ a: { strong: 'before', facets: ['old'] } })
    index.put(documentFrom('a', { strong: 'after', facets: ['new'] }))
    expect(index.size).toBe(1)
    expect(index.find({ q: 'before', offset: 0, limit: 10 }).total).toBe(0)
    expect(index.find({ q: 'after', all: ['new'], offset: 0, limit: 10 }).items).toEqual(['a'])
    expect(index.find({ all: ['old'], offset: 0, limit: 10 }).total).toBe(0)
  })

  it('when popularity changes', () => {
    const index = indexOf({ a: { strong: 'logo' }, b: { strong: 'logo' } })
    expect(index.update('b', { popularity: 3, item: 'b, three' })).toBe(true)
    expect(index.find({ q: 'logo', offset: 0, limit: 10 }).items).toEqual(['b, three', 'a'])
    expect(index.find({ order: 'popular-then-newest', offset: 0, limit: 10 }).items).toEqual(['b, three', 'a'])
    expect(index.get('b')).toBe('b, three')
    expect(index.update('unknown', { popularity: 3, item: '' })).toBe(false)
  })

  it('when a document is removed', () => {
    const index = indexOf({ a: { strong: 'logo' }, b: { strong: 'logo' } })
    expect(index.remove('a')).toBe(true)
    expect(index.remove('a')).toBe(false)
    expect(index.get('a')).toBeUndefined()
    expect([...index.items()]).toEqual(['b'])
    expect(index.find({ q: 'logo', offset: 0, limit: 10 })).toEqual({ items: ['b'], total: 1, full: 1 })
  })
})

describe('building an index', () => {
  it('lets other work run in between, and keeps the last of several documents with the same id', async () => {
    let turns = 0
    let building = true
    const turn = () => {
      turns++
      if (building) setImmediate(turn)
    }
    setImmediate(turn)
    async function* documents() {
      for (let number = 0; number < 6000; number++) {
        yield [
          documentFrom(`d${number % 5000}`, { strong: `name ${number}`, weak: `some words about number ${number}` }),
        ]
      }
    }
    const index = await buildIndex(documents(), undefined, createPauses())
    building = false
    expect(turns).toBeGreaterThan(2)
    expect(index.size).toBe(5000)
    expect(index.find({ q: '5003', offset: 0, limit: 10 }).items).toEqual(['d3'])
  })
})
