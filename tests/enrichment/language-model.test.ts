// The language model writes what the site does not have. When its answer is useless, the service derives the content itself.
// @module-tag once
import { beforeAll, expect, test } from 'vitest'
import { until } from '../harness/process.ts'
import { productSite } from '../harness/product-site.ts'
import { startService } from '../harness/service.ts'
import { use } from '../harness/use.ts'

let key: string
let receivedBody = ''
let answer: { status: number; content: string }
const model = use(() =>
  productSite({
    '/v1/chat/completions': async (request, response) => {
      receivedBody = ''
      for await (const chunk of request) receivedBody += chunk
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ choices: [{ message: { content: answer.content } }] }))
    },
  }),
)
const site = use(() =>
  productSite({
    '/bare': '<h1>Acme</h1><p>Ask ada@example.com or zqxfounder@private.example</p>',
    '/faq': '<details><summary>Is it free?</summary>Yes.</details>',
  }),
)
const service = use(() =>
  startService({
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LLM_BASE_URL: `${model.url}/v1`,
    LLM_MODEL: 'small',
    ENRICHMENT_RETRY_SECONDS: '1',
  }),
)
beforeAll(async () => {
  key = (await service.newPartner()).key
  await service.load([{ kind: 'category', slug: 'writing', name: 'Writing' }])
})

async function enriched(path: string) {
  const { body } = await service.rest('/submit-ai-tool', {
    method: 'POST',
    key,
    body: {
      name: 'Acme',
      website: site.url + path,
      tagline: 'Writes mail',
      description: 'Acme drafts mail. Contact zqxfounder@private.example.',
      category: 'writing',
      pricing: 'FREE',
      founderName: 'Ada',
      founderEmail: 'zqxfounder@private.example',
      tags: ['API'],
    },
  })
  const { id, slug } = body.data
  const row = async () =>
    (await service.admin('GET', '/enrichments')).body.data.find(({ toolId }: any) => toolId === id)
  await until(async () => (await row()).state !== 'pending', 15_000)
  await service.settled()
  const { parts } = await row()
  const outcome = (name: string) => parts.find(({ part }: any) => part === name).outcome
  return { outcome, tool: (await service.rest(`/tools/${slug}`)).body.data }
}

const GOOD = {
  features: { Drafts: 'Writes <b>mail</b>.' },
  faq: [{ question: 'Who?', answer: 'Teams.' }, { question: 7 }, null],
}

test('a good answer is used as plain text, and the model received no e-mail address', async () => {
  answer = { status: 200, content: JSON.stringify(GOOD) }
  const { outcome, tool } = await enriched('/bare?1')
  expect([outcome('faqs'), outcome('features')]).toEqual(['generated', 'generated'])
  expect(tool.features).toEqual({ Drafts: 'Writes mail.' })
  expect(tool.faqs).toEqual([{ question: 'Who?', answer: 'Teams.' }])
  expect(receivedBody).toContain('Acme drafts mail.')
  expect(receivedBody).not.toMatch(/private\.example|ada@/)
  expect(JSON.stringify(service.logged)).not.toContain('zqxfounder')
})

test('the model is asked only for what the site does not have', async () => {
  answer = { status: 200, content: JSON.stringify(GOOD) }
  const { outcome, tool } = await enriched('/faq')
  expect([outcome('faqs'), outcome('features')]).toEqual(['found', 'generated'])
  expect(tool.faqs).toEqual([{ question: 'Is it free?', answer: 'Yes.' }])
})

test('a useless answer of the model, or none, leaves the content that the service derives itself', async () => {
  for (const [i, bad] of [
    { status: 200, content: 'I am sorry' },
    { status: 200, content: '{"faq": "none", "features": []}' },
    { status: 500, content: '' },
  ].entries()) {
    answer = bad
    const { outcome, tool } = await enriched(`/nothing-${i}`)
    expect([outcome('faqs'), outcome('features')]).toEqual(['derived', 'derived'])
    expect(tool.features.API).toBeTruthy()
  }
})
