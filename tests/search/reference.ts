/** The semantics at the top of src/search/index.ts, written sentence by sentence and without regard for speed. */
import type { SearchDocument, SearchQuery, SearchResult } from '../../src/search/index.ts'
import { words } from '../../src/search/index.ts'
import type { WordVectors } from '../../src/search/meaning/vectors.ts'
import { ALSO_ASKING, ASKING_WORDS, FUNCTION_WORDS } from '../../src/search/words/query-words.ts'
import { stemOf } from '../../src/search/words/word-forms.ts'
import { indexedWords } from '../../src/search/words/words.ts'

export type DefaultKey<Item> = (document: SearchDocument<Item>) => readonly [number, string]

export function referenceFind<Item>(
  documents: readonly SearchDocument<Item>[],
  query: SearchQuery,
  defaultKey: DefaultKey<Item> = (document) => [document.recency, ''],
  vectors?: WordVectors,
): SearchResult<Item> {
  const { q, all = [], any = [], none = [], ranges = [], prefer = [], lenient, order, offset, limit } = query
  const withFacets = documents
    .filter(
      ({ facets }) =>
        all.every((facet) => facets.includes(facet)) &&
        any.every((choice) => choice.some((facet) => facets.includes(facet))) &&
        !none.some((facet) => facets.includes(facet)),
    )
    .filter((document) =>
      ranges.every(({ of, least, most, below }) => {
        const value =
          of === 'default-number' ? defaultKey(document)[0] : (document.numbers?.[of === 'first-number' ? 0 : 1] ?? 0)
        const isKnown = Math.abs(value) !== Infinity
        return (
          isKnown &&
          (least === undefined || value >= least) &&
          (most === undefined || value <= most) &&
          (below === undefined || value < below)
        )
      }),
    )
  const preferred = ({ facets }: SearchDocument<Item>) =>
    prefer.reduce((sum, label, at) => sum + (facets.includes(label) ? 1_000_000 * 2 ** (prefer.length - at) : 0), 0)
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

  const byNumber = (at: number) => (a: SearchDocument<Item>, b: SearchDocument<Item>) => {
    const [one, other] = [a.numbers?.[at] ?? 0, b.numbers?.[at] ?? 0]
    return one === other ? byDefault(a, b) : one > other ? -1 : 1
  }

  const inOrder = (list: readonly SearchDocument<Item>[]) =>
    list.toSorted(
      order === 'popular-then-newest'
        ? byPopularity
        : order === 'first-number'
          ? byNumber(0)
          : order === 'second-number'
            ? byNumber(1)
            : byDefault,
    )
  const page = (found: readonly SearchDocument<Item>[], full: number) => ({
    items: found.slice(offset, offset + limit).map(({ item }) => item),
    total: found.length,
    full,
  })
  if (q === undefined || q.trim() === '')
    return page(
      inOrder(withFacets).sort((a, b) => preferred(b) - preferred(a)),
      withFacets.length,
    )

  const question = read(q, documents, lenient, vectors)
  const byScore = (score: (document: SearchDocument<Item>) => number | undefined) => {
    const scores = new Map(withFacets.map((document) => [document, score(document)]))
    return withFacets
      .filter((document) => scores.get(document) !== undefined)
      .sort((a, b) => scores.get(b)! - scores.get(a)! || byPopularity(a, b))
  }
  const full = byScore((document) => {
    const score = fullScore(question, document)
    return score === undefined ? undefined : score + preferred(document)
  })
  const isEnough =
    full.length >= 5 ||
    (full.length > 0 && (words(q).length === 1 || full.some((document) => isWholeName(question, document))))
  const byWord = partialScore(question, documents, withFacets)
  const byWords = query.partial && !isEnough ? byScore(byWord.score).filter((document) => !full.includes(document)) : []
  let partial = byWords
  const similarity = vectors && query.partial && !isEnough ? similarityTo(question, vectors) : undefined
  if (similarity) {
    const compared = new Set(byWords.slice(0, 200))
    const near = similarity.nearest(withFacets)
    partial = byScore((document) => {
      if (full.includes(document)) return undefined
      const close = similarity.of(document)
      const points = Math.round(22_000 * close)
      if (compared.has(document))
        return close >= 0.05 || byWord.part(document) >= 0.5 ? byWord.score(document)! + points : undefined
      return near.has(document) && close >= (question.asked.length === 2 ? 0.4 : 0.3) ? points : undefined
    })
  }
  if (lenient) {
    const part = (document: SearchDocument<Item>) =>
      byWords.slice(0, 200).includes(document) ? byWord.part(document) : 0
    const isTelling = partial.some(
      (document) => part(document) >= 0.25 || !similarity || similarity.of(document) >= 0.15,
    )
    partial = partial.filter((document, at) => isTelling && (at < 3 || part(document) >= 0.5))
  }
  partial = partial.slice(0, 100 - full.length)
  const result = page(order ? [...inOrder(full), ...inOrder(partial)] : [...full, ...partial], full.length)
  // A filter that no document fulfils ends a search before its words are read.
  const isRead = withFacets.length > 0 || all.length + any.length + ranges.length === 0
  const missing = question.qualities
    .filter(({ word, terms }) => terms.size === 0 && !question.isOptional(word) && !/^[a-z]$/.test(word))
    .map(({ word }) => word)
  return lenient && full.length === 0 && isRead && missing.length > 0 ? { ...result, missing } : result
}

