// Which search finds the passage that answers a support question: the built-in one, or that of the catalog over the same passages. Then
// how often the built-in one, which decides alone whether a passage is an answer, is right and wrong on questions near the articles.
//   node bench/support-search.ts
import { readFileSync } from 'node:fs'
import { loadVectors } from '../src/features/catalog/word-vectors.ts'
import { createIndex } from '../src/search/index.ts'
import { knowledgeOfArticles } from '../tests/harness/support.ts'

interface Question {
  question: string
  /** A text of the passage that answers the question; null when no passage does. */
  answer: string | null
}

const MOST = 8

const load = (name: string) =>
  JSON.parse(readFileSync(new URL(`../tests/support/knowledge/${name}.json`, import.meta.url), 'utf8'))
const articles = (load('articles') as { title: string; body: string }[]).map((article, i) => ({
  id: `a${i}`,
  ...article,
}))
const knowledge = knowledgeOfArticles(articles)

// What a language model is given, without what is added where the search finds fewer.
const index = createIndex<string>({ vectors: loadVectors() })
for (const [i, { title, text }] of knowledge.passages.entries())
  index.put({ id: String(i), text: [title, text, ''], facets: [], popularity: 0, recency: 0, item: text })

const SEARCHES: Record<string, (question: string) => string[]> = {
  'built in': (question) =>
    knowledge
      .find(question)
      .slice(0, MOST)
      .map(({ passage }) => passage.text),
  'of the catalog': (question) => index.find({ q: question, partial: true, offset: 0, limit: MOST }).items,
}

const rows: Record<string, string | number>[] = []
for (const file of ['ordinary-questions', 'questions'])
  for (const set of ['held', 'tuning']) {
    const questions: Question[] = load(file)[set]
    for (const [search, find] of Object.entries(SEARCHES)) {
      const answerable = questions.filter(({ answer }) => answer !== null)
      const places = answerable.map(({ question, answer }) =>
        find(question).findIndex((text) => text.includes(answer!)),
      )
      const share = (most: number) =>
        `${Math.round((100 * places.filter((place) => place >= 0 && place < most).length) / places.length)} %`
      const unanswerable = questions.filter(({ answer }) => answer === null)
      const empty = unanswerable.filter(({ question }) => find(question).length === 0).length
      rows.push({
        questions: `${file} ${set} (${places.length})`,
        search,
        first: share(1),
        'in three': share(3),
        'in eight': share(MOST),
        'nothing found for unanswerable': `${empty} of ${unanswerable.length}`,
      })
    }
  }
console.table(rows)

const near: Record<string, { articles: { title: string; body: string }[]; questions: Question[] }[]> =
  load('near-misses')
const given = Object.entries(near).flatMap(([set, products]) =>
  products.flatMap(({ articles, questions }) => {
    const { answer: answerTo } = knowledgeOfArticles(articles.map((article, i) => ({ id: `a${i}`, ...article })))
    return questions.map(({ question, answer }) => ({ set, question, answer, text: answerTo(question)?.text }))
  }),
)
const isRight = ({ answer, text }: (typeof given)[number]) => answer !== null && text?.includes(answer)
const summary = (set: string, some: typeof given) => {
  const answerable = some.filter(({ answer }) => answer !== null).length
  const right = some.filter(isRight).length
  const wrong = some.filter((one) => one.text !== undefined && !isRight(one)).length
  return {
    questions: `${set} (${some.length})`,
    'with an answer': answerable,
    right: `${right} (${Math.round((100 * right) / answerable)} %)`,
    wrong: `${wrong} (${((100 * wrong) / some.length).toFixed(1)} %)`,
  }
}
console.table([
  ...Object.keys(near).map((set) =>
    summary(
      set,
      given.filter((one) => one.set === set),
    ),
  ),
  summary('all', given),
])
for (const one of given)
  if (one.text !== undefined && !isRight(one)) console.log(`wrong: ${one.question} => ${one.text}`)
