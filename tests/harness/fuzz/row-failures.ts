// Sends every kind of request that one corrupt row could break: a 5xx or no answer is a failure.
import { operatorOperations, restOperations } from '../../../src/features.ts'
import type { PopulatedService } from '../page-list.ts'
import { until } from '../process.ts'
import type { Reply, TestService } from '../service.ts'
import { validatorOf } from '../shapes.ts'
import type { Written } from './rows.ts'

const TOPICS: Readonly<Record<string, { topic: string; by: string }>> = {
  tools: { topic: 'tools', by: 'id' },
  directories: { topic: 'directories', by: 'id' },
  categories: { topic: 'categories', by: 'slug' },
  tags: { topic: 'tags', by: 'slug' },
  directory_categories: { topic: 'directoryCategories', by: 'slug' },
  keys: { topic: 'keys', by: 'id' },
  users: { topic: 'users', by: 'id' },
  partners: { topic: 'partners', by: 'id' },
}

/** Announces changed rows as their writers would: by name, or as "anything may have changed". */
export async function announce(service: TestService, rows: readonly Written[], all: boolean): Promise<void> {
  const notify = (change: object) =>
    service.sql(`select pg_notify('catalog', '${JSON.stringify(change).replaceAll("'", "''")}')`)
  for (const [table, { topic, by }] of Object.entries(TOPICS)) {
    const ids = rows.filter((row) => row.table === table).map(({ values }) => values[by]!)
    if (all) await notify({ topic })
    // A notification holds at most 8,000 bytes.
    else for (let at = 0; at < ids.length; at += 10) await notify({ topic, ids: ids.slice(at, at + 10) })
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  await service.settled()
}

/** The addresses of one row in the operator API and in the console. */
const ADDRESSES: Readonly<Record<string, (row: Record<string, string | null>) => string[]>> = {
  tools: ({ slug, id }) => [
    ...each('/api/admin/tools', slug),
    ...each('/admin/tools', slug, '', '/preview', '/delete'),
    ...each('/api/v1/tools', slug),
    ...each('/tools', slug),
    ...each('/admin/submissions', id),
  ],
  directories: ({ slug }) => [
    ...each('/api/admin/directories', slug),
    ...each('/admin/directories', slug, '', '/preview', '/delete'),
    ...each('/api/v1/directories', slug),
    ...each('/directories', slug),
  ],
  categories: ({ slug }) => [
    ...each('/api/admin/categories', slug),
    ...each('/admin/taxonomy/categories', slug),
    ...each('/categories', slug),
  ],
  tags: ({ slug }) => [...each('/api/admin/tags', slug), ...each('/admin/taxonomy/tags', slug), ...each('/tags', slug)],
  directory_categories: ({ slug }) => [
    ...each('/api/admin/directory-categories', slug),
    ...each('/admin/taxonomy/directory-categories', slug),
  ],
  submissions: ({ id }) => [
    ...each('/api/admin/submissions', id, '', '/directories'),
    ...each('/admin/submissions', id),
  ],
  submission_rows: ({ submission_id: id }) => [
    ...each('/api/admin/submissions', id, '', '/directories'),
    ...each('/admin/submissions', id),
  ],
  submission_details: ({ submission_id: id }) => each('/admin/submissions', id),
  submission_tags: ({ submission_id: id, slug }) => [
    ...each('/admin/submissions', id),
    ...each('/admin/taxonomy/tags', slug),
  ],
  support_conversations: ({ id }) => [
    ...each('/api/admin/support/conversations', id),
    ...each('/admin/support', id),
    ...each('/dashboard/partner/support', id),
  ],
  support_messages: ({ conversation_id: id }) => [
    ...each('/api/admin/support/conversations', id),
    ...each('/admin/support', id),
    ...each('/dashboard/partner/support', id),
  ],
  support_articles: ({ id, partner_id: partner }) => [
    ...each('/admin/partners', partner, '/knowledge'),
    ...each('/admin/knowledge', id),
    ...each('/api/admin/partners', partner, '/knowledge'),
  ],
  webhook_deliveries: ({ id }) => [...each('/api/admin/webhooks', id), ...each('/admin/webhooks', id)],
  users: ({ id }) => each('/admin/users', id),
  keys: ({ user_id: user, partner_id: partner }) => [
    ...each('/admin/users', user ?? null),
    ...each('/admin/partners', partner ?? null),
  ],
  partners: ({ id }) => [
    ...each('/admin/partners', id, '', '/knowledge'),
    ...each('/api/admin/partners', id, '/knowledge'),
  ],
}

function each(base: string, name: string | null | undefined, ...ends: string[]): string[] {
  // A row without a name has no address.
  if (!name || name === '.' || name === '..') return []
  return (ends.length > 0 ? ends : ['']).map((end) => `${base}/${encodeURIComponent(name)}${end}`)
}

const FOR_PROGRAMS = ['/sitemap.xml', '/robots.txt', '/llms.txt', '/metrics']

/** The console's lists, whose later pages are opened too. */
const LISTS = [
  ...['tools', 'directories', 'taxonomy/categories', 'taxonomy/tags', 'taxonomy/directory-categories', 'partners'],
  ...[
    'users',
    'webhooks',
    'enrichments',
    'pictures',
    'support?status=all',
    'submissions?view=table',
    'submissions?test=true',
    'audit',
  ],
].map((path) => `/admin/${path}`)

export interface FuzzTarget {
  service: TestService
  populated: PopulatedService
  partnerKey: string
  key: string
}

let serial = 0

/** Returns a line for each failure. `rows` are requested one by one. */
export async function failuresAfter(target: FuzzTarget, rows: readonly Written[], pages: boolean): Promise<string[]> {
  const { service, populated, key, partnerKey } = target
  const failures: string[] = []
  const ask = async (path: string, answer: () => Promise<Reply>, allowed: readonly number[]): Promise<Reply | null> => {
    const reply = await answer().catch((error) => void failures.push(`${path}: ${error}`))
    if (!reply) return null
    if (!allowed.includes(reply.status)) failures.push(`${path} answered ${reply.status}: ${reasonOf(service, reply)}`)
    return reply
  }
  const get = (path: string, allowed = [200]) => ask(path, () => open(target, path), allowed)

  await get('/readyz')
  for (const operation of operatorOperations)
    if (operation.method === 'GET' && !operation.path.includes(':') && !operation.streams)
      await get(`/api/admin${operation.path}?limit=1000${operation.path.endsWith('/search') ? '&q=refund' : ''}`)
  const exported = await get('/api/admin/export')
  for (const line of exported?.text.trim().split('\n') ?? [])
    if (!isJson(line)) failures.push(`the export has a line that is no JSON: ${line.slice(0, 300)}`)
  for (const operation of restOperations) {
    if (operation.access !== 'catalog' || operation.path.includes(':')) continue
    for (const page of [1, 2, 3]) {
      const reply = await ask(
        operation.name,
        () => service.rest(`${operation.path}?limit=500&page=${page}&includeAdult=true`, { key }),
        [200],
      )
      const [error] = reply?.status === 200 ? [...validatorOf(operation).Errors(reply.body)] : []
      if (error) failures.push(`${operation.name} is not as its schema says: ${JSON.stringify(error)}`)
    }
  }
  await ask('the conversations', () => service.rest('/support/conversations?limit=100', { key: partnerKey }), [200])
  await ask(
    'a question',
    () =>
      service.rest('/support/ask', { method: 'POST', key: partnerKey, body: { question: 'When is a refund paid?' } }),
    [200],
  )
  for (const { table, values } of rows) {
    const { slug, id } = values
    const allowed = [200, 400, 404]
    if (table === 'tools' && slug)
      await ask(
        `status of ${slug}`,
        () => service.rest(`/ai-tools/status?slug=${encodeURIComponent(slug)}`, { key: partnerKey }),
        allowed,
      )
    if (table === 'support_conversations')
      await ask(
        `conversation ${id}`,
        () => service.rest(`/support/conversations/${encodeURIComponent(id || '-')}`, { key: partnerKey }),
        allowed,
      )
  }
  for (const row of rows)
    for (const path of ADDRESSES[row.table]?.(row.values) ?? []) await get(path, [200, 303, 400, 403, 404])
  if (pages) {
    for (const path of populated.pages.visitor) await get(path, [200, 303, 404, 410])
    for (const path of FOR_PROGRAMS) await get(path)
    for (const path of populated.pages.newUser) await ask(path, () => populated.newUser.open(path), [200])
    for (const path of populated.pages.partnerUser) await ask(path, () => populated.partnerUser.open(path), [200])
    for (const path of populated.pages.administrator)
      await ask(path, () => populated.administrator.open(path), [200, 303])
    for (const path of LISTS)
      for (let page = 2; page <= 4; page++) await get(`${path}${path.includes('?') ? '&' : '?'}page=${page}`)
  }
  failures.push(...(await changesArrive(target)))
  return failures
}

/** A new listing appears at once, a take-down takes effect at once, and a new key works. */
async function changesArrive({ service }: FuzzTarget): Promise<string[]> {
  const slug = `canary-${++serial}`
  try {
    const put = await service.admin('PUT', `/tools/${slug}`, { name: slug })
    if (put.status !== 200) return [`PUT answered ${put.status}: ${put.text.slice(0, 300)}`]
    const { key } = await service.newKey()
    const isThere = async () => (await service.rest(`/tools/${slug}`, { key })).status === 200
    await until(isThere, 5_000)
    await service.admin('PATCH', `/tools/${slug}`, { published: false })
    await until(async () => !(await isThere()), 5_000)
    await service.admin('DELETE', `/tools/${slug}`)
    return []
  } catch (error) {
    return [`a change does not arrive: ${error}`]
  }
}

/** The stack trace from the log, or the text of the answer. */
function reasonOf({ logged }: TestService, { headers, text }: Reply): string {
  const line = logged.find(({ id, err }) => err instanceof Error && id === headers.get('x-request-id'))
  return ((line?.err as Error | undefined)?.stack ?? text).split('\n').slice(0, 4).join(' ').slice(0, 600)
}

/** Opens the page as the user who may open it. */
function open({ service, populated, key }: FuzzTarget, path: string): Promise<Reply> {
  if (path.startsWith('/api/admin')) return service.admin('GET', path.slice('/api/admin'.length))
  if (path.startsWith('/api/v1')) return service.rest(path.slice('/api/v1'.length), { key })
  if (path.startsWith('/admin')) return populated.administrator.open(path)
  if (path.startsWith('/dashboard')) return populated.partnerUser.open(path)
  return service.fetch(path, { headers: { accept: 'text/html' } })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