interface Question {
  typed: string[]
  /** The words that say what is asked for. */
  asked: string[]
  isOptional(word: string): boolean
  /** Whether words of asking may be absent. */
  isLenient: boolean
  /** For each word: the terms that match it, with the quality of each match. */
  qualities: { word: string; terms: Map<string, number> }[]
}

function read(
  q: string,
  documents: readonly SearchDocument<unknown>[],
  lenient?: boolean,
  vectors?: WordVectors,
): Question {
  const isOptional = (word: string) => lenient === true && (ASKING_WORDS.has(word) || ALSO_ASKING.has(word))
  const typed = words(q)
  const contentWords = typed.filter((word) => !FUNCTION_WORDS.has(word))
  const required = [...new Set(contentWords.length > 0 ? contentWords : typed)]
  const compounds = lenient ? (q.match(/[\p{L}\p{N}]+(?:[-_‐‑.][\p{L}\p{N}]+)+/gu) ?? []) : []
  const short = compounds.flatMap(words).filter((word) => /^\p{L}\p{L}?$/u.test(word))
  const terms = [...new Set(documents.flatMap(({ text }) => text.flatMap(termsOf)))]
  const isKnown = (word: string) => terms.some((term) => knownQuality(word, term) !== undefined)
  const misspelt = required
    .filter((word) => !isKnown(word) && !vectors?.isWord(word) && split(word, terms).length === 1)
    .slice(0, 10)
  const qualities = required.flatMap((word) => {
    const parts = split(word, terms)
    const joined =
      parts.length > 1
        ? []
        : typed.slice(1).flatMap((next, at) => (word === next || word === typed[at] ? [typed[at]! + next] : []))
    return parts.map((part) => ({
      word: part,
      terms: qualitiesOf(part, joined, terms, misspelt.includes(part), short.includes(word)),
    }))
  })
  const asked = qualities.map(({ word }) => word).filter((word) => !ASKING_WORDS.has(word))
  const isLenient = qualities.some(({ word }) => !isOptional(word))
  return { typed, asked, isOptional, isLenient, qualities }
}

/** The terms of a field: its words, its compounds as one word, and in the name (field 0) all neighbours as one word. */
const termsOf = (text: string, field: number) => indexedWords(text, field === 0)

/** Two terms that are the word when written as one, if no term is the word, a form of it or begins with it. */
function split(word: string, terms: readonly string[]): string[] {
  if (terms.some((term) => knownQuality(word, term) !== undefined)) return [word]
  const isPart = (part: string) =>
    terms.includes(part) && !FUNCTION_WORDS.has(part) && (part.length >= 3 || (part.length === 2 && /[0-9]/.test(part)))
  const splits = Array.from({ length: word.length }, (_, at) => [word.slice(0, at), word.slice(at)] as const)
  const shorter = (parts: readonly string[]) => Math.min(...parts.map((part) => part.length))
  const [best] = splits.filter((parts) => parts.every(isPart)).sort((a, b) => shorter(b) - shorter(a))
  return best ? [...best] : [word]
}

/** The score of a full match, or undefined. */
function fullScore(question: Question, document: SearchDocument<unknown>): number | undefined {
  if (question.qualities.length === 0) return undefined
  let sum = 0
  let isComplete = question.isLenient && question.qualities.some(({ word }) => question.isOptional(word))
  for (const { word, terms } of question.qualities) {
    const hits = document.text.flatMap((text, field) =>
      termsOf(text, field)
        .filter((term) => terms.has(term))
        .map((term) => [1000, 100, 10][field]! + terms.get(term)!),
    )
    if (question.isLenient && question.isOptional(word)) {
      isComplete &&= hits.length > 0
      continue
    }
    if (hits.length === 0) return undefined
    sum += Math.max(...hits)
  }
  return sum + (isWholeName(question, document) ? 500 : 0) + (isComplete ? 1_000_000 : 0)
}

