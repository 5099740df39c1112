// A language model behind an OpenAI-compatible address. The operator chose the address, so it is called without the outbound checks.
import type { LanguageModel } from '../kernel/language-model.ts'
import { withoutTrailing } from '../kernel/text.ts'

export interface ModelSettings {
  baseUrl: string
  apiKey?: string
  model: string
}

const MAX_ANSWER_BYTES = 256 * 1024

export function createLanguageModel({ baseUrl, apiKey, model }: ModelSettings): LanguageModel {
  const url = `${withoutTrailing(baseUrl, '/')}/chat/completions`
  return {
    async ask({ instructions, material, timeoutMs, signal }) {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
        headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
        body: JSON.stringify({
          model,
          temperature: 0.2,
          response_format: { type: 'json_object' },
          messages: [
            { role: 'system', content: instructions },
            { role: 'user', content: material },
          ],
        }),
      })
      const text = await readBounded(response)
      if (!response.ok) throw new Error(`The language model answered ${response.status}.`)
      return contentOf(text)
    },
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    if ((size += chunk.length) > MAX_ANSWER_BYTES) throw new Error('The language model answered at too great length.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function contentOf(text: string): unknown {
  try {
    const answer = JSON.parse(text) as { choices?: { message?: { content?: unknown } }[] }
    const content = answer.choices?.[0]?.message?.content
    // Some models put their JSON into a Markdown code block.
    if (typeof content === 'string') return JSON.parse(content.replace(/^\s*```(?:json)?|```\s*$/g, ''))
  } catch {
    // The error below covers this.
  }
  throw new Error('The language model gave no JSON.')
}
