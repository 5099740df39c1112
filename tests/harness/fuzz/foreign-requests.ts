// Requests of one partner for another partner's data: over REST, over MCP and as a user in the dashboard.
import { spellings } from '../submissions.ts'
import type { Names } from './fuzz-partners.ts'

export interface ForeignRequest {
  as: 'key' | 'person'
  method?: string
  path: string
  headers?: Record<string, string>
  body?: unknown
  /** The fields of a form; the user's own form token is added. */
  form?: Record<string, string>
}

interface Kind {
  ask(names: Names, variant: number): ForeignRequest
  /**
   * Whether the answer depends on the names alone. `false` for lists of the partner's own data, which change during the run: the test only
   * searches them for foreign text.
   */
  differs?: false
  /** The owner gets a success. */
  gives?: true
  /** Reads the catalog, where the listings of all partners are. */
  isCatalog?: true
  /** Not sent by the owner, because it would change the owner's data. */
  notOwn?: true
  /** Also sent for the site that every partner submitted: there the answer is about the caller's own submission. */
  ofShared?: true
}

const rest = (path: string, more: Partial<ForeignRequest> = {}): ForeignRequest => ({
  as: 'key',
  path: `/api/v1${path}`,
  ...more,
})
const page = (path: string): ForeignRequest => ({ as: 'person', path })
const query = (values: Record<string, string>) => new URLSearchParams(values)
const status = (values: Record<string, string>) => rest(`/ai-tools/status?${query(values)}`)
const list = (values: Record<string, string>) => rest(`/support/conversations?${query(values)}`)
const asking = (body: object) => rest('/support/ask', { method: 'POST', body: { question: 'Is this mine?', ...body } })
const tool = (name: string, input: object): ForeignRequest => ({
  as: 'key',
  method: 'POST',
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream' },
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
})
const form = (path: string, fields: Record<string, string> = {}): ForeignRequest => ({
  as: 'person',
  method: 'POST',
  path,
  form: fields,
})
const chosen = <T>(values: readonly T[], variant: number): T => values[variant % values.length]!

const STATUSES = ['', 'pending', 'answered']

