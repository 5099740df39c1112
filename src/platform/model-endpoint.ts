// Requests to an OpenAI-compatible address. The operator chose the address, so it is called without the outbound checks.
import { withoutTrailing } from '../kernel/text.ts'

export interface ModelSettings {
  baseUrl: string
  apiKey?: string
  model: string
}

/** null when the address or the model is not set. */
export const modelSettings = (
  baseUrl: string | undefined,
  apiKey: string | undefined,
  model: string | undefined,
): ModelSettings | null => (baseUrl && model ? { baseUrl, apiKey, model } : null)

export interface ModelRequest {
  body: object
  timeoutMs: number
  signal?: AbortSignal
  /** A longer answer is an error. */
  maxBytes: number
  /** Names the endpoint in errors. */
  name: string
}

/** The endpoint answered with an error status. */
export class StatusError extends Error {
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** The address of a path below the base address, which may already end in that path. */
export const endpointUrl = (baseUrl: string, path: string): string => {
  const base = withoutTrailing(baseUrl, '/')
  return base.endsWith(`/${path}`) ? base : `${base}/${path}`
}

/** Sends the body as JSON and returns the text of the answer. Redirects are errors, because the key would be sent along. */
export async function postJson(
  url: string,
  apiKey: string | undefined,
  { body, timeoutMs, signal, maxBytes, name }: ModelRequest,
): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
    body: JSON.stringify(body),
  })
  const text = await readBounded(response, maxBytes, name)
  if (!response.ok) throw new StatusError(`The ${name} answered ${response.status}.`, response.status)
  return text
}

/** `fetch` for a library: redirects are errors, and so is an answer that is too long. `onRefusal` is told of every error status. */
export const boundedFetch =
  (maxBytes: number, name: string, onRefusal: (status: number, text: string) => void): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'error' })
    const text = await readBounded(response, maxBytes, name)
    if (!response.ok) onRefusal(response.status, text)
    const headers = new Headers(response.headers)
    for (const header of ['content-encoding', 'content-length']) headers.delete(header)
    return new Response(text === '' ? null : text, { status: response.status, headers })
  }

async function readBounded(response: Response, maxBytes: number, name: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    if ((size += chunk.length) > maxBytes) throw new Error(`The ${name} answered at too great length.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
