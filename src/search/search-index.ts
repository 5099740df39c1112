// The index itself: joins its parts, changes them together, and answers searches.
import { createExplainer } from './explain/explain.ts'
import type { IndexOptions, SearchDocument, SearchIndex, SearchQuery, SearchResult } from './index-interface.ts'
import { hitsOfPage } from './matching/matched-words.ts'
import { type Conditions, createMatcher, type Match } from './matching/matching.ts'
import { createSimilarity } from './partial/question-similarity.ts'
import { dependenceOf } from './results/dependence.ts'
import { createFacetCounter } from './results/facet-counts.ts'
import { createPageSelector } from './results/page-selection.ts'
import { createRecentChanges } from './results/recent-changes.ts'
import { DocumentTerms } from './stored/document-terms.ts'
import { createDocuments } from './stored/documents.ts'
import { createFacets } from './stored/facets.ts'
import { Initials, initialOf } from './stored/initials.ts'
import { grown, NumberLists } from './stored/number-lists.ts'
import { createOrders, namedOrder, type Order } from './stored/orders.ts'
import { firstPosting, posting, termEntry, termOf } from './stored/packed-numbers.ts'
import { partOf, type Saved, savedAs } from './stored/saved.ts'
import { respell } from './terms/resolve-words.ts'
import { createVocabulary } from './terms/vocabulary.ts'
import { queryWords } from './words/query-words.ts'
import { nameStems } from './words/word-forms.ts'
import { indexedWords, words } from './words/words.ts'

/**
 * A document is indexed under at most this many different terms, those of its strongest fields first. A long description of 20,000
 * characters has about as many; without a limit, one of made-up words would add thousands to the vocabulary, which all searches share.
 */
export const MOST_TERMS = 1_000

/**
 * The mean length of documents. In a large index it counts in sixteenths of a word, so that most changes leave the scores of other
 * documents as they are, and with them the answers that are remembered.
 */
const meanOf = (words: number, documents: number): number =>
  documents < LARGE ? words / documents : Math.round((words / documents) * 16) / 16
const LARGE = 10_000

export function createIndex<Item>(options?: IndexOptions<Item>): SearchIndex<Item> {
  return createLoadableIndex(options).index
}

export interface LoadableIndex<Item> {
  index: SearchIndex<Item>
  /** Fills a new index with a state that `save` returned. */
  restore(saved: Saved, items: Iterable<Item | undefined>): Generator<void>
}