const isWholeName = ({ typed }: Question, document: SearchDocument<unknown>): boolean =>
  words(document.text[0]).map(stemOf).join('') === typed.map(stemOf).join('')

/** Scores partial matches by BM25; the score of other documents is undefined. */
function partialScore(
  { qualities }: Question,
  documents: readonly SearchDocument<unknown>[],
  withFacets: readonly SearchDocument<unknown>[],
) {
  const fields = new Map(documents.map(({ id, text }) => [id, text.map(termsOf)]))
  const lengthOf = (id: string) => fields.get(id)!.flat().length
  const meanLength = documents.reduce((sum, { id }) => sum + lengthOf(id), 0) / documents.length
  const rarityOf = (count: number) =>
    Math.round(1000 * Math.log(1 + (documents.length + 50 - count + 0.5) / (count + 0.5)))
  const rated = qualities.flatMap(({ word, terms }) => {
    const known = new Map([...terms].filter(([, quality]) => quality >= 2))
    const counted = known.size > 0 ? known : word.length >= 4 ? terms : new Map<string, number>()
    if (ASKING_WORDS.has(word) || counted.size === 0) return []
    let count = 0
    for (const term of counted.keys())
      count += documents.filter(({ id }) => fields.get(id)!.flat().includes(term)).length
    count = Math.min(count, documents.length)
    const rarity = rarityOf(count)
    return rarity < 1100 ? [] : [{ terms: counted, rarity }]
  })
  const measured = new Map(
    documents.map(({ id }) => {
      const texts = fields.get(id)!
      let score = 0
      let rarity = 0
      for (const word of rated) {
        const points = [...word.terms].flatMap(([term, quality]) => {
          const field = texts.findIndex((text) => text.includes(term))
          if (field === -1) return []
          const count = Math.min(4, texts.flat().filter((one) => one === term).length)
          const weight = ([2, 1, 0.7][field]! + (count - 1) * 0.3) * [0.3, 0.5, 1, 1][quality]!
          const norm = 1.2 * (1 - 0.6 + (0.6 / meanLength) * lengthOf(id))
          return [Math.round((word.rarity * (1.2 + 1) * weight) / (weight + norm))]
        })
        if (points.length === 0) continue
        score += Math.max(...points)
        rarity += word.rarity
      }
      return [id, { score: rarity >= 2300 ? score : undefined, rarity }]
    }),
  )
  const highest = Math.max(...withFacets.map(({ id }) => measured.get(id)?.score ?? 0))
  const isUnknown = ({ word, terms }: Question['qualities'][number]) =>
    !ASKING_WORDS.has(word) && terms.size === 0 && word.length > 1
  const unknown = qualities.filter(isUnknown).length
  const all = rated.reduce((sum, { rarity }) => sum + rarity, unknown * rarityOf(0))
  return {
    score({ id }: SearchDocument<unknown>): number | undefined {
      const score = measured.get(id)?.score
      return score !== undefined && score >= highest * 0.3 ? score : undefined
    },
    /** How much of what is asked for the document has. */
    part: ({ id }: SearchDocument<unknown>): number => measured.get(id)!.rarity / all,
  }
}

