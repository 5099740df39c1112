/** The semantics at the top of src/search/index.ts, written sentence by sentence and without regard for speed. */
import type { SearchDocument, SearchQuery, SearchResult } from '../../src/search/index.ts'
import { words } from '../../src/search/index.ts'
import { FUNCTION_WORDS } from '../../src/search/query-words.ts'
import { stemOf } from '../../src/search/word-forms.ts'

export type DefaultKey<Item> = (document: SearchDocument<Item>) => readonly [number, string]

export function referenceFind<Item>(
  documents: readonly SearchDocument<Item>[],
  query: SearchQuery,
  defaultKey: DefaultKey<Item> = (document) => [document.recency, ''],
): SearchResult<Item> {
  const { q, all = [], none = [], order, offset, limit } = query
  const withFacets = documents.filter(
    ({ facets }) => all.every((facet) => facets.includes(facet)) && !none.some((facet) => facets.includes(facet)),
  )
  const byId = (a: SearchDocument<Item>, b: SearchDocument<Item>) => (a.id < b.id ? -1 : 1)
  const byPopularity = (a: SearchDocument<Item>, b: SearchDocument<Item>) =>
    b.popularity - a.popularity || b.recency - a.recency || byId(a, b)
  const byDefault = (a: SearchDocument<Item>, b: SearchDocument<Item>) => {
    const [numberA, textA] = defaultKey(a)
    const [numberB, textB] = defaultKey(b)
    if (numberA !== numberB) return numberA > numberB ? -1 : 1
    if (textA !== textB) return textA < textB ? -1 : 1
    return byId(a, b)
  }

  let found: SearchDocument<Item>[]
  if (q === undefined || q.trim() === '') {
    found = withFacets.toSorted(order === 'popular-then-newest' ? byPopularity : byDefault)
  } else {
    const scoreOf = scorer(q, documents)
    const scores = new Map(withFacets.map((document) => [document, scoreOf(document)]))
    found = withFacets
      .filter((document) => scores.get(document) !== undefined)
      .sort((a, b) => scores.get(b)! - scores.get(a)! || byPopularity(a, b))
    if (order) found = found.toSorted(order === 'popular-then-newest' ? byPopularity : byDefault)
  }
  return { items: found.slice(offset, offset + limit).map(({ item }) => item), total: found.length }
}

/** Returns a function that scores one document, or gives undefined for no match. */
function scorer(q: string, documents: readonly SearchDocument<unknown>[]) {
  const queryWords = words(q)
  const contentWords = queryWords.filter((word) => !FUNCTION_WORDS.has(word))
  const required = [...new Set(contentWords.length > 0 ? contentWords : queryWords)]
  const terms = [...new Set(documents.flatMap(({ text }) => text.flatMap(words)))]
  const qualities = required.map((word) => qualitiesOf(word, terms))

  return (document: SearchDocument<unknown>): number | undefined => {
    if (required.length === 0) return undefined
    let sum = 0
    for (const quality of qualities) {
      const hits = document.text.flatMap((text, field) =>
        words(text)
          .filter((term) => quality.has(term))
          .map((term) => [1000, 100, 10][field]! + quality.get(term)!),
      )
      if (hits.length === 0) return undefined
      sum += Math.max(...hits)
    }
    const name = words(document.text[0])
    const isWholeName =
      name.length === queryWords.length && name.every((word, at) => stemOf(word) === stemOf(queryWords[at]!))
    return sum + (isWholeName ? 500 : 0)
  }
}

/** Returns the terms that a word matches, with the quality of each match. */
function qualitiesOf(word: string, terms: string[]): Map<string, number> {
  const known = new Map<string, number>()
  for (const term of terms) {
    const quality = knownQuality(word, term)
    if (quality !== undefined) known.set(term, quality)
  }
  if (known.size > 0) return known
  const misspelt = terms.filter((term) => isTypo(word, term))
  const withForms = terms.filter((term) => misspelt.some((other) => other === term || sameForm(other, term)))
  return new Map(withForms.map((term) => [term, 0]))
}

function knownQuality(word: string, term: string): number | undefined {
  if (term === word) return 3
  if (sameForm(word, term)) return 2
  if (term.startsWith(word)) return 1
  return undefined
}

const isEnglish = (word: string) => /^[a-z][a-z][a-z]+$/.test(word)
const sameForm = (a: string, b: string) => isEnglish(a) && isEnglish(b) && stemOf(a) === stemOf(b)

function isTypo(word: string, term: string): boolean {
  if (word.length < 4 || /^\p{N}*$/u.test(word)) return false
  return distance(word, term) <= (word.length <= 7 ? 1 : 2)
}

/** Computes the optimal string alignment distance with the full table. */
export function distance(a: string, b: string): number {
  const table: number[][] = []
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = []
    table.push(row)
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) {
        row.push(i + j)
        continue
      }
      let cost = Math.min(
        table[i - 1]![j]! + 1,
        row[j - 1]! + 1,
        table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, table[i - 2]![j - 2]! + 1)
      }
      row.push(cost)
    }
  }
  return table[a.length]![b.length]!
}