export const KINDS: Readonly<Record<string, Kind>> = {
  'status by id': { gives: true, ask: ({ toolId }) => status({ id: toolId }) },
  'status by slug': { gives: true, ask: ({ slug }) => status({ slug }) },
  'status by website': {
    gives: true,
    ask: ({ website }, variant) => status({ website: chosen(spellings(website), variant) }),
  },
  'status by another id': {
    ask: (names, variant) =>
      status({
        id: chosen([names.submissionId, names.conversationId, names.partnerId, names.keyId, names.userId], variant),
      }),
  },
  'status by two names': { ask: ({ toolId, slug }) => status({ id: toolId, slug }) },
  'status with more': {
    gives: true,
    ask: ({ toolId, partnerId }) => status({ id: toolId, client: partnerId, partnerId, clientId: partnerId }),
  },
  conversation: {
    gives: true,
    ofShared: true,
    ask: ({ conversationId }) => rest(`/support/conversations/${conversationId}`),
  },
  'conversation by another id': {
    ofShared: true,
    ask: (names, variant) =>
      rest(
        `/support/conversations/${chosen([names.externalId, names.messageName, names.submissionId, names.partnerId], variant)}`,
      ),
  },
  'list by id': {
    gives: true,
    ofShared: true,
    ask: ({ conversationId }, variant) => list({ id: conversationId, status: chosen(STATUSES, variant) }),
  },
  'list by externalId': {
    gives: true,
    ofShared: true,
    ask: ({ externalId }, variant) => list({ externalId, limit: chosen(['', '1', '100'], variant) }),
  },
  'list by both': {
    gives: true,
    ofShared: true,
    ask: ({ conversationId, externalId }) => list({ id: conversationId, externalId }),
  },
  'list by a customer': {
    gives: true,
    differs: false,
    ask: ({ customerId, partnerId }, variant) =>
      list({
        customer: customerId,
        'customer.id': customerId,
        'metadata.mark': customerId,
        client: partnerId,
        page: String(1 + (variant % 9)),
        limit: chosen(['1', '7', '100', '1e9'], variant),
      }),
  },
  'ask by conversationId': { gives: true, ofShared: true, ask: ({ conversationId }) => asking({ conversationId }) },
  'ask by externalId': { gives: true, ofShared: true, ask: ({ externalId }) => asking({ externalId }) },
  'ask by both': {
    gives: true,
    ofShared: true,
    ask: ({ conversationId, externalId }) => asking({ conversationId, externalId }),
  },
  'ask with a message name': {
    gives: true,
    ofShared: true,
    ask: ({ messageName }) => asking({ metadata: { peerPushMessageId: messageName } }),
  },
  'ask for a customer': {
    gives: true,
    ofShared: true,
    ask: ({ customerId }) => asking({ customer: { id: customerId } }),
  },
  // The body is invalid, so that the answer can only differ when the service knows the idempotency key.
  'submit with an idempotency key': {
    ofShared: true,
    ask: ({ idempotencyKey }) =>
      rest('/submit-ai-tool', { method: 'POST', headers: { 'idempotency-key': idempotencyKey }, body: { name: 'x' } }),
  },
  'search for a private word': {
    gives: true,
    ofShared: true,
    ask: ({ word }, variant) =>
      rest(`/${chosen(['tools', 'directories', 'tags', 'categories'], variant)}?${query({ q: word })}`),
  },
  'a listing': { gives: true, isCatalog: true, differs: false, ask: ({ slug }) => rest(`/tools/${slug}`) },
  'search over MCP': {
    gives: true,
    ofShared: true,
    ask: ({ word }, variant) => tool(chosen(['search_tools', 'search_directories'], variant), { q: word }),
  },
  'a listing over MCP, by an id': {
    gives: true,
    ofShared: true,
    ask: ({ submissionId }, variant) => tool(chosen(['get_tool', 'get_directory'], variant), { slug: submissionId }),
  },
  'a partner operation over MCP': {
    gives: true,
    ask: (names, variant) =>
      tool(chosen(['get_tool_status', 'get_conversation', 'list_conversations', 'ask_support'], variant), {
        id: chosen([names.toolId, names.conversationId], variant),
        conversationId: names.conversationId,
        question: 'x',
      }),
  },
  'the operator API': {
    ofShared: true,
    ask: (names, variant) => ({
      as: chosen(['key', 'person'], variant >> 4),
      path: `/api/admin${chosen(ADMIN_PATHS, variant)(names)}`,
    }),
  },
  'the console': { ofShared: true, ask: (names, variant) => page(`/admin${chosen(ADMIN_PATHS, variant)(names)}`) },
  'own pages': {
    gives: true,
    differs: false,
    ask: ({ partnerId }, variant) =>
      page(`${chosen(PAGES, variant)}?partner=${partnerId}&client=${partnerId}&clientId=${partnerId}`),
  },
  'page of a submission': { gives: true, ask: ({ slug }) => page(`/dashboard/partner/submissions/${slug}`) },
  'page of a submission by id': {
    ask: (names, variant) =>
      page(`/dashboard/partner/submissions/${chosen([names.submissionId, names.toolId], variant)}`),
  },
  'page of a conversation': {
    gives: true,
    ofShared: true,
    ask: ({ conversationId }) => page(`/dashboard/partner/support/${conversationId}`),
  },
  'page of a key': {
    gives: true,
    ofShared: true,
    ask: ({ keyId }, variant) =>
      page(chosen([`/dashboard/keys/${keyId}/revoke`, `/dashboard/usage?key=${keyId}`], variant)),
  },
  'form that revokes a key': {
    ofShared: true,
    notOwn: true,
    ask: ({ keyId }) => form(`/dashboard/keys/${keyId}/revoke`),
  },
}

const ADMIN_PATHS: readonly ((names: Names) => string)[] = [
  ({ partnerId }) => `/partners/${partnerId}`,
  ({ submissionId }) => `/submissions/${submissionId}`,
  ({ conversationId }) => `/support/conversations/${conversationId}`,
  ({ conversationId }) => `/support/${conversationId}`,
  ({ userId }) => `/users/${userId}`,
  ({ partnerId }) => `/webhooks?client=${partnerId}`,
  ({ partnerId }) => `/partners/${partnerId}/knowledge`,
  ({ slug }) => `/tools/${slug}`,
]

const PAGES = [
  '/dashboard',
  '/dashboard/usage',
  '/dashboard/account',
  '/dashboard/partner',
  '/dashboard/partner/webhooks',
  '/dashboard/partner/support',
  '/dashboard/partner/secret',
]
