// @module-tag once
// What of the client is made from the operations is not stale, and says the same as the reviewed OpenAPI document.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clientFiles } from '../../scripts/client-operations.ts'
import { methodName } from '../../src/kernel/values/text.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const types = read('packages/client/operations.d.ts')
// Only the client itself imports the table, so it has no declaration.
const table = new URL('../../packages/client/operations.js', import.meta.url).href
const { operations }: { operations: Record<string, readonly unknown[]> } = await import(table)
const document = JSON.parse(read('tests/snapshots/openapi.json'))

test('the made files are those of these operations: npm run client:operations writes them again', () => {
  for (const [name, text] of Object.entries(clientFiles())) expect(read(`packages/client/${name}`), name).toBe(text)
})

interface Entry {
  operationId: string
  parameters?: { name: string; in: string; required: boolean }[]
}
const entries = Object.entries<Record<string, Entry>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, entry]) => ({ path, method: method.toUpperCase(), entry })),
)
// The document itself is no operation.
const described = entries.filter(({ entry }) => entry.operationId !== 'openapi')

/** The fields of an interface by name, and whether each is required. */
function fieldsOf(name: string): Record<string, boolean> {
  const body = new RegExp(`^export interface ${name} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(types)?.[1]
  if (body === undefined) throw new Error(`operations.d.ts has no interface ${name}.`)
  return Object.fromEntries([...body.matchAll(/^ {2}(\w+)(\??): /gm)].map(([, field, mark]) => [field!, mark === '']))
}

test('the client has every operation of the OpenAPI document, at its address, and no other', () => {
  const routes = described.map(({ path, method, entry }) => [
    methodName(entry.operationId),
    [method, path.replace(/\{(\w+)\}/g, ':$1')],
  ])
  // After the path the table has the names of a write's parameters in the query.
  const table = Object.entries(operations).map(
    ([name, [method, path]]) => [name, [method, String(path).split('?')[0]]] as const,
  )
  // Both are in the order of the groups; the document has all methods of a path where its first one is.
  expect(Object.values(Object.groupBy(table, ([, [, path]]) => String(path))).flat()).toEqual(routes)
})

test('each operation takes the parameters of the document', () => {
  for (const { entry } of described.filter(({ method }) => method === 'GET')) {
    const parameters = (entry.parameters ?? []).filter((one) => one.in !== 'header' && one.name !== 'fields')
    if (parameters.length === 0) continue
    const name = methodName(entry.operationId)
    expect(fieldsOf(`${name[0]!.toUpperCase()}${name.slice(1)}Parameters`), entry.operationId).toEqual(
      Object.fromEntries(parameters.map((one) => [one.name, one.required])),
    )
  }
})

test('each shape of the document is a type with the same fields', () => {
  const schemas = Object.entries<any>(document.components.schemas).filter(([name]) => name !== 'Error')
  expect(schemas.length).toBeGreaterThan(20)
  for (const [name, { properties, required = [] }] of schemas)
    if (properties)
      expect(fieldsOf(name), name).toEqual(
        Object.fromEntries(Object.keys(properties).map((field) => [field, required.includes(field)])),
      )
    else expect(types, name).toContain(`export type ${name} = `)
})

test('every event of the document is one that verifyWebhook may return', () => {
  const union = types.slice(types.indexOf('export type WebhookEvent ='))
  const bodies = Object.values<any>(document.webhooks).map(
    ({ post }) => post.requestBody.content['application/json'].schema.$ref,
  )
  expect([...union.matchAll(/^ {2}\| (\w+)$/gm)].map(([, name]) => `#/components/schemas/${name}`)).toEqual(bodies)
})
