// Requests to an OpenAI-compatible address. The operator chose the address, so it is called without the outbound checks.
import { withoutTrailing } from '../../kernel/values/text.ts'

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
  /** Aborts the request, at its time limit or earlier. */
  signal: AbortSignal
  /** The most bytes of an answer; a longer one is an error. */
  maxBytes: number
  /** Names the endpoint in errors. */
  name: string
}

export class StatusError extends Error {
  readonly status: number
  readonly body: string
  readonly retryAfter: string | null
  constructor(message: string, { status, headers }: Response, body: string) {
    super(message)
    this.status = status
    this.body = body
    this.retryAfter = headers.get('retry-after')
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
  { body, signal, maxBytes, name }: ModelRequest,
): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    signal,
    headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
    body: JSON.stringify(body),
  })
  const text = await readBounded(response, maxBytes, name)
  if (!response.ok) throw new StatusError(`The ${name} answered ${response.status}.`, response, text)
  return text
}

async function readBounded(response: Response, maxBytes: number, name: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`The ${name} answered at too great length.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
