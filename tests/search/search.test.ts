import { describe, expect, it } from 'vitest'
import { buildIndex, createIndex, type SearchDocument, type SearchQuery } from '../../src/search/index.ts'

type Sketch = Partial<Omit<SearchDocument<string>, 'text' | 'item'>> & {
  strong?: string
  middle?: string
  weak?: string
}

function sketch(id: string, { strong = '', middle = '', weak = '', ...rest }: Sketch): SearchDocument<string> {
  return { id, text: [strong, middle, weak], facets: [], popularity: 0, recency: 0, item: id, ...rest }
}

function indexOf(sketches: Record<string, Sketch>) {
  const index = createIndex<string>()
  for (const [id, rest] of Object.entries(sketches)) index.put(sketch(id, rest))
  return index
}

/** The ids found, in order. */
function found(sketches: Record<string, Sketch>, query: string | Partial<SearchQuery>): string[] {
  return indexOf(sketches).find({ offset: 0, limit: 100, ...(typeof query === 'string' ? { q: query } : query) }).items
}

describe('a document is found', () => {
  it('by all words, wherever each of them stands', () => {
    const documents = { both: { strong: 'Logo', weak: 'a maker' }, one: { strong: 'Logo' } }
    expect(found(documents, 'maker logo')).toEqual(['both'])
  })

  it('whatever the case and the accents', () => {
    expect(found({ a: { strong: 'Café Noir' } }, 'CAFE')).toEqual(['a'])
    expect(found({ a: { strong: 'Cafe Noir' } }, 'café')).toEqual(['a'])
  })

  it('by another form of a word', () => {
    expect(found({ a: { weak: 'tells stories' } }, 'story')).toEqual(['a'])
    expect(found({ a: { weak: 'a story' } }, 'stories')).toEqual(['a'])
    expect(found({ a: { weak: 'for children' } }, 'child')).toEqual(['a'])
    expect(found({ a: { weak: 'well written' } }, 'writing')).toEqual(['a'])
  })

  it('by the beginning of a word, but not by its middle or end', () => {
    expect(found({ a: { strong: 'Photography' } }, 'photo')).toEqual(['a'])
    expect(found({ a: { strong: 'Photography' } }, 'graphy')).toEqual([])
  })

  it('by a single character of Chinese or Japanese', () => {
    expect(found({ a: { strong: '画像生成' } }, '生')).toEqual(['a'])
  })

  it('without the function words of the query', () => {
    expect(found({ a: { strong: 'Logo maker' } }, 'a maker of logos')).toEqual(['a'])
  })

  it('by function words when there are no others', () => {
    expect(found({ a: { strong: 'The Who' }, b: { strong: 'The Band' } }, 'the who')).toEqual(['a'])
  })

  it('by every query that is blank, and by none that has only signs', () => {
    expect(found({ a: { strong: 'Logo' } }, ' \n')).toEqual(['a'])
    expect(found({ a: { strong: 'Logo' } }, '?!')).toEqual([])
    expect(found({ a: { strong: 'Logo' } }, '\0')).toEqual([])
  })
})

describe('a typo is forgiven', () => {
  it.each(['trnaslate', 'tranlate', 'transllate', 'tramslate', 'transalte', 'tanslste'])('in %s', (q) => {
    expect(found({ a: { strong: 'Translate' } }, q)).toEqual(['a'])
  })

  it('and the other forms of the word come along', () => {
    expect(found({ a: { strong: 'image' }, b: { weak: 'imaging' } }, 'imagr')).toEqual(['a', 'b'])
  })

  it('only when the word is unknown to all documents, whatever the facets', () => {
    const documents = { form: { strong: 'form' }, farm: { strong: 'farm', facets: ['hidden'] } }
    expect(found(documents, 'firm')).toEqual(['farm', 'form'])
    expect(found(documents, 'farm')).toEqual(['farm'])
    expect(found(documents, { q: 'farm', none: ['hidden'] })).toEqual([])
  })

  it('again, once the last document with the word is gone', () => {
    const index = indexOf({ form: { strong: 'form' }, farm: { strong: 'farm' } })
    index.remove('farm')
    expect(index.find({ q: 'farm', offset: 0, limit: 10 }).items).toEqual(['form'])
  })

  it('not in short words, not twice in middling ones, never in numbers', () => {
    expect(found({ a: { strong: 'dog' } }, 'dig')).toEqual([])
    expect(found({ a: { strong: 'editor' } }, 'aditer')).toEqual([])
    expect(found({ a: { strong: '20251231' } }, '20251230')).toEqual([])
  })
})

