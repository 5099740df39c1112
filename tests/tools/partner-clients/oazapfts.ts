// Through the client that oazapfts made.
import * as api from './generated/oazapfts.js'
import { baseUrl, bearer, finish, keys, newTool, tell } from './story.js'

api.defaults.baseUrl = baseUrl

/** A 304, which has no body, is not asked for. */
function bodyOf<A extends { status: number }>(answer: A): Extract<A, { data: unknown }>['data'] {
  if (!('data' in answer)) throw new Error(`${answer.status} without a body`)
  return answer.data as Extract<A, { data: unknown }>['data']
}

const found = bodyOf(await api.searchTools({ limit: 5000, pricing: 'FREEMIUM' }, { headers: bearer(keys.catalog) }))
if (found.success) tell('limit', found.pagination.limit)
else tell('failure', found.error)

const refused = bodyOf(await api.searchTools({}, { headers: bearer('aid_wrong') }))
if (refused.success) tell('failure', refused.data.length)
else tell('refused', refused.error)

const made = bodyOf(await api.submitAiTool(newTool, {}, { headers: bearer(keys.hybrid) }))
if (made.success) tell('created', made.data.created)
else tell('failure', made.error)

const status = bodyOf(
  await api.getToolStatus(made.success ? { id: made.data.id } : {}, { headers: bearer(keys.hybrid) }),
)
if (status.success) {
  const state: 'IN_QUEUE' | 'ASSIGNED' | 'IN_PROGRESS' | 'REVIEW' | 'DONE' | null = status.data.submissionState
  tell('state', state)
} else tell('failure', status.error)

for (const held of ['hybrid', 'human'] as const) {
  const body = held === 'hybrid' ? { question: 'How long do refunds take?' } : { message: 'How long do refunds take?' }
  const asked = bodyOf(await api.askSupport(body, {}, { headers: bearer(keys[held]) }))
  if (!asked.success) tell('failure', asked.error)
  else if ('message' in asked.data) tell(held, asked.data.message?.content ?? 'a person will answer')
  else tell(held, `${asked.data.messages.length} of ${asked.data.status}`)
}

finish()
