// The passages of each partner's knowledge, kept ready. Ids and versions of the articles tell whether what is kept still holds,
// also when another process changed them.
import { setImmediate } from 'node:timers/promises'
import type { BrokenRow, BrokenRows } from '../../kernel/broken-rows.ts'
import type { Database } from '../../kernel/context.ts'
import { type ArticleRow, listUsableArticles, listUsableVersions } from './queries.ts'
import { articleProblem, type Indexed, indexArticle, type Knowledge, knowledgeIn } from './retrieval.rules.ts'

export interface KnowledgeShelf {
  /** The partner's own articles and those for all; with null only the latter. */
  of(db: Database, partnerId: string | null): Promise<Knowledge>
}

declare module '../../kernel/context.ts' {
  interface Context {
    knowledge: KnowledgeShelf
  }
}

interface Kept {
  versions: string
  knowledge: Promise<Knowledge>
  passages: number
}

// A passage with its place in the index is about six kilobytes.
const MOST_PASSAGES = 40_000

export function createKnowledgeShelf(brokenRows: BrokenRows): KnowledgeShelf {
  const kept = new Map<string | null, Kept>()
  const broken = new Map<string | null, BrokenRow[]>()

  async function build(db: Database, partnerId: string | null): Promise<Knowledge> {
    // The articles may have changed since their versions were read; then the next question finds other versions, and builds again.
    const articles = await listUsableArticles(db, partnerId)
    broken.set(partnerId, articles.flatMap(brokenArticle))
    const all = [...broken.values()].flat()
    brokenRows.replace(['article'], [...new Map(all.map((row) => [row.id, [row] as const])).values()])
    return knowledgeIn(await index(articles.filter((article) => articleProblem(article) === undefined)))
  }

  /** The one that was used last stands last, and the first are given up. */
  function keep(partnerId: string | null, found: Kept): void {
    kept.delete(partnerId)
    kept.set(partnerId, found)
    let passages = kept.values().reduce((sum, one) => sum + one.passages, 0)
    for (const [owner, one] of kept) {
      if (passages <= MOST_PASSAGES || one === found) return
      kept.delete(owner)
      passages -= one.passages
    }
  }

  return {
    async of(db, partnerId) {
      const versions = (await listUsableVersions(db, partnerId)).join()
      let found = kept.get(partnerId)
      if (found?.versions !== versions) {
        // Whoever asks meanwhile waits for the same.
        const made: Kept = { versions, knowledge: build(db, partnerId), passages: 0 }
        found = made
        made.knowledge.then(
          ({ passages }) => {
            made.passages = passages.length
          },
          () => {
            if (kept.get(partnerId) === made) kept.delete(partnerId)
          },
        )
      }
      keep(partnerId, found)
      return found.knowledge
    },
  }
}

/** An article that is not as it must be is left out; questions are answered from the others. */
function brokenArticle(article: ArticleRow): BrokenRow[] {
  const reason = articleProblem(article)
  return reason === undefined ? [] : [{ kind: 'article', id: article.id, name: article.id, reason }]
}

// A megabyte takes half a second; nobody else is to wait for it.
const AT_A_TIME = 10

async function index(articles: readonly ArticleRow[]): Promise<Indexed[]> {
  const indexed: Indexed[] = []
  for (const [i, article] of articles.entries()) {
    for (const one of indexArticle(article)) indexed.push(one)
    if (i % AT_A_TIME === AT_A_TIME - 1) await setImmediate()
  }
  return indexed
}