describe('the order with words', () => {
  it('puts a hit in the strong field before one in the middle before one in the weak', () => {
    const documents = {
      weak: { weak: 'logo', popularity: 9 },
      middle: { middle: 'logo', popularity: 5 },
      strong: { strong: 'My logo' },
    }
    expect(found(documents, 'logo')).toEqual(['strong', 'middle', 'weak'])
  })

  it('puts the same word before another form before a longer word', () => {
    const documents = {
      longer: { strong: 'big imagemagick', popularity: 9 },
      form: { strong: 'big images', popularity: 5 },
      same: { strong: 'big image' },
    }
    expect(found(documents, 'image')).toEqual(['same', 'form', 'longer'])
  })

  it('puts first what was typed in full', () => {
    const documents = { more: { strong: 'Notion Calendar', popularity: 9 }, whole: { strong: 'Notion' } }
    expect(found(documents, 'notion')).toEqual(['whole', 'more'])
    const bands = { music: { strong: 'Make Music', popularity: 9 }, whole: { strong: 'Make It' } }
    expect(found(bands, 'make it')).toEqual(['whole', 'music'])
  })

  it('goes by popularity, then recency, then id among equals', () => {
    const documents = {
      d: { strong: 'logo' },
      c: { strong: 'logo' },
      b: { strong: 'logo', recency: 5 },
      a: { strong: 'logo', popularity: 1 },
    }
    expect(found(documents, 'logo')).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('the order without words', () => {
  const documents = { old: { recency: 1, popularity: 7 }, b: { recency: 2 }, a: { recency: 2, popularity: 2 } }

  it('is newest first, then id', () => {
    expect(found(documents, {})).toEqual(['a', 'b', 'old'])
  })

  it('is popular first when asked', () => {
    expect(found(documents, { order: 'popular-then-newest' })).toEqual(['old', 'a', 'b'])
  })

  it('goes by the key that the index was given: number descending, text ascending, id', async () => {
    const ratings = new Map([
      ['none', -Infinity],
      ['low', 3],
      ['z', 90],
      ['y', 90],
    ])
    const index = await buildIndex([[...ratings.keys()].map((id) => sketch(id, { strong: 'same' }))], {
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

  it('keep what has all of some and none of others', () => {
    expect(found(documents, { all: ['free'] })).toEqual(['a', 'b'])
    expect(found(documents, { all: ['free', 'new'] })).toEqual(['a'])
    expect(found(documents, { none: ['adult', 'paid'] })).toEqual(['a'])
    expect(found(documents, { q: 'one', all: ['free'], none: ['adult'] })).toEqual(['a'])
  })

  it('find nothing for a facet that no document has, which excludes nothing either', () => {
    expect(found(documents, { all: ['unknown'] })).toEqual([])
    expect(found(documents, { none: ['unknown'] })).toEqual(['a', 'b', 'c'])
  })

  it('give the true total on every page, even far beyond the last', () => {
    const index = indexOf(documents)
    expect(index.find({ q: 'one', offset: 1, limit: 1 })).toEqual({ items: ['b'], total: 3 })
    expect(index.find({ q: 'one', offset: 1e15, limit: 20 })).toEqual({ items: [], total: 3 })
    expect(index.find({ offset: 1e30, limit: 20 })).toEqual({ items: [], total: 3 })
  })
})

describe('a change is seen at once', () => {
  it('when a document is replaced', () => {
    const index = indexOf({ a: { strong: 'before', facets: ['old'] } })
    index.put(sketch('a', { strong: 'after', facets: ['new'] }))
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
    expect(index.find({ q: 'logo', offset: 0, limit: 10 })).toEqual({ items: ['b'], total: 1 })
  })
})

describe('building', () => {
  it('lets the event loop turn, and takes the last of documents with the same id', async () => {
    let turns = 0
    let building = true
    const turn = () => {
      turns++
      if (building) setImmediate(turn)
    }
    setImmediate(turn)
    async function* documents() {
      for (let number = 0; number < 6000; number++) {
        yield [sketch(`d${number % 5000}`, { strong: `name ${number}`, weak: `some words about number ${number}` })]
      }
    }
    const index = await buildIndex(documents())
    building = false
    expect(turns).toBeGreaterThan(2)
    expect(index.size).toBe(5000)
    expect(index.find({ q: '5003', offset: 0, limit: 10 }).items).toEqual(['d3'])
  })
})