export function createLoadableIndex<Item>(options: IndexOptions<Item> = {}): LoadableIndex<Item> {
  const { defaultKey, numberOrders = [], vectors } = options
  const documents = createDocuments(defaultKey)
  const { numbers, ids, items, popularity, revisions, defaultNumber, firstNumber, secondNumber } = documents
  const counts = { changes: 0, updates: 0 }
  const postings = new NumberLists()
  const vocabulary = createVocabulary(postings)
  const termsOf = new NumberLists()
  const facets = createFacets()
  const names = createFacets()
  const initials = new Initials()
  const documentTerms = new DocumentTerms()
  const similarity = vectors && createSimilarity(vectors, { vocabulary, termsOf })
  /** The numbers that a range may be about, each by document. */
  const ranged = { 'default-number': defaultNumber, 'first-number': firstNumber, 'second-number': secondNumber }
  const matcher = createMatcher({
    ...{ vocabulary, postings, initials, facets, names, isWord: vectors?.isWord, numbers: ranged },
    documents: () => defaultOrder.sequence(),
  })
  const recentChanges = createRecentChanges({
    ...{ documents, vocabulary, termsOf, facets, names },
    lengthOf: (document) => lengths[document]!,
    sketchOf: (document) => similarity?.sketchOf(document),
  })
  let lengths = new Uint32Array(1 << 10)
  let wordCount = 0

  const orders = createOrders(documents, numberOrders)
  const { popularOrder, defaultOrder } = orders
  const allOrders: Order[] = Object.values(orders)
  /** Returns the number of the document. `replaced`: the number of the one that it replaces, which the new document takes over. */
  function addDocument(document: SearchDocument<Item>, replaced?: number): number {
    if (replaced !== undefined) recentChanges.noteChange(replaced, -1)
    matcher.documentsChanged()
    counts.changes++
    const number = documents.add(document, replaced)
    facets.set(number, document.facets)
    names.set(number, [nameStems(words(document.text[0]))])
    const length = collectTerms(number, document.text)
    replacePostings(number)
    if (number >= lengths.length) lengths = grown(lengths, (number + 1) * 2)
    wordCount += length - (replaced === undefined ? 0 : lengths[number]!)
    lengths[number] = length
    similarity?.add(number)
    recentChanges.noteChange(number, 1)
    return number
  }

  /** Fills `documentTerms` with the terms of the document, and notes their initials. Returns how many words the document has. */
  function collectTerms(number: number, [strong, middle, weak]: SearchDocument<Item>['text']): number {
    initials.clear(number)
    documentTerms.clear()
    let length = 0
    // Strongest field first, because a posting names the strongest field that has the term.
    for (const [field, fieldWords] of [
      indexedWords(strong, true),
      indexedWords(middle),
      indexedWords(weak),
    ].entries()) {
      length += fieldWords.length
      for (const word of fieldWords) {
        const term = documentTerms.size < MOST_TERMS ? vocabulary.add(word) : vocabulary.numberOf(word)
        // Once the document has MOST_TERMS terms, only further occurrences of these are counted.
        if (term === undefined || (documentTerms.size >= MOST_TERMS && !documentTerms.has(term))) continue
        if (documentTerms.add(term, field)) initials.add(number, field, word)
      }
    }
    return length
  }

  /** Gives the document the postings of `documentTerms`. A posting of a term that it had before keeps its place. */
  function replacePostings(number: number): void {
    const before = new Set(termsBefore(number))
    for (let at = 0; at < documentTerms.size; at++) {
      const term = documentTerms.terms[at]!
      const entry = posting(number, documentTerms.fieldOf(term), documentTerms.countOf(term))
      if (before.delete(term)) postings.replace(term, firstPosting(number), entry)
      else postings.insert(term, entry)
    }
    for (const term of before) removePosting(term, number)
    termsOf.clear(number)
    for (let at = 0; at < documentTerms.size; at++) {
      const term = documentTerms.terms[at]!
      termsOf.push(number, termEntry(term, documentTerms.fieldOf(term)))
    }
  }

  /** The terms of the document as it is in the index. */
  const termsBefore = (number: number) => termsOf.valuesOf(number).map(termOf)

  function removePosting(term: number, number: number): void {
    postings.remove(term, firstPosting(number))
    if (postings.length[term] !== 0) return
    vocabulary.forget(term)
    similarity?.forget(term)
  }

  function removeDocument(id: string, number: number): void {
    recentChanges.noteChange(number, -1)
    matcher.documentsChanged()
    counts.changes++
    for (const term of termsBefore(number)) removePosting(term, number)
    termsOf.clear(number)
    initials.clear(number)
    similarity?.remove(number)
    facets.set(number, [])
    names.set(number, [])
    wordCount -= lengths[number]!
    documents.remove(id, number)
  }

  function putAll(documents: readonly SearchDocument<Item>[], removed: readonly string[]): void {
    const leaving = removed.flatMap((id) => {
      const number = numbers.get(id)
      return number === undefined ? [] : [{ id, number }]
    })
    const replaced = documents.flatMap(({ id }) => numbers.get(id) ?? [])
    for (const order of allOrders) order.removeAll([...replaced, ...leaving.map(({ number }) => number)])
    for (const { id, number } of leaving) removeDocument(id, number)
    const added = documents.map((document) => addDocument(document, numbers.get(document.id)))
    for (const order of allOrders) order.insertAll(added)
  }

  function update(id: string, change: { popularity: number; item: Item }): boolean {
    const number = numbers.get(id)
    if (number === undefined) return false
    items[number] = change.item
    revisions[number] = 0
    counts.updates++
    recentChanges.noteChange(number, 0, change.popularity)
    if (popularity[number] === change.popularity) return true
    popularOrder.remove(number)
    popularity[number] = change.popularity
    popularOrder.insert(number)
    return true
  }

  /** The parts that are saved, by the name under which each is. The documents are saved by hand, because they have the items, too. */
  const parts: Record<string, { save(): Saved; restore(saved: Saved): Generator<void> | void }> = {
    ...{ vocabulary, postings, termsOf, facets, names, initials, ...orders },
    ...(similarity && { similarity }),
  }

  const extent = () => ({
    size: numbers.size,
    capacity: documents.capacity(),
    lengths,
    meanLength: meanOf(wordCount, numbers.size),
  })
  const matchOf = (conditions: Conditions): Match => matcher.match(conditions, extent())
  const orderNamed = (name: SearchQuery['order']) => namedOrder(orders, name)
  const { select, withPartial } = createPageSelector({ documents, orders, similarity })
  const dependenceSources = { matcher, vocabulary, documents, facets, orderNamed, extent }

  function find({ explain, depend, ...query }: SearchQuery): SearchResult<Item> {
    const match = matchOf(query)
    const selection = select(match, query)
    const { documents: page, total, full } = selection
    const result: SearchResult<Item> = { items: Array.from(page, (document) => items[document]!), total, full }
    const missing = query.lenient && full === 0 ? missingIn(match) : []
    if (missing.length > 0) result.missing = missing
    if (depend)
      result.dependsOn = dependenceOf(dependenceSources, query, match, selection, result, recentChanges.changeCount())
    if (!explain || !match.words) return result
    const hits = hitsOfPage(match.words, { vocabulary, termsOf, initials }, page, full - query.offset)
    const asked = match.words.flatMap(({ word, asks, isOptional }) => (asks || isOptional ? [] : word))
    return { ...result, explained: { isName: match.isName ?? false, asked, hits } }
  }

  const explain = createExplainer<Item>({
    ...{ vocabulary, postings, termsOf, facets, names, similarity, orderNamed, extent, select, numbers: ranged },
    match: matchOf,
    idOf: (document) => ids[document]!,
    numberOf: (id) => numbers.get(id),
    itemOf: (document) => items[document]!,
  })

  const countFacets = createFacetCounter({
    facets,
    match: matchOf,
    partialResult: (match, nearness) => match.partial && withPartial(match, match.partial, { nearness }).documents,
    capacity: documents.capacity,
  })

  return {
    index: {
      get size() {
        return numbers.size
      },
      counts,
      get: (id) => items[numbers.get(id) ?? -1],
      revisionOf: (id) => revisions[numbers.get(id) ?? -1] ?? 0,
      *items() {
        for (const number of numbers.values()) yield items[number]!
      },
      find,
      respelt: (q, isBold, spelt) => respell(queryWords(q), vocabulary, vectors?.isWord, isBold, spelt)?.join(' '),
      isName: (text) => names.numberOf(nameStems(words(text))) !== undefined,
      stillHolds: recentChanges.stillHolds,
      explain,
      facetsOf: (id) => facets.labelsOf(numbers.get(id) ?? -1),
      count(label) {
        const facet = facets.numberOf(label)
        return facet === undefined ? 0 : facets.documents.lengthOf(facet)
      },
      countFacets,
      put: (document) => putAll([document], []),
      putAll,
      remove(id) {
        const isKnown = numbers.has(id)
        putAll([], [id])
        return isKnown
      },
      update,
      save() {
        const saved = Object.entries(parts).map(([name, part]) => savedAs(name, part.save()))
        const ownLists = {
          lengths: lengths.subarray(0, documents.capacity()),
          ...savedAs('documents', documents.save()),
        }
        return { saved: Object.assign(ownLists, ...saved), items }
      },
    },
    *restore(saved, all) {
      lengths = saved.lengths as typeof lengths
      yield* documents.restore(partOf(saved, 'documents'), all)
      wordCount = lengths.reduce((sum, length, number) => (items[number] ? sum + length : sum), 0)
      for (const [name, part] of Object.entries(parts)) yield* part.restore(partOf(saved, name)) ?? []
    },
  }
}

/** The words of the query that no document has. A word of one letter matches by initials. */
const missingIn = ({ words = [] }: Match): string[] =>
  words.flatMap(({ word, asks, isOptional, terms }) =>
    asks || isOptional || terms.length > 0 || initialOf(word) !== 0 ? [] : word,
  )
