// The passages of each partner's knowledge, kept ready. An article never changes under its id, so the ids tell whether what is kept
// still holds, also when another process changed them.
import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../kernel/context.ts'
import { type ArticleRow, listUsableArticleIds, listUsableArticles } from './queries.ts'
import { type Indexed, indexArticle, type Knowledge, knowledgeIn } from './retrieval.rules.ts'

export interface KnowledgeShelf {
  /** The partner's own articles and those for all; with null only the latter. */
  of(db: Database, partnerId: string | null): Promise<Knowledge>
}

declare module '../../kernel/context.ts' {
  interface Context {
    knowledge: KnowledgeShelf
  }
}

// A partner's knowledge may be a few megabytes when split.
const KEPT = 100

export function createKnowledgeShelf(): KnowledgeShelf {
  const kept = new Map<string | null, { ids: string; knowledge: Knowledge }>()
  return {
    async of(db, partnerId) {
      const ids = (await listUsableArticleIds(db, partnerId)).join()
      let found = kept.get(partnerId)
      if (found?.ids !== ids) {
        const articles = await listUsableArticles(db, partnerId)
        // By the ids of what was really read: the articles may have changed in between.
        found = { ids: articles.map((article) => article.id).join(), knowledge: knowledgeIn(await index(articles)) }
      }
      // The one that was used last stands last.
      kept.delete(partnerId)
      kept.set(partnerId, found)
      if (kept.size > KEPT) kept.delete(kept.keys().next().value!)
      return found.knowledge
    },
  }
}

// A megabyte takes half a second; nobody else is to wait for it.
const AT_A_TIME = 10

async function index(articles: readonly ArticleRow[]): Promise<Indexed[]> {
  const indexed: Indexed[] = []
  for (const [i, article] of articles.entries()) {
    indexed.push(...indexArticle(article))
    if (i % AT_A_TIME === AT_A_TIME - 1) await setImmediate()
  }
  return indexed
}
