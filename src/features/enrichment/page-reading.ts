// Reading pages in threads, with its limits.
import type { PageFacts, PageSource } from './page.rules.ts'

interface Turn {
  owner: string
  signal?: AbortSignal
}
type ReadPage = (page: PageSource, turn?: Turn) => Promise<PageFacts>
type CreateThreads = <T>(
  file: URL,
  limits: { atOnce: number; timeoutMs: number },
) => (data: unknown, turn?: Turn) => Promise<T>

// Reading a page of 2 MiB takes a fifth of a second. A page that was written to take longer is given up after this time.
const LIMITS = { atOnce: 2, timeoutMs: 5_000 }

export const createPageReading = (createThreads: CreateThreads): ReadPage =>
  createThreads<PageFacts>(new URL('./read-page-thread.ts', import.meta.url), LIMITS)
