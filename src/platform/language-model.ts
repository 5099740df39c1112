// A language model behind an OpenAI-compatible address.
import type { LanguageModel } from '../kernel/language-model.ts'
import { endpointUrl, type ModelSettings, postJson } from './model-endpoint.ts'

const MAX_ANSWER_BYTES = 256 * 1024

export function createLanguageModel({ baseUrl, apiKey, model }: ModelSettings): LanguageModel {
  const url = endpointUrl(baseUrl, 'chat/completions')
  return {
    async ask({ instructions, material, timeoutMs, signal }) {
      const text = await postJson(url, apiKey, {
        name: 'language model',
        maxBytes: MAX_ANSWER_BYTES,
        timeoutMs,
        signal,
        body: {
          model,
          temperature: 0.2,
          response_format: { type: 'json_object' },
          messages: [
            { role: 'system', content: instructions },
            { role: 'user', content: material },
          ],
        },
      })
      return contentOf(text)
    },
  }
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
