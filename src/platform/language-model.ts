// A language model behind an OpenAI-compatible address. The library knows the protocol, its errors and when to try again; what is here are
// the differences between endpoints.
import type { APICallError } from 'ai'
import { type LanguageModel, type ModelCall, ModelFailure, type ModelQuestion } from '../kernel/language-model.ts'
import { boundedFetch, endpointUrl, type ModelSettings } from './model-endpoint.ts'

const MAX_ANSWER_BYTES = 256 * 1024
const MAX_REASON = 300
const PATH = 'chat/completions'
// One, because the customer waits. The library waits for what Retry-After says, or two seconds.
const RETRIES = 1

/** Parameters that some models refuse: reasoning models the temperature, small servers the JSON mode. Then they are asked without. */
const OPTIONAL_PARAMETERS = {
  temperature: { value: 0.2, words: /temperature/i },
  response_format: { value: { type: 'json_object' }, words: /response_format|json_object|json mode/i },
} as const
type OptionalParameter = keyof typeof OPTIONAL_PARAMETERS
const OPTIONAL = Object.keys(OPTIONAL_PARAMETERS) as OptionalParameter[]

interface Generated {
  text: string
  usage: Pick<ModelCall, 'inputTokens' | 'outputTokens' | 'cost'>
}

/** `onCall` is told of every question. */
export function createLanguageModel(
  settings: ModelSettings,
  onCall: (call: ModelCall) => void = () => {},
): LanguageModel {
  const generate = createGenerator(settings)
  const unknownUsage = { inputTokens: null, outputTokens: null, cost: null }
  return {
    name: settings.model,
    async ask(question) {
      const begun = performance.now()
      const report = (failure: string | null, usage: Generated['usage'] = unknownUsage) =>
        onCall({
          purpose: question.purpose,
          model: settings.model,
          failure,
          milliseconds: Math.round(performance.now() - begun),
          ...usage,
        })
      const refusals: string[] = []
      let usage: Generated['usage'] | undefined
      try {
        const generated = await generate(question, refusals)
        usage = generated.usage
        const value = jsonIn(generated.text)
        report(null, usage)
        return value
      } catch (error) {
        const reason = reasonFor(error, question, refusals, settings.apiKey)
        report(reason, usage)
        throw new ModelFailure(reason)
      }
    },
  }
}

function createGenerator({ baseUrl, apiKey, model }: ModelSettings) {
  // Only what was shown to help: a refusal may also be about one question, and must not change those of others.
  const remembered = new Set<OptionalParameter>()
  /** `refusals` gets what the endpoint answered instead of an answer, oldest first. */
  return async (question: ModelQuestion, refusals: string[]): Promise<Generated> => {
    // Loaded with the first question: most installations have no model.
    const [{ generateText, APICallError }, { createOpenAICompatible }] = await Promise.all([
      import('ai'),
      import('@ai-sdk/openai-compatible'),
    ])
    const leftOut = new Set(remembered)
    const endpoint = createOpenAICompatible({
      name: 'endpoint',
      baseURL: endpointUrl(baseUrl, PATH).slice(0, -PATH.length - 1),
      apiKey,
      fetch: boundedFetch(MAX_ANSWER_BYTES, 'language model', (status, text) =>
        refusals.push(refusalOf(status, text, apiKey)),
      ),
      transformRequestBody: (body) => ({
        ...body,
        ...Object.fromEntries(
          OPTIONAL.filter((name) => !leftOut.has(name)).map((name) => [name, OPTIONAL_PARAMETERS[name].value]),
        ),
      }),
    })
    const deadline = AbortSignal.timeout(question.timeoutMs)
    const abortSignal = question.signal ? AbortSignal.any([deadline, question.signal]) : deadline
    for (;;) {
      try {
        const { text, usage } = await generateText({
          model: endpoint(model),
          instructions: question.instructions,
          prompt: question.material,
          maxRetries: RETRIES,
          abortSignal,
        })
        for (const name of leftOut) remembered.add(name)
        return { text, usage: usageOf(usage) }
      } catch (error) {
        const call = callErrorIn(error, (one): one is APICallError => APICallError.isInstance(one))
        if (!call) throw error
        if (call.statusCode === undefined)
          refusals.push(`It cannot be reached: ${oneLine(networkReason(call.cause) ?? call.message, apiKey)}.`)
        if (!leaveOut(call, leftOut)) throw error
      }
    }
  }
}

