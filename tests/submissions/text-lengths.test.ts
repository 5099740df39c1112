// Every text that a submission or an administrator writes into a listing has a greatest length.
// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { bodies } from '../../src/features/listings/schema.ts'
import { submitBody } from '../../src/features/submissions/schema.ts'
import { newTool, SUBMISSION_CATALOG, submit } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  key = (await service.newPartner()).key
})

describe('lengths', () => {
  test('every text of a body has a greatest length, also inside lists, maps and objects', () => {
    const unbounded: string[] = []
    const walk = (schema: any, path: string) => {
      const isText = [schema.type].flat().includes('string') && !schema.enum && schema.const === undefined
      if (isText && schema.maxLength === undefined) unbounded.push(path)
      for (const [name, part] of Object.entries(schema.properties ?? {})) walk(part, `${path}.${name}`)
      for (const part of [schema.items ?? [], schema.anyOf ?? []].flat()) walk(part, path)
      if (typeof schema.additionalProperties !== 'object') return
      walk(schema.additionalProperties, path)
      if (schema.propertyNames?.maxLength === undefined) unbounded.push(`names in ${path}`)
    }
    walk(submitBody, 'submission')
    for (const [kind, body] of Object.entries(bodies)) walk(body, kind)
    // A time has a form of its own, which is short.
    expect(unbounded).toEqual(['tool.createdAt', 'directory.createdAt'])
  })

  test('a name in features or socials, a question or an answer that is too long is named', async () => {
    const wrong = async (more: object) => (await submit(service, key, newTool({ ...more }))).body.error
    expect(await wrong({ features: { ['x'.repeat(1001)]: 'Fast' } })).toBe(
      'A name in features must have at most 1000 characters.',
    )
    expect(await wrong({ socials: { ['😀'.repeat(1001)]: 'https://x.com/a' } })).toBe(
      'A name in socials must have at most 1000 characters.',
    )
    expect(await wrong({ faq: [{ question: 'x'.repeat(1001), answer: 'Yes.' }] })).toBe(
      'faq.0.question must have at most 1000 characters.',
    )
    expect(await wrong({ faq: [{ question: 'Free?', answer: 'x'.repeat(20_001) }] })).toBe(
      'faq.0.answer must have at most 20000 characters.',
    )
    const longest = { features: { ['😀'.repeat(1000)]: 'Fast' }, faq: [{ question: 'x'.repeat(1000), answer: 'Yes.' }] }
    expect((await submit(service, key, newTool(longest))).status).toBe(201)
  })
})
