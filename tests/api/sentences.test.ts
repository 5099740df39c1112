// @module-tag once
// What is wrong with an input is said in sentences for people, whatever the schema is made of.
import type { TSchema } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { operatorOperations, restOperations } from '../../src/features.ts'
import type { RoutedOperation } from '../../src/kernel/operation.ts'
import { exampleOf } from '../../src/kernel/schema.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let partner: { id: string; key: string }
const service = useService()
beforeAll(async () => {
  partner = await service.newPartner({ support: 'human' })
})

const WRONG: readonly unknown[] = [-1, 1e300, 1.5, 'x y\u00e9!', '', true, null, [], ['x y!'], [{}], {}, { x: {} }]
/** Words of schemas and of the library, the text of a pattern, and a choice that only a program makes. */
const FOR_PROGRAMS =
  /[<>]=|another form|that is documented|must be null\.|anyOf|oneOf|\\S|\^|\$$|undefined|\[object|must not have (more|fewer)|additional|must match/

const properties = (schema: TSchema) => (schema as { properties?: Record<string, TSchema> }).properties ?? {}

/** Bodies with one wrong value in every field, and in every field of the objects in it. */
function* wrongBodies(schema: TSchema): Generator<unknown> {
  const example = exampleOf(schema) as Record<string, unknown>
  const fields = Object.entries(properties(schema))
  for (const wrong of WRONG) {
    yield Object.fromEntries(fields.map(([name]) => [name, wrong]))
    const nested = fields.flatMap(([name, property]): [string, unknown][] => {
      const { anyOf, items } = property as { anyOf?: TSchema[]; items?: TSchema }
      const names = Object.keys(properties(items ?? anyOf?.[0] ?? property))
      const inside = Object.fromEntries(names.map((one) => [one, wrong]))
      return names.length > 0 ? [[name, items ? [inside] : inside]] : []
    })
    if (nested.length > 0) yield { ...example, ...Object.fromEntries(nested) }
  }
}

const written = [...restOperations, ...operatorOperations].filter(
  (one): one is RoutedOperation => Boolean(one.body) && !one.lines && !one.bytes,
)

describe('no message has words for programs', () => {
  test.each(written.map((one) => [one.name, one] as const))('%s', async (_name, operation) => {
    const isOperator = (operatorOperations as readonly RoutedOperation[]).includes(operation)
    const path = operation.path.replace(/:\w+/g, 'x')
    const seen = new Set<string>()
    for (const body of wrongBodies(operation.body as TSchema)) {
      const reply = await service.fetch(`${isOperator ? '/api/admin' : '/api/v1'}${path}`, {
        method: operation.method,
        key: isOperator ? ADMIN_TOKEN : partner.key,
        body,
      })
      if (reply.status === 400) seen.add(reply.body.error)
    }
    for (const message of seen) {
      expect(message).not.toMatch(FOR_PROGRAMS)
      const fields = message.split(/(?<=\.) (?=[\w.]+ (?:must|is|has) )/).map((one) => one.split(' ', 1)[0])
      // Two sentences about one field could contradict each other.
      expect([message, new Set(fields).size]).toEqual([message, fields.length])
    }
  })
})

test('the limits of a plan, and a colour', async () => {
  const patch = async (path: string, method: string, body: object) =>
    (await service.admin(method, path, body)).body.error as string
  const id = partner.id
  expect(await patch(`/partners/${id}`, 'PATCH', { plan: { budget: -1 } })).toBe('plan.budget must be at least 0.')
  expect(await patch('/submissions/x', 'PATCH', { plan: { budget: -1 } })).toBe('plan.budget must be at least 0.')
  expect(await patch('/submissions/x', 'PATCH', { plan: 5 })).toBe('plan must be an object or null.')
  expect(await patch('/site', 'PUT', { accentColor: 'blue' })).toBe(
    'accentColor must be a colour such as #1a73e8: # and six digits from 0 to f.',
  )
})
