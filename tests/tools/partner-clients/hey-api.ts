// Through the client that @hey-api/openapi-ts made.
import { createClient } from './generated/hey-api/client/index.js'
import { askSupport, getToolStatus, searchTools, submitAiTool } from './generated/hey-api/index.js'
import { baseUrl, bearer, finish, keys, newTool, tell } from './story.js'

const as = (held: string) => ({ client: createClient({ baseUrl, headers: bearer(held) }) })
const bodyOf = <D, E>({ data, error }: { data?: D; error?: E }): D | E => (data ?? error)!

const found = bodyOf(await searchTools({ ...as(keys.catalog), query: { limit: 5000, pricing: 'FREEMIUM' } }))
if (found.success) tell('limit', found.pagination.limit)
else tell('failure', found.error)

const refused = bodyOf(await searchTools(as('aid_wrong')))
if (refused.success) tell('failure', refused.data.length)
else tell('refused', refused.error)

const made = bodyOf(await submitAiTool({ ...as(keys.hybrid), body: newTool }))
if (made.success) tell('created', made.data.created)
else tell('failure', made.error)

const status = bodyOf(
  await getToolStatus({ ...as(keys.hybrid), ...(made.success ? { query: { id: made.data.id } } : {}) }),
)
if (status.success) {
  const state: 'IN_QUEUE' | 'ASSIGNED' | 'IN_PROGRESS' | 'REVIEW' | 'DONE' | null = status.data.submissionState
  tell('state', state)
} else tell('failure', status.error)

for (const held of ['hybrid', 'human'] as const) {
  const body = held === 'hybrid' ? { question: 'How long do refunds take?' } : { message: 'How long do refunds take?' }
  const asked = bodyOf(await askSupport({ ...as(keys[held]), body }))
  if (!asked.success) tell('failure', asked.error)
  else if ('message' in asked.data) tell(held, asked.data.message?.content ?? 'a person will answer')
  else tell(held, `${asked.data.messages.length} of ${asked.data.status}`)
}

finish()
