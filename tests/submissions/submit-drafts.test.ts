// @module-tag once
import { expect, test } from 'vitest'
import { useService } from '../harness/use.ts'

const service = useService()

test('submitting the website of a draft shows nothing of the draft; the new listing is published at once', async () => {
  const website = 'https://draft.example.com'
  await service.admin('PUT', '/categories/writing', { name: 'Writing' })
  await service.admin('PUT', '/tools/secret-draft', { name: 'Secret Draft', website, published: false })
  const { key } = await service.newPartner()
  const body = {
    name: 'Mine',
    website,
    tagline: 't',
    description: 'd',
    category: 'writing',
    pricing: 'FREE',
    founderName: 'F',
    founderEmail: 'f@example.com',
    tags: [],
  }
  const reply = await service.rest('/submit-ai-tool', { method: 'POST', key, body })
  expect([reply.status, reply.body.data.name]).toEqual([201, 'Mine'])
  expect(reply.text).not.toMatch(/secret/i)
  await service.settled()
  expect((await service.rest(`/tools/${reply.body.data.slug}`)).status).toBe(200)
})
