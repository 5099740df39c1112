// @module-tag once
// Names and titles are one line: pages, mails and logs show them so.
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { accountOperations, operatorOperations } from '../../src/features.ts'
import { readParameters, tryReadBody } from '../../src/kernel/input.ts'
import { exampleOf } from '../../src/kernel/schema.ts'

const NAME = /^(name|title|label|tagline|headline)$/
/** Listings, which imports and exports carry as they were written, also from versions that took line breaks. */
const KEPT_AS_WRITTEN = /^(put|change)_(tool|directory|category|tag|directory_category)$/

/** Where a body has a name, and the body with another one there. */
function* withName(schema: TSchema, value: any, other: string, at = ''): Generator<[at: string, body: unknown]> {
  const { properties = {}, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema }
  if (items && Array.isArray(value))
    for (const [path, body] of withName(items, value[0], other, `${at}.0`)) yield [path, [body]]
  for (const [name, part] of Object.entries(properties)) {
    if (typeof value?.[name] === 'string' && NAME.test(name)) yield [`${at}.${name}`, { ...value, [name]: other }]
    else
      for (const [path, body] of withName(part, value?.[name], other, `${at}.${name}`))
        yield [path, { ...value, [name]: body }]
  }
}

const named = [...operatorOperations, ...accountOperations].flatMap((operation) => {
  const { name, body } = operation as { name: string; body?: TSchema; lines?: unknown; bytes?: unknown }
  if (!body || 'lines' in operation || 'bytes' in operation || KEPT_AS_WRITTEN.test(name)) return []
  return [...withName(body, exampleOf(body), '')].map(([at]) => ({ name, at, body }))
})

test('the names of sites, partners, keys, views, articles, saved replies and collections are among them', () => {
  const names = named.map(({ name, at }) => name + at)
  for (const one of [
    'put_site.name',
    'put_site.links.0.label',
    'create_partner.name',
    'create_key.name',
    'add_knowledge.title',
  ])
    expect(names).toContain(one)
})

describe('a name in one line is taken, one with a line break is refused', () => {
  test.each(named)('$name$at', ({ at, body }) => {
    const read = (text: string) => {
      const [, given] = [...withName(body, exampleOf(body), text)].find(([path]) => path === at)!
      return tryReadBody(body, given)
    }
    expect(read('Ünï “код” 漢字 🚀 & Co.')).not.toHaveProperty('problems')
    for (const text of ['a\nb', 'a\r\nb', 'a\tb', 'a\u0085b', 'a\u2028b', 'a\u001bb'])
      expect([text, read(text)]).toEqual([text, expect.objectContaining({ problems: expect.anything() })])
  })
})

const inAddresses = operatorOperations.flatMap(({ name, method, parameters }) =>
  method === 'PUT'
    ? Object.keys(parameters.properties).flatMap((at) => (NAME.test(at) ? [{ name, at, parameters }] : []))
    : [],
)

test('the names of views and saved replies are part of an address', () =>
  expect(inAddresses.map(({ name, at }) => `${name}.${at}`)).toEqual(['put_queue_view.name', 'put_saved_reply.title']))

test.each(inAddresses)(
  '$name: a $at with a line break or another control character is refused',
  ({ at, parameters }) => {
    expect(readParameters(parameters, { [at]: 'Mine & “old”' })).toMatchObject({ [at]: 'Mine & “old”' })
    for (const text of ['a\nb', '\u0001', 'a\u2028b'])
      expect(() => readParameters(parameters, { [at]: text })).toThrow(/must be one line of text/)
  },
)
