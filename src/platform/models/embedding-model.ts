// An embedding model behind an OpenAI-compatible address (`/embeddings`): Ollama, vLLM, OpenAI and others.
import { EmbeddingError, type EmbeddingFailure, type EmbeddingModel } from '../../kernel/interfaces/embedding-model.ts'
import { isObject } from '../../kernel/values/objects.ts'
import { parsedJson } from '../../kernel/values/text.ts'
import { endpointUrl, type ModelSettings, postJson, StatusError } from './model-endpoint.ts'

const NAME = 'embedding endpoint'
/** The most numbers that a vector may have; known models have up to 4,096. */
const MAX_DIMENSIONS = 8_192
// A number takes about 20 characters of JSON.
const MAX_BYTES_PER_TEXT = MAX_DIMENSIONS * 24
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

export function createEmbeddingModel({ baseUrl, apiKey, model }: ModelSettings): EmbeddingModel {
  const url = endpointUrl(baseUrl, 'embeddings')
  return {
    name: model,
    async embed({ texts, timeoutMs, signal }) {
      let answer: string
      try {
        answer = await postJson(url, apiKey, {
          name: NAME,
          maxBytes: Math.min(MAX_ANSWER_BYTES, texts.length * MAX_BYTES_PER_TEXT + 1024),
          signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
          body: { model, input: texts },
        })
      } catch (error) {
        throw failureOf(error, timeoutMs)
      }
      return vectorsOf(answer, texts.length)
    },
  }
}

// Statuses that do not depend on the text that was sent: key, model name, limits, start-up, gateways.
const AWAY = new Set([401, 402, 403, 404, 405, 407, 408, 409, 425, 429, 502, 503, 504])

function failureOf(error: unknown, timeoutMs: number): EmbeddingError {
  const fail = (message: string, failure: EmbeddingFailure) => new EmbeddingError(message, failure, error)
  if (error instanceof StatusError) return fail(error.message, AWAY.has(error.status) ? 'away' : 'text')
  if ((error as Error).name === 'TimeoutError')
    return fail(`The ${NAME} gave no answer within ${timeoutMs} ms.`, 'late')
  if ((error as Error).name === 'AbortError') return fail(`The request to the ${NAME} was aborted.`, 'away')
  // The message of fetch may contain the address; the code of its cause says what happened.
  const code = ((error as Error).cause as { code?: unknown } | undefined)?.code
  if (typeof code === 'string') return fail(`The ${NAME} cannot be reached (${code}).`, 'away')
  return (error as Error).message.includes('too great length')
    ? fail((error as Error).message, 'text')
    : fail(`The ${NAME} cannot be reached.`, 'away')
}

/** The most of each character that an answer may have for one vector. Checked first: millions of empty lists take a second to parse. */
const MAX_PER_VECTOR = { '{': 50, '[': 50, '"': 500, ',': MAX_DIMENSIONS + 500 }

function hasTooMany(text: string, mark: string, most: number): boolean {
  let found = 0
  for (let at = text.indexOf(mark); at !== -1 && found <= most; at = text.indexOf(mark, at + 1)) found++
  return found > most
}

function vectorsOf(text: string, count: number): number[][] {
  if (Object.entries(MAX_PER_VECTOR).some(([mark, most]) => hasTooMany(text, mark, most * count)))
    throw wrong('more than vectors')
  const answer = parsedJson(text)
  if (answer === undefined) throw wrong('no JSON')
  const items = isObject(answer) ? answer.data : undefined
  if (!Array.isArray(items) || items.length !== count) throw wrong(`not one vector for each of ${count} texts`)
  const vectors = new Array<number[] | undefined>(count)
  for (const [place, item] of items.entries()) {
    const { index = place, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown }
    const problem = vectorProblem(embedding)
    if (problem) throw wrong(problem)
    if (typeof index !== 'number' || !(index in items) || vectors[index]) throw wrong('vectors in an unclear order')
    vectors[index] = embedding as number[]
  }
  const found = vectors.filter((vector) => vector !== undefined)
  const dimensions = new Set(found.map((vector) => vector.length))
  if (dimensions.size > 1) throw wrong(`vectors of ${[...dimensions].join(' and ')} numbers`)
  return found
}

function vectorProblem(vector: unknown): string | undefined {
  if (!Array.isArray(vector) || vector.length === 0) return 'something that is no vector'
  if (vector.length > MAX_DIMENSIONS) return `a vector of more than ${MAX_DIMENSIONS} numbers`
  let squares = 0
  for (const value of vector) {
    if (typeof value !== 'number') return 'a vector with something that is no number'
    squares += value * value
  }
  // A number such as 1e999 is infinite, and the square of a large one too.
  if (!Number.isFinite(squares)) return 'a vector with a number that is too large'
  return squares === 0 ? 'a vector of zeros' : undefined
}

const wrong = (what: string, cause?: unknown): EmbeddingError =>
  new EmbeddingError(`The ${NAME} answered with ${what}.`, 'text', cause)
