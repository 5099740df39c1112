// Gets the vectors of questions from the embedding endpoint and caches them. A search waits only a short time. While the endpoint fails,
// searches do not wait: one question is sent from time to time to find out whether the endpoint works again.
import { LRUCache } from 'lru-cache'
import { EmbeddingError, type EmbeddingModel } from '../../kernel/interfaces/embedding-model.ts'
import { inTime } from '../../kernel/work/deadline.ts'
import type { EndpointState } from './create-embeddings.ts'
import { normalQuestion, PROBE, quantised } from './rules.ts'

export interface Questions {
  /** null when there is no vector in time. Never throws. */
  vectorOf(question: string): Promise<Int8Array | null>
}

interface Options {
  model: EmbeddingModel
  state: EndpointState
  /** How many numbers a vector must have. */
  dimensions(): number
  /** Called for each vector that the endpoint gives, with the count of its numbers. */
  onDimensions(dimensions: number): void
}

/** A search waits for the vector of its question at most this long. */
const DEADLINE_MS = 300
// The request to the endpoint goes on this long: a vector that comes after the deadline is cached for the next such question.
const REQUEST_MS = 3_000
const MAX_CACHED = 4_000
/** For so long after the endpoint took the probe, a question that it refuses does not count as a failure of the endpoint. */
const ACCEPTS_MS = 10_000
// More questions at once would only make the endpoint slower for all of them.
const MAX_UNDER_WAY = 16

export function createQuestions({ model, state, dimensions, onDimensions }: Options): Questions {
  const cache = new LRUCache<string, Int8Array>({ max: MAX_CACHED })
  const circuit = createCircuit()
  const underWay = new Map<string, Promise<Int8Array | null>>()
  let acceptsUntil = 0

  function failed(reason: string): void {
    circuit.failed()
    if (circuit.isFailing()) state.failed('questions', reason)
  }

  /** Asks the endpoint. Never rejects. An answer after the deadline counts as a failure, but its vector is cached. */
  async function fetchVector(question: string): Promise<Int8Array | null> {
    let isLate = false
    const deadline = setTimeout(() => {
      isLate = true
      failed(`There was no answer to a question within ${DEADLINE_MS} ms.`)
    }, DEADLINE_MS)
    try {
      const [vector = []] = await model.embed({ texts: [question], timeoutMs: REQUEST_MS })
      onDimensions(vector.length)
      const expected = dimensions()
      if (vector.length !== expected)
        throw new Error(`It gave a vector of ${vector.length} numbers in place of ${expected}.`)
      const bytes = quantised(vector)
      cache.set(question, bytes)
      if (isLate) return bytes
      circuit.succeeded()
      state.works('questions')
      return bytes
    } catch (error) {
      const isRefused = error instanceof EmbeddingError && error.failure === 'text'
      if (!isLate && (!isRefused || (await refusesAll()))) failed((error as Error).message)
      return null
    } finally {
      clearTimeout(deadline)
      underWay.delete(question)
    }
  }

  /** Whether the endpoint refuses every text, and not only the one that a client has chosen. */
  async function refusesAll(): Promise<boolean> {
    if (performance.now() < acceptsUntil) return false
    try {
      await model.embed({ texts: [PROBE], timeoutMs: REQUEST_MS })
      acceptsUntil = performance.now() + ACCEPTS_MS
      return false
    } catch {
      return true
    }
  }

  function requestFor(question: string): Promise<Int8Array | null> {
    const request = underWay.get(question) ?? fetchVector(question)
    underWay.set(question, request)
    return request
  }

  return {
    async vectorOf(asked) {
      const question = normalQuestion(asked)
      if (question === '') return null
      const known = cache.get(question)
      // The vectors of listings may have got other dimensions since.
      if (known?.length === dimensions()) return known
      if (!underWay.has(question) && underWay.size >= MAX_UNDER_WAY) return null
      if (!circuit.isFailing()) return inTime(requestFor(question), DEADLINE_MS, () => null)
      if (circuit.mayTry()) void requestFor(question)
      return null
    },
  }
}

/** Remembers that the endpoint fails, so that questions do not wait for it. From time to time one question may find out whether it works. */
interface Circuit {
  isFailing(): boolean
  /** While the endpoint fails: whether a question may be sent now. The next one may be sent only after a while. */
  mayTry(): boolean
  failed(): void
  succeeded(): void
}

const FAILURES_IN_A_ROW = 3
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

function createCircuit(): Circuit {
  let failures = 0
  let pauseMs = FIRST_PAUSE_MS
  let nextTryAt = 0
  const isFailing = () => failures >= FAILURES_IN_A_ROW
  return {
    isFailing,
    mayTry() {
      const now = performance.now()
      if (now < nextTryAt) return false
      nextTryAt = now + pauseMs
      return true
    },
    failed() {
      failures++
      if (!isFailing()) return
      nextTryAt = performance.now() + pauseMs
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    },
    succeeded() {
      failures = 0
      pauseMs = FIRST_PAUSE_MS
    },
  }
}
