// The reason that an endpoint gives is shown to administrators, and is cut. No part of the key is ever in it.
// @module-tag once
import { expect, test } from 'vitest'
import { createLanguageModel } from '../../src/platform/models/language-model.ts'
import { sendAnswer, standInModel } from '../harness/language-model.ts'
import { use } from '../harness/use.ts'

const KEY = 'sk-QWERTYUIOPASDFGHJKLZXCVBNM0123456789'
const PART = 6

const model = use(standInModel)

const reasonOf = async (): Promise<string> => {
  const reasons: (string | null)[] = []
  const languageModel = createLanguageModel({ baseUrl: model.url, apiKey: KEY, model: 'small' }, ({ failure }) =>
    reasons.push(failure),
  )
  const question = { purpose: 'support' as const, instructions: 'Answer.', material: '{}', timeoutMs: 5_000 }
  const thrown = await languageModel.ask(question).then(
    () => '',
    (error: Error) => error.message,
  )
  return [...reasons, thrown].join('\n')
}

const parts = Array.from({ length: KEY.length - PART }, (_, i) => KEY.slice(i, i + PART))
const escaped = [...KEY].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

test.each([
  ['a refusal', (text: string) => JSON.stringify({ error: { message: text } }), 401],
  ['a refusal whose letters are escaped', (text: string) => `{"error":"${text.replaceAll(KEY, escaped)}"}`, 403],
  ['an answer that is none', (text: string) => JSON.stringify({ unexpected: text, choices: text }), 200],
])('%s with the key at any place', async (_, body, status) => {
  // The first cut is at some hundred characters: the key is put across each of these places.
  for (let before = 0; before < 700; before += PART) {
    const text = `${'x'.repeat(before)} ${KEY} ${'y'.repeat(40)}`
    model.answer = (response) =>
      status === 200 && before === 0
        ? sendAnswer(response, text)
        : response.writeHead(status, { 'content-type': 'application/json' }).end(body(text))
    const reason = await reasonOf()
    expect([before, parts.filter((part) => reason.includes(part))]).toEqual([before, []])
    expect(reason.length).toBeGreaterThan(10)
  }
})