/** Compares by meaning, or undefined when no word of the question has a vector. */
function similarityTo({ asked }: Question, vectors: WordVectors) {
  const { dimensions, rows, scales, rowOf } = vectors
  const sumOf = (weighted: readonly (readonly [word: string, weight: number])[]) => {
    const sum = Array.from({ length: dimensions }, () => 0)
    for (const [word, weight] of weighted) {
      const row = rowOf(word)
      if (row !== undefined)
        for (const at of sum.keys()) sum[at]! += weight * scales[row]! * rows[row * dimensions + at]!
    }
    return sum
  }
  const product = (a: readonly number[], b: readonly number[]) =>
    a.reduce((total, value, at) => total + value * b[at]!, 0)
  const length = (a: readonly number[]) => Math.sqrt(product(a, a))
  const question = sumOf(asked.map((word) => [word, 1]))
  if (length(question) === 0) return undefined
  const vectorOf = ({ text }: SearchDocument<unknown>) => {
    const weights = new Map<string, number>()
    for (const [field, part] of text.entries())
      for (const term of termsOf(part, field)) if (!weights.has(term)) weights.set(term, [2, 1, 0.7][field]!)
    const sum = sumOf([...weights])
    const largest = Math.max(...sum.map(Math.abs))
    return largest === 0 ? sum : sum.map((value) => Math.round((value * 127) / largest))
  }
  return {
    of(document: SearchDocument<unknown>) {
      const vector = vectorOf(document)
      return length(vector) === 0 ? 0 : product(question, vector) / (length(vector) * length(question))
    },
    /** All documents up to some number of different signs: as many as possible, but not over 200. */
    nearest<Item>(documents: readonly SearchDocument<Item>[]): Set<SearchDocument<Item>> {
      const different = new Map(
        documents
          .filter((document) => length(vectorOf(document)) > 0)
          .map((document) => {
            const vector = vectorOf(document)
            return [document, vector.filter((value, at) => value > 0 !== question[at]! > 0).length]
          }),
      )
      const within = (limit: number) =>
        new Set([...different].filter(([, count]) => count <= limit).map(([one]) => one))
      let limit = -1
      while (limit < dimensions && within(limit + 1).size <= 200) limit++
      return within(limit)
    },
  }
}

/** Returns the terms that a word matches, with the quality of each match. */
function qualitiesOf(
  word: string,
  joined: readonly string[],
  terms: string[],
  typos: boolean,
  isWhole: boolean,
): Map<string, number> {
  const known = new Map<string, number>()
  for (const term of terms) {
    const isJoined = joined.some((text) => text === term || sameForm(text, term))
    const quality = Math.max(knownQuality(word, term) ?? -1, isJoined ? 2 : -1)
    if (quality >= (isWhole ? 2 : 0)) known.set(term, quality)
  }
  if (known.size > 0 || !typos) return known
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

/** The words of a question, each unknown one replaced by the term that is meant. */
export function referenceRespelt(
  documents: readonly SearchDocument<unknown>[],
  q: string,
  isBold: boolean,
  vectors?: WordVectors,
): string | undefined {
  const typed = words(q)
  const terms = [...new Set(documents.flatMap(({ text }) => text.flatMap(termsOf)))]
  const isKnown = (word: string) => terms.some((term) => knownQuality(word, term) !== undefined)
  const isJoined = (word: string) =>
    typed.some((next, at) => at > 0 && (word === next || word === typed[at - 1]) && isKnown(typed[at - 1]! + next))
  const content = typed.filter((word) => !FUNCTION_WORDS.has(word))
  const unknown = [...new Set(content.length > 0 ? content : typed)]
    .filter(
      (word) => !ASKING_WORDS.has(word) && (isBold || !vectors?.isWord(word)) && !isKnown(word) && !isJoined(word),
    )
    .slice(0, 10)
  const usersOf = (term: string) => documents.filter(({ text }) => text.flatMap(termsOf).includes(term)).length
  const meantBy = (word: string): string => {
    const sound = word.split('f').join('ph')
    if (terms.includes(sound)) return sound
    const isNumber = /^\p{N}*$/u.test(word)
    const edits = isNumber || word.length < 4 ? 0 : word.length < 8 ? 1 : 2
    const more = Number(isBold && !isNumber && word.length > 2 && word.length !== 4)
    const letters = (text: string) => [...text].sort().join('')
    const mistake = (term: string) => (letters(term) === letters(word) ? 0 : term.length > word.length ? 1 : 2)
    const consonants = (text: string) => text.replace(/[aeiou]/g, '').replace(/(.)\1+/g, '$1')
    const [meant = word] = terms
      .filter(
        (term) =>
          term.length > 2 &&
          distance(word, term) <=
            edits + (consonants(term) === consonants(word) || (word.length === 3 && term.length > 3) ? more : 0) &&
          (!isBold || term[0] === word[0] || (term[0] === word[1] && term[1] === word[0])),
      )
      .sort(
        (a, b) =>
          distance(word, a) - distance(word, b) ||
          Number(b[0] === word[0]) - Number(a[0] === word[0]) ||
          mistake(a) - mistake(b) ||
          usersOf(b) - usersOf(a) ||
          (a < b ? -1 : 1),
      )
    return meant
  }
  const spelt = typed.map((word) => (unknown.includes(word) ? meantBy(word) : word))
  return spelt.some((word, at) => word !== typed[at]) ? spelt.join(' ') : undefined
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
