// Reading pages in threads, with its limits.
import type { CreateThreads, ThreadTurn } from '../../kernel/threads.ts'
import type { PageFacts, PageSource } from './page.rules.ts'

type ReadPage = (page: PageSource, turn?: ThreadTurn) => Promise<PageFacts>

// Reading a page of 2 MiB takes a fifth of a second. A page that was written to take longer is given up after this time.
const LIMITS = { atOnce: 2, timeoutMs: 5_000 }

export const createPageReading = (createThreads: CreateThreads): ReadPage =>
  createThreads<PageFacts>(new URL('./read-page-thread.ts', import.meta.url), LIMITS)
