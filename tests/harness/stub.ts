// The HTTP surfaces with made-up operations and callers and a clock that the test sets: for faults and long waits.
import { Type } from 'typebox'
import { plainText } from '../../src/features/site/current-site.ts'
import { DEFAULT_SITE } from '../../src/features/site/schema.ts'
import { noUnfoundCounter } from '../../src/features/unfound/counter.ts'
import type { Budget, Caller } from '../../src/kernel/caller.ts'
import type { Context } from '../../src/kernel/context.ts'
import { operation, type RoutedOperation } from '../../src/kernel/operation.ts'
import { createMemoryLimiter } from '../../src/platform/limiter/memory.ts'
import { sendFailure } from '../../src/surfaces/http/answers/failures.ts'
import { createHosts } from '../../src/surfaces/http/requests/hosts.ts'
import { createSpentSessions } from '../../src/surfaces/http/requests/sessions.ts'
import { createServer } from '../../src/surfaces/http/server.ts'
import type { Service } from '../../src/surfaces/http/service.ts'
import { addMcp } from '../../src/surfaces/mcp/routes.ts'
import { discovery } from '../../src/surfaces/rest/discovery.ts'
import { addOperations } from '../../src/surfaces/rest/routes.ts'
import { recordingLog } from './service.ts'

const defaultSite: Context['site'] = {
  fields: () => DEFAULT_SITE,
  agentsStopped: () => false,
  collections: () => [],
  revision: () => 0,
  markdown: async (text) => plainText(text),
  apply: () => Promise.resolve(),
  settled: () => Promise.resolve(),
  isLoaded: () => true,
  close() {},
}

export interface Stub {
  origin: string
  logged: Record<string, unknown>[]
  close(): Promise<void>
}

export const STUB_KEY = 'stub-key'

const read = (name: string, run: () => { done: boolean }): RoutedOperation =>
  operation({
    name,
    summary: name,
    description: name,
    group: 'Catalog',
    access: 'catalog',
    method: 'GET',
    path: `/${name}`,
    parameters: Type.Object({}),
    data: Type.Object({ done: Type.Boolean() }),
    example: { success: true, data: { done: true } },
    tool: { title: name, description: name },
    run: () => ({ data: run() }),
  })

/** `/works` succeeds, `/breaks` fails with the given error. */
export async function startStub({
  now,
  budget = { calls: 1_000, seconds: 60 },
  visitorBudgets = [{ calls: 1_000, seconds: 60 }],
  trustedProxies = [],
  error = new Error('unused'),
}: {
  now?: () => number
  budget?: Budget
  visitorBudgets?: readonly Budget[]
  trustedProxies?: string[]
  error?: unknown
}): Promise<Stub> {
  const logged: Record<string, unknown>[] = []
  const caller: Caller = {
    kind: 'key',
    id: 'stub',
    label: 'key ...stub',
    access: new Set(['catalog']),
    budgets: new Map([
      ['rest', [budget]],
      ['mcp', [budget]],
    ]),
    partnerId: null,
  }
  // The part of the real types that these surfaces use: after a renaming there this file does not compile.
  const keys: Pick<Context['keys'], 'findCached' | 'couldBeKey'> = {
    findCached: (key) => (key === STUB_KEY ? caller : null),
    couldBeKey: () => false,
  }
  const signIn: Pick<Context['signIn'], 'sessionCookie'> = { sessionCookie: () => null }
  const context: Pick<Context, 'publicUrl' | 'site'> = { publicUrl: 'http://stub.example', site: defaultSite }
  const service: Service = {
    publicUrl: 'http://stub.example',
    version: '1.0.0',
    limiter: createMemoryLimiter(now),
    visitorBudgets,
    signUpBudgets: [],
    scale: (budgets) => [...budgets],
    hosts: createHosts('http://stub.example', []),
    trustedProxies,
    log: recordingLog(logged),
    isOperatorToken: () => false,
    countAnswer() {},
    metrics: async () => '',
    visits: { count() {}, close: async () => {} },
    unfound: noUnfoundCounter,
    site: defaultSite,
    formSecret: 'unused',
    agentsSignIn: false,
    takesPayments: false,
    sellsPackages: false,
    founders: 'off',
    contentSignal: '',
    showsStyleguide: false,
    sendsMail: false,
    context: () => context as Context,
    keys: keys as Context['keys'],
    signIn: signIn as Context['signIn'],
    spentSessions: createSpentSessions(),
    usage: { addKind() {}, count() {}, record() {}, flush: async () => {}, start() {}, close: async () => {} },
    crawlers: { impostor: () => null },
    isStarted: () => true,
    isReady: () => true,
    isClosing: () => false,
  }
  const breaks = () => {
    throw error
  }
  const operations = [read('works', () => ({ done: true })), read('breaks', breaks)]
  const server = createServer(service, (failure, request, reply) => sendFailure(service, failure, request, reply))
  addOperations(server, service, '/api/v1', [discovery(operations), ...operations])
  addMcp(server, service, { rest: operations, operator: [] })
  const origin = await server.listen({ host: '127.0.0.1', port: 0 })
  return { origin, logged, close: () => server.close() }
}
