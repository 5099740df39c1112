// GET /api/v1/: lists endpoints and documents for a program that knows only the base address.
import { Type } from 'typebox'
import { KEY_BUDGETS, PARTNER_BUDGETS, scaledCalls, VISITOR_BUDGETS } from '../../features/keys/budgets.rules.ts'
import { POLICY_VERSION } from '../../features/keys/rules.ts'
import { operation, type RoutedOperation } from '../../kernel/operation.ts'
import { stringType } from '../../kernel/schema.ts'
import { MCP_PATH, REST_BASE } from '../http/addresses.ts'
import { API_VERSION, DESCRIPTION, NAME } from '../http/software.ts'

const anything = (description: string, example: unknown) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description, examples: [example] })

function limitsAt(scale: number) {
  const at = <T extends Record<string, number>>(budgets: T) =>
    Object.fromEntries(Object.entries(budgets).map(([name, calls]) => [name, scaledCalls(calls, scale)]))
  const [minute, hour] = VISITOR_BUDGETS.map(({ calls }) => scaledCalls(calls, scale))
  return {
    unit: 'calls per minute and key',
    rest: at(KEY_BUDGETS.rest),
    mcp: at(KEY_BUDGETS.mcp),
    partnerWrites: at(PARTNER_BUDGETS),
    withoutKey: { unit: 'calls per address', perMinute: minute, perHour: hour },
  }
}

const policies = {
  acceptableUse: {
    version: POLICY_VERSION,
    summary:
      'Do not republish the catalog as a competing directory or bulk export, and do not impersonate crawlers. Creating a key means agreeing to this; violations can lead to a permanent ban.',
  },
}

/** `scale` is RATE_LIMIT_SCALE; the answer lists the limits as they are applied. */
export function discovery(operations: readonly RoutedOperation[], scale = 1): RoutedOperation {
  const limits = limitsAt(scale)
  const endpoints = operations.map(({ name, method, path, access }) => ({
    operation: name,
    method,
    path: path.replace(/:(\w+)/g, '{$1}'),
    // Support is a right of partner keys, not a kind of key.
    key: access === 'support' ? 'partner' : access,
  }))
  return operation({
    name: 'discover',
    summary: 'API overview',
    description: 'Names the endpoints, the documentation, the MCP address, the limits and the policies. Needs no key.',
    group: 'Discovery',
    access: 'public',
    method: 'GET',
    path: '/',
    data: Type.Object(
      {
        name: stringType('Name of the service.', NAME),
        version: stringType('Version of the API.', API_VERSION),
        description: stringType('What it is.', DESCRIPTION),
        documentation: stringType('URL of the documentation.', 'https://catalog.example.com/docs'),
        openapi: stringType('Address of the OpenAPI document.', 'https://catalog.example.com/api/v1/openapi.json'),
        mcp: stringType('Address of the MCP endpoint.', 'https://catalog.example.com/mcp'),
        endpoints: Type.Array(
          Type.Object({
            operation: stringType('Name of the operation.', 'search_tools'),
            method: stringType('HTTP method.', 'GET'),
            path: stringType('Path, relative to the base address.', '/tools'),
            key: stringType('Kind of key it needs.', 'catalog'),
          }),
          { description: 'The endpoints.' },
        ),
        limits: anything('The rate limits.', limitsAt(1)),
        policies: anything('The usage policies.', policies),
      },
      { description: 'API overview.', title: 'Discovery' },
    ),
    exampleFields: { endpoints: endpoints.slice(0, 2) },
    run: (ctx) => ({
      data: {
        name: ctx.site.fields().name,
        version: API_VERSION,
        description: ctx.site.fields().description,
        documentation: `${ctx.publicUrl}/docs`,
        openapi: `${ctx.publicUrl}${REST_BASE}/openapi.json`,
        mcp: `${ctx.publicUrl}${MCP_PATH}`,
        endpoints,
        limits,
        policies,
      },
    }),
  })
}
