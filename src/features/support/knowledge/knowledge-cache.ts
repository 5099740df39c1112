// Keeps a search index of each partner's articles in memory. Before every use, the ids and versions of the articles are compared with
// those that were indexed, because another process may have changed the articles.
import type { BrokenRow, BrokenRows } from '../../../kernel/checks/broken-rows.ts'
import type { Database } from '../../../kernel/context.ts'
import { createPauses } from '../../../kernel/work/scheduler.ts'
import { type ArticleRow, listUsableArticles, listUsableVersions } from './article.queries.ts'
import { articleProblem, createKnowledge, type Knowledge } from './retrieval.rules.ts'

interface KnowledgeCache {
  /** The index of the partner's own articles and of those for all partners; with null only of those for all. */
  of(db: Database, partnerId: string | null): Promise<Knowledge>
}

declare module '../../../kernel/context.ts' {
  interface Context {
    knowledge: KnowledgeCache
  }
}

interface CachedKnowledge {
  /** The ids and versions of the indexed articles. */
  versions: string
  knowledge: Promise<Knowledge>
  /** How many passages the index has; 0 until it is built. */
  passages: number
}

// An indexed passage takes about six kilobytes, including its entry in the index of answerers.ts.
const MAX_CACHED_PASSAGES = 40_000

export function createKnowledgeCache(brokenRows: BrokenRows): KnowledgeCache {
  const cached = new Map<string | null, CachedKnowledge>()
  const brokenByPartner = new Map<string | null, BrokenRow[]>()

  async function build(db: Database, partnerId: string | null): Promise<Knowledge> {
    // The articles may have changed since their versions were read. The next question then finds other versions and builds a new index.
    const articles = await listUsableArticles(db, partnerId)
    brokenByPartner.set(partnerId, articles.flatMap(brokenArticle))
    const all = [...brokenByPartner.values()].flat()
    // An article for all partners may be in several of the lists; the map keeps each article once.
    brokenRows.replace(['article'], [...new Map(all.map((row) => [row.id, [row] as const])).values()])
    return indexArticles(articles.filter((article) => articleProblem(article) === undefined))
  }

  /** The entry used last is moved to the end. When the cache is full, entries are removed from the beginning. */
  function addToCache(partnerId: string | null, found: CachedKnowledge): void {
    cached.delete(partnerId)
    cached.set(partnerId, found)
    let passages = cached.values().reduce((sum, one) => sum + one.passages, 0)
    for (const [owner, one] of cached) {
      if (passages <= MAX_CACHED_PASSAGES || one === found) return
      cached.delete(owner)
      passages -= one.passages
    }
  }

  return {
    async of(db, partnerId) {
      const versions = (await listUsableVersions(db, partnerId)).join()
      let found = cached.get(partnerId)
      if (found?.versions !== versions) {
        // The promise is stored at once, so that concurrent questions wait for the same index.
        const built: CachedKnowledge = { versions, knowledge: build(db, partnerId), passages: 0 }
        found = built
        built.knowledge.then(
          ({ passages }) => {
            built.passages = passages.length
          },
          () => {
            if (cached.get(partnerId) === built) cached.delete(partnerId)
          },
        )
      }
      addToCache(partnerId, found)
      return found.knowledge
    },
  }
}

/** A broken article is not indexed but recorded; questions are answered from the others. */
function brokenArticle(article: ArticleRow): BrokenRow[] {
  const reason = articleProblem(article)
  return reason === undefined ? [] : [{ kind: 'article', id: article.id, name: article.id, reason }]
}

/** Pauses after each article, so that requests are answered meanwhile: indexing a megabyte takes half a second. */
async function indexArticles(articles: readonly ArticleRow[]): Promise<Knowledge> {
  const knowledge = createKnowledge()
  const pause = createPauses()
  for (const article of articles) {
    knowledge.add(article)
    await pause()
  }
  return knowledge
}