/** Leaves out what the endpoint seems to refuse. False: it refused something else, or everything that can be left out is already. */
function leaveOut({ statusCode, responseBody }: APICallError, leftOut: Set<OptionalParameter>): boolean {
  if (statusCode !== 400 && statusCode !== 422) return false
  const left = OPTIONAL.filter((name) => !leftOut.has(name))
  const named = left.filter((name) => OPTIONAL_PARAMETERS[name].words.test(responseBody ?? ''))
  // Some endpoints do not say what they refuse.
  for (const name of named.length > 0 ? named : left) leftOut.add(name)
  return left.length > 0
}

/** The library wraps the last error when it has tried again. */
const callErrorIn = (error: unknown, isCallError: (error: unknown) => error is APICallError): APICallError | null => {
  if (isCallError(error)) return error
  const { lastError } = (error ?? {}) as { lastError?: unknown }
  return isCallError(lastError) ? lastError : null
}

function usageOf({
  inputTokens,
  outputTokens,
  raw,
}: Awaited<ReturnType<typeof import('ai').generateText>>['usage']): Generated['usage'] {
  const count = (value: unknown) => (Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null)
  return {
    inputTokens: count(inputTokens),
    outputTokens: count(outputTokens),
    cost: typeof raw?.cost === 'number' && Number.isFinite(raw.cost) ? raw.cost : null,
  }
}

const THOUGHT_END = '</think>'

/** The JSON value in the text of a model: with thinking before it, in a code block, or with words around it. */
export function jsonIn(text: string): unknown {
  const thoughtUntil = text.lastIndexOf(THOUGHT_END)
  const answer = thoughtUntil < 0 ? text : text.slice(thoughtUntil + THOUGHT_END.length)
  const object = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)
  for (const candidate of [answer, object])
    try {
      return JSON.parse(candidate)
    } catch {
      // The next one, or the failure below.
    }
  throw new ModelFailure(
    text.trim() === ''
      ? 'It gave an empty answer.'
      : 'Its answer has no JSON object, although the instructions ask for one.',
  )
}

/** Without the key, which is removed before the text is cut: otherwise a part of it could be left at the end. */
const oneLine = (text: string, apiKey: string | undefined): string =>
  (apiKey ? text.replaceAll(apiKey, '…') : text)
    .slice(0, 4 * MAX_REASON)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_REASON)

/** What the endpoint said, in one sentence. */
function refusalOf(status: number, body: string, apiKey: string | undefined): string {
  const said = oneLine(messageIn(body) ?? '', apiKey)
  return said === '' ? `It answered ${status}.` : `It answered ${status}: ${said}`
}

const networkReason = (cause: unknown): string | undefined => {
  const { cause: inner, message } = (cause ?? {}) as {
    cause?: { code?: unknown; message?: unknown }
    message?: unknown
  }
  return [inner?.code, inner?.message, message].find((one): one is string => typeof one === 'string' && one !== '')
}

/** `{ error: { message } }`, `{ error: "…" }` and `{ message }` are the usual forms; another text is left out. */
function messageIn(body: string): string | undefined {
  try {
    const { error, message } = JSON.parse(body) as { error?: unknown; message?: unknown }
    const { message: inner } = (error ?? {}) as { message?: unknown }
    return [inner, error, message].find((one): one is string => typeof one === 'string')
  } catch {
    return undefined
  }
}

function reasonFor(
  error: unknown,
  { timeoutMs, signal }: ModelQuestion,
  refusals: readonly string[],
  apiKey: string | undefined,
): string {
  if (error instanceof ModelFailure) return error.message
  const last = refusals.at(-1)
  if (isAbort(error))
    return [
      signal?.aborted ? 'The question was given up.' : `It gave no answer within ${timeoutMs / 1000} s.`,
      ...(last ? [last] : []),
    ].join(' ')
  return last ?? `Its answer cannot be read: ${oneLine(error instanceof Error ? error.message : String(error), apiKey)}`
}

const isAbort = (error: unknown): boolean => error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name)
