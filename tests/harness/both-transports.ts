// "Both transports call the same functions, so a result does not depend on the transport": sends each catalog request over REST and MCP.
import { expect } from 'vitest'
import { restOperations } from '../../src/features.ts'
import type { RoutedOperation } from '../../src/kernel/operation.ts'
import type { TestService } from './service.ts'
import { expectEnvelope, expectFailure } from './shapes.ts'

type Input = Record<string, unknown>

/** Sends the request over REST and over MCP, compares the two answers and returns the envelope. A failure must have the given status. */
export async function onBoth(service: TestService, name: string, input: Input = {}, status = 200): Promise<any> {
  const rest = await service.rest(addressOf(operationNamed(name), input))
  const mcp = await service.tool(name, input)
  expect(rest.status, rest.text.slice(0, 300)).toBe(status)
  expect(mcp.status).toBe(200)
  expect(mcp.text).toBe(rest.text)
  expect(mcp.isError).toBe(status !== 200)
  if (status === 200) {
    expect(mcp.envelope).toEqual(rest.body)
    expectEnvelope(name, rest.body)
  } else expectFailure(rest.body)
  return rest.body
}

export const operationNamed = (name: string): RoutedOperation => {
  const operation = restOperations.find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`no operation ${name}`)
  return operation
}

/** Path and query of a call, relative to {base_url}. Inputs that are path parameters are not repeated in the query. */
export function addressOf({ path }: Pick<RoutedOperation, 'path'>, input: Input = {}): string {
  const query = new URLSearchParams()
  const used = new Set<string>()
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    used.add(name)
    return encodeURIComponent(String(input[name] ?? ''))
  })
  for (const [name, value] of Object.entries(input))
    if (!used.has(name) && value !== undefined && value !== null)
      for (const item of [value].flat()) query.append(name, String(item))
  return query.size > 0 ? `${filled}?${query}` : filled
}
