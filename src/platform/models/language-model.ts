// A language model behind an OpenAI-compatible address (`/chat/completions`). Handles the differences between such endpoints.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type LanguageModel,
  type ModelCall,
  ModelFailure,
  type ModelQuestion,
} from '../../kernel/interfaces/language-model.ts'
import { isObject } from '../../kernel/values/objects.ts'
import { parsedJson } from '../../kernel/values/text.ts'
import { endpointUrl, type ModelSettings, postJson, StatusError } from './model-endpoint.ts'

const MAX_ANSWER_BYTES = 256 * 1024
const MAX_REASON = 300
// Only one retry, because a customer waits for the answer. It comes after the time in Retry-After, or after RETRY_MS.
const RETRIES = 1
const RETRY_MS = 2_000
const LONGEST_RETRY_MS = 60_000

/**
 * Parameters that some endpoints refuse: reasoning models refuse `temperature`, small servers refuse JSON mode. Such an endpoint is asked
 * again without them. `words` finds the parameter in the text of a refusal.
 */
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

/** Calls `onCall` after every question, whether it was answered or failed. */
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
  const url = endpointUrl(baseUrl, 'chat/completions')
  // Parameters that an accepted request omitted. Not those of a refused one: a refusal may be about that question alone.
  const alwaysOmitted = new Set<OptionalParameter>()
  /** Appends each refusal and network error of the endpoint to `refusals`, as a sentence. */
  return async (question: ModelQuestion, refusals: string[]): Promise<Generated> => {
    const omitted = new Set(alwaysOmitted)
    const deadline = AbortSignal.timeout(question.timeoutMs)
    const signal = question.signal ? AbortSignal.any([deadline, question.signal]) : deadline
    const messages = [
      { role: 'system', content: question.instructions },
      { role: 'user', content: question.material },
    ]
    for (let retries = 0; ; ) {
      const optional = OPTIONAL.filter((name) => !omitted.has(name))
      const parameters = Object.fromEntries(optional.map((name) => [name, OPTIONAL_PARAMETERS[name].value]))
      try {
        const body = { model, messages, ...parameters }
        const text = await postJson(url, apiKey, { body, signal, maxBytes: MAX_ANSWER_BYTES, name: 'language model' })
        const generated = generatedIn(text)
        for (const name of omitted) alwaysOmitted.add(name)
        return generated
      } catch (error) {
        const refused = error instanceof StatusError
        if (refused) refusals.push(refusalOf(error, apiKey))
        else if (isNetworkError(error))
          refusals.push(`It cannot be reached: ${oneLine(networkReason(error) ?? error.message, apiKey)}.`)
        if (refused && omitRefused(error, omitted)) {
          retries = 0
          continue
        }
        const isTemporary = refused ? isTemporaryStatus(error.status) : isNetworkError(error)
        if (!isTemporary || retries++ >= RETRIES) throw error
        await sleep(refused ? retryMs(error) : RETRY_MS, undefined, { signal })
      }
    }
  }
}

const isTemporaryStatus = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500

const isNetworkError = (error: unknown): error is TypeError => error instanceof TypeError && 'cause' in error

function retryMs({ retryAfter }: StatusError): number {
  if (!retryAfter) return RETRY_MS
  const ms = Number.isNaN(Number(retryAfter)) ? Date.parse(retryAfter) - Date.now() : Number(retryAfter) * 1000
  return ms >= 0 && ms < LONGEST_RETRY_MS ? ms : RETRY_MS
}

/** Adds the parameters that the endpoint seems to refuse to `omitted`. False: it refused something else, or all are omitted already. */
function omitRefused({ status, body }: StatusError, omitted: Set<OptionalParameter>): boolean {
  if (status !== 400 && status !== 422) return false
  const sent = OPTIONAL.filter((name) => !omitted.has(name))
  const named = sent.filter((name) => OPTIONAL_PARAMETERS[name].words.test(body))
  // Some endpoints do not say what they refuse.
  for (const name of named.length > 0 ? named : sent) omitted.add(name)
  return sent.length > 0
}

/** The text and the usage in the answer of the endpoint. Throws when the answer has no message. */
function generatedIn(answer: string): Generated {
  const value = parsedJson(answer)
  if (value === undefined) throw new Error('it is no JSON.')
  const { choices, usage } = isObject(value) ? value : {}
  const [choice] = Array.isArray(choices) ? choices : []
  const message = isObject(choice) ? choice.message : undefined
  if (!isObject(message)) throw new Error('it has no message.')
  const counts = isObject(usage) ? usage : {}
  const count = (value: unknown) => (Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null)
  return {
    text: textIn(message.content),
    usage: {
      inputTokens: count(counts.prompt_tokens),
      outputTokens: count(counts.completion_tokens),
      cost: typeof counts.cost === 'number' && Number.isFinite(counts.cost) ? counts.cost : null,
    },
  }
}

/** The text of a message: a text, or a list of parts of which some are texts. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
}

const THOUGHT_END = '</think>'

/** The JSON value in the text of a model, which may have its reasoning before it, a code block or words around it. */
function jsonIn(text: string): unknown {
  const thoughtUntil = text.lastIndexOf(THOUGHT_END)
  const answer = thoughtUntil < 0 ? text : text.slice(thoughtUntil + THOUGHT_END.length)
  const object = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)
  const value = [answer, object].map(parsedJson).find((found) => found !== undefined)
  if (value !== undefined) return value
  throw new ModelFailure(
    text.trim() === ''
      ? 'It gave an empty answer.'
      : 'Its answer has no JSON object, although the instructions ask for one.',
  )
}

/** Shortens a text to one line without the key, which is removed before the cut: otherwise a part of it could remain at the end. */
const oneLine = (text: string, apiKey: string | undefined): string =>
  (apiKey ? text.replaceAll(apiKey, '…') : text)
    .slice(0, 4 * MAX_REASON)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_REASON)

/** What the endpoint said, in one sentence. */
function refusalOf({ status, body }: StatusError, apiKey: string | undefined): string {
  const said = oneLine(messageIn(body) ?? '', apiKey)
  return said === '' ? `It answered ${status}.` : `It answered ${status}: ${said}`
}

const networkReason = ({ cause }: TypeError): string | undefined => {
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown }
  return [code, message].find((one): one is string => typeof one === 'string' && one !== '')
}

/** The message in an error body: `{ error: { message } }`, `{ error: "…" }` or `{ message }`. Undefined for any other form. */
function messageIn(body: string): string | undefined {
  const { error, message } = (parsedJson(body) ?? {}) as { error?: unknown; message?: unknown }
  const { message: inner } = (error ?? {}) as { message?: unknown }
  return [inner, error, message].find((one): one is string => typeof one === 'string')
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
