// Through types that openapi-typescript made, with openapi-fetch.
import createClient from 'openapi-fetch'
import type { paths } from './generated/openapi-typescript.js'
import { baseUrl, bearer, finish, keys, newTool, tell } from './story.js'

const api = createClient<paths>({ baseUrl })
const bodyOf = <D, E>({ data, error }: { data?: D; error?: E }): D | E => (data ?? error)!

const found = bodyOf(
  await api.GET('/tools', { headers: bearer(keys.catalog), params: { query: { limit: 5000, pricing: 'FREEMIUM' } } }),
)
if (found.success) tell('limit', found.pagination.limit)
else tell('failure', found.error)

const refused = bodyOf(await api.GET('/tools', { headers: bearer('aid_wrong') }))
if (refused.success) tell('failure', refused.data.length)
else tell('refused', refused.error)

const made = bodyOf(await api.POST('/submit-ai-tool', { headers: bearer(keys.hybrid), body: newTool }))
if (made.success) tell('created', made.data.created)
else tell('failure', made.error)

const status = bodyOf(
  await api.GET('/ai-tools/status', {
    headers: bearer(keys.hybrid),
    params: { query: made.success ? { id: made.data.id } : {} },
  }),
)
if (status.success) {
  const state: 'IN_QUEUE' | 'ASSIGNED' | 'IN_PROGRESS' | 'REVIEW' | 'DONE' | null = status.data.submissionState
  tell('state', state)
} else tell('failure', status.error)

for (const held of ['hybrid', 'human'] as const) {
  const body = held === 'hybrid' ? { question: 'How long do refunds take?' } : { message: 'How long do refunds take?' }
  const asked = bodyOf(await api.POST('/support/ask', { headers: bearer(keys[held]), body }))
  if (!asked.success) tell('failure', asked.error)
  else if ('message' in asked.data) tell(held, asked.data.message?.content ?? 'a person will answer')
  else tell(held, `${asked.data.messages.length} of ${asked.data.status}`)
}

finish()
