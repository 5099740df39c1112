// Every kind of write that the campaign makes, how it is read back, and which audit rows and events it must leave.
import { newSubmission } from '../harness/done-work.ts'
import type { Answer, Client } from './client.ts'
import type { Kind, Slot, State, Step } from './ledger.ts'

export interface CampaignSetup {
  origin(): string
  /** A key that reads the public catalog. */
  readKey: string
  partner: { id: string; key: string }
  /** Users that the writes change. */
  users: readonly string[]
  /** A directory for which work is recorded. */
  board: string
  /** The origin of the sites of submitted products. */
  site: string
}

class Unreadable extends Error {}

/** The data of a read, or null for a 404; any other answer must be requested again. */
function found(answer: Answer): any {
  if (answer.status === 200) return answer.body.data
  if (answer.status === 404) return null
  throw new Unreadable(`${answer.status} ${answer.text.slice(0, 200)}`)
}
const admin = async (client: Client, path: string): Promise<any> => found(await client.ask(`/api/admin${path}`))

export function createKinds(world: CampaignSetup): Kind[] {
  const publicRead = async (client: Client, path: string, pick: (data: any) => unknown) => {
    const answer = await client.ask(`/api/v1${path}`, { key: world.readKey })
    if (answer.status !== 200 && answer.status !== 404) return undefined
    return { value: answer.status === 404 ? null : (pick(answer.body.data) ?? null), answer }
  }
  const put = (path: string, body: object) => (client: Client) =>
    client.ask(`/api/admin${path}`, { method: 'PUT', body })
  const patch = (path: string, body: object) => (client: Client) =>
    client.ask(`/api/admin${path}`, { method: 'PATCH', body })
  const post =
    (path: string, body: object = {}) =>
    (client: Client) =>
      client.ask(`/api/admin${path}`, { body })
  const remove = (path: string) => (client: Client) => client.ask(`/api/admin${path}`, { method: 'DELETE' })

  /** Tools and directories: put, hidden, published, deleted, and put again. */
  function listing(one: 'tool' | 'directory', many: string, field: string): Kind {
    type Listing = { text: string; published: boolean } | null
    return {
      name: one,
      writers: one === 'tool' ? 2 : 1,
      pause: 20,
      slots: 6,
      begin: () => {},
      step(slot): Step {
        const now = slot.state as Listing
        const path = `/${many}/${slot.id}`
        const log = (action: string) => [() => `${one}.${action} ${one}:${slot.id}`]
        const turn = slot.steps % 6
        if (now === null || turn === 0 || turn === 1 || turn === 4) {
          const text = `state ${slot.steps}`
          const next: Listing = { text, published: true }
          const send = put(path, { name: `Crash ${slot.id}`, [field]: text })
          return { name: `put ${one}`, next, send, accept: [200], audits: log('put'), isRepeatable: true }
        }
        if (turn === 5)
          return { name: `delete ${one}`, next: null, send: remove(path), accept: [200], audits: log('delete') }
        const published = !now.published
        const next: Listing = { ...now, published }
        const send = patch(path, { published })
        return { name: `change ${one}`, next, send, accept: [200], audits: log('change'), isRepeatable: true }
      },
      async read(client, slot): Promise<State> {
        const data = await admin(client, `/${many}/${slot.id}`)
        return data && { text: data[field], published: data.published }
      },
      readPublic: (client, slot) => publicRead(client, `/${many}/${slot.id}`, (data) => data[field]),
      shouldSee: (state) => ((state as Listing)?.published ? (state as { text: string }).text : null),
    }
  }

  function term(one: string, path: string): Kind {
    return {
      name: one,
      writers: 1,
      pause: 60,
      slots: 4,
      begin: () => {},
      step(slot): Step {
        const to = `/${path}/${slot.id}`
        const log = (action: string) => [() => `${one}.${action} ${one}:${slot.id}`]
        if (slot.state !== null && slot.steps % 4 === 3)
          return { name: `delete ${one}`, next: null, send: remove(to), accept: [200], audits: log('delete') }
        const name = `${slot.id} ${slot.steps}`
        const send = put(to, { name })
        return { name: `put ${one}`, next: { name }, send, accept: [200], audits: log('put'), isRepeatable: true }
      },
      async read(client, slot) {
        const data = await admin(client, `/${path}/${slot.id}`)
        return data && { name: data.name }
      },
      readPublic: (client, slot) =>
        publicRead(client, `/${path}?limit=500`, (data) => data.find((row: any) => row.slug === slot.id)?.name),
      shouldSee: (state) => (state as { name: string } | null)?.name ?? null,
    }
  }

  const LINES = 8
  const imported: Kind = {
    name: 'import',
    writers: 1,
    pause: 150,
    slots: 3,
    begin: () => {},
    step(slot): Step {
      const version = `version ${slot.steps}`
      const body = Array.from({ length: LINES }, (_, i) =>
        JSON.stringify({ kind: 'tool', slug: `${slot.id}-${i}`, name: `Import ${i}`, tagline: version }),
      ).join('\n')
      return {
        name: 'import',
        next: { version },
        send: (client) => client.ask('/api/admin/import', { body, type: 'application/x-ndjson' }),
        accept: [200],
        audits: [() => 'catalog.import catalog'],
        isRepeatable: true,
      }
    },
    async read(client, slot) {
      const versions = new Set<string | null>()
      for (let i = 0; i < LINES; i++) versions.add((await admin(client, `/tools/${slot.id}-${i}`))?.tagline ?? null)
      if (versions.size > 1) return { halves: [...versions] }
      const [version] = versions
      return version === null ? null : { version }
    },
    readPublic: (client, slot) => publicRead(client, `/tools/${slot.id}-${LINES - 1}`, (data) => data.tagline),
    shouldSee: (state) => (state as { version: string } | null)?.version ?? null,
  }

  const partner: Kind = {
    name: 'partner',
    writers: 1,
    pause: 150,
    slots: 3,
    begin(slot) {
      slot.facts.name = `Partner ${slot.id}`
    },
    step(slot) {
      const now = slot.state as { support: string; title: string | null } | null
      const path = `/partners/${slot.facts.id}`
      if (now === null)
        return {
          name: 'create partner',
          next: { support: 'off', title: null },
          send: post('/partners', { name: slot.facts.name }),
          accept: [201],
          learn: ({ body }) => void (slot.facts.id = body.data.id),
          audits: [() => `partner.create partner:${slot.facts.id}`],
        }
      if (slot.steps > 12) return null
      if (slot.steps % 3 === 2) {
        const support =
          ['off', 'human', 'hybrid'].find(
            (mode) => mode !== now.support && slot.steps % 2 === (mode === 'human' ? 0 : 1),
          ) ?? 'human'
        if (support !== now.support)
          return {
            name: 'change partner',
            next: { ...now, support },
            send: patch(path, { support }),
            accept: [200],
            audits: [() => `partner.change partner:${slot.facts.id}`],
            isRepeatable: true,
          }
      }
      const title = `Article ${slot.steps}`
      return {
        name: 'put knowledge',
        next: { ...now, title },
        send: put(`${path}/knowledge`, { articles: [{ title, body: 'Refunds arrive within five days.' }] }),
        accept: [200],
        audits: [() => `knowledge.replace partner:${slot.facts.id}`],
        isRepeatable: true,
      }
    },
    async read(client, slot) {
      if (!slot.facts.id) {
        const rows = (await admin(client, `/partners?q=${encodeURIComponent(slot.facts.name!)}`)) as any[]
        const own = rows.filter(({ name }) => name === slot.facts.name)
        if (own.length > 1) return { doubled: own.length }
        if (own.length === 0) return null
        slot.facts.id = own[0].id
      }
      const data = await admin(client, `/partners/${slot.facts.id}`)
      const { articles } = await admin(client, `/partners/${slot.facts.id}/knowledge`)
      if (articles.length > 1) return { doubled: articles.length }
      return data && { support: data.support, title: articles[0]?.title ?? null }
    },
  }

  /** The keys of the user with this e-mail address, oldest first; undefined: there is no such user. */
  async function keysOf(client: Client, slot: Slot): Promise<any[] | undefined> {
    if (!slot.facts.userId) {
      const rows = (await admin(client, `/users?q=${slot.facts.email}`)) as any[]
      if (rows.length > 1) throw new Error(`${rows.length} users have the address ${slot.facts.email}`)
      if (rows.length === 0) return undefined
      slot.facts.userId = rows[0].id
    }
    return ((await admin(client, `/keys?user=${slot.facts.userId}`)) as any[]).reverse()
  }

  const key: Kind = {
    name: 'key',
    writers: 1,
    pause: 60,
    slots: 2,
    begin(slot) {
      slot.facts.email = `${slot.id}@example.com`
    },
    step(slot) {
      if (slot.state === null)
        return {
          name: 'create key',
          next: { live: true },
          send: post('/keys', { email: slot.facts.email, name: slot.id }),
          accept: [201],
          learn: ({ body }) => void Object.assign(slot.facts, { id: body.data.id, key: body.data.key }),
          audits: [() => `key.create key:${slot.facts.id}`],
        }
      if (slot.steps > 4) return null
      const isLive = (slot.state as { live: boolean }).live
      // Repeated as by a client that lost the answer: only the first request changes anything.
      return {
        name: isLive ? 'revoke key' : 'revoke key again',
        next: { live: false },
        send: remove(`/keys/${slot.facts.id}`),
        accept: [200],
        audits: isLive ? [() => `key.revoke key:${slot.facts.id}`] : [],
        isRepeatable: true,
      }
    },
    async read(client, slot) {
      const rows = await keysOf(client, slot)
      if (!rows || rows.length === 0) return null
      if (rows.length > 1) return { doubled: rows.length }
      slot.facts.id = rows[0].id
      return { live: rows[0].revokedAt === null }
    },
    async readPublic(client, slot) {
      if (!slot.facts.key) return undefined
      const answer = await client.ask('/api/v1/tags?limit=1', { key: slot.facts.key })
      return answer.status === 200 || answer.status === 401 ? { value: answer.status === 200, answer } : undefined
    },
    shouldSee: (state) => (state as { live: boolean } | null)?.live ?? false,
  }

  const user: Kind = {
    name: 'user',
    writers: 1,
    pause: 80,
    slots: world.users.length,
    begin(slot) {
      slot.facts.id = world.users[Number(slot.id.split('-').at(-1)) % world.users.length]!
      slot.state = { plan: 'standard', banned: false }
    },
    step(slot): Step {
      const now = slot.state as { plan: string; banned: boolean }
      const change =
        slot.steps % 2 === 0 ? { plan: now.plan === 'standard' ? 'premium' : 'standard' } : { banned: !now.banned }
      return {
        name: 'change user',
        next: { ...now, ...change },
        send: patch(`/users/${slot.facts.id}`, change),
        accept: [200],
        audits: [() => `user.change user:${slot.facts.id}`],
        isRepeatable: true,
      }
    },
    async read(client, slot) {
      const data = await admin(client, `/users/${slot.facts.id}`)
      return data && { plan: data.plan, banned: data.banned }
    },
  }

  const submission: Kind = {
    name: 'submission',
    writers: 3,
    pause: 40,
    slots: 2,
    begin(slot) {
      slot.facts.website = `${world.site}/${slot.id}`
      slot.facts.body = JSON.stringify(
        newSubmission({ name: `Product ${slot.id}`, website: slot.facts.website, icon: undefined, frame: undefined }),
      )
    },
    step(slot) {
      const now = slot.state as { state: string; assignee: string | null; notes: string; listing: string | null } | null
      const path = `/submissions/${slot.facts.toolId}`
      const log = (action: string) => [() => `submission.${action} submission:${slot.facts.id}`]
      if (now === null)
        return {
          name: 'submit',
          next: { state: 'IN_QUEUE', assignee: null, notes: '', listing: null },
          send: (client) =>
            client.ask('/api/v1/submit-ai-tool', {
              key: world.partner.key,
              body: slot.facts.body,
              headers: { 'idempotency-key': slot.id },
            }),
          // 200 when it is sent again because the first answer was lost.
          accept: [200, 201],
          learn: ({ body }) => void Object.assign(slot.facts, { toolId: body.data.id, slug: body.data.slug }),
          audits: log('create'),
          isRepeatable: true,
        }
      if (now.state === 'IN_QUEUE') {
        const change = { state: 'IN_PROGRESS', notes: `Begun ${slot.steps}` }
        const next = { ...now, ...change }
        const send = patch(path, change)
        return { name: 'begin work', next, send, accept: [200], audits: log('change'), isRepeatable: true }
      }
      if (now.listing === null) {
        const listing = `https://board.example.org/${slot.id}`
        const send = put(`${path}/directories/${world.board}`, { isSubmitted: true, listingUrl: listing })
        // The caller who records first is the assignee, in the same transaction.
        const next = { ...now, assignee: 'operator', listing }
        const audits = [...log('directory'), ...log('change')]
        return { name: 'record directory', next, send, accept: [200], audits, isRepeatable: true }
      }
      if (now.state !== 'DONE')
        return {
          name: 'mark Done',
          next: { ...now, state: 'DONE', notes: 'All done.' },
          send: post(`${path}/done`, { notes: 'All done.' }),
          accept: [200],
          audits: log('done'),
          isRepeatable: true,
          event: `directory_submissions.completed ${slot.facts.toolId}`,
        }
      if (slot.steps > 6) return null
      return { name: 'mark Done again', next: now, send: post(`${path}/done`), accept: [200] }
    },
    async read(client, slot) {
      const answer = await client.ask(`/api/v1/ai-tools/status?website=${encodeURIComponent(slot.facts.website!)}`, {
        key: world.partner.key,
      })
      const data = found(answer)
      if (data === null) return null
      Object.assign(slot.facts, { toolId: data.tool.id, slug: data.tool.slug })
      const rows = ((await admin(client, `/submissions?q=${slot.facts.slug}&limit=1000`)) as any[]).filter(
        ({ toolId }) => toolId === data.tool.id,
      )
      if (rows.length !== 1 || data.submissions.length > 1)
        return { submissions: rows.length, recorded: data.submissions.length }
      slot.facts.id = rows[0].id
      return {
        state: data.submissionState,
        assignee: rows[0].assignee,
        notes: data.summary.notes,
        listing: data.submissions[0]?.listingUrl ?? null,
      }
    },
    readPublic: (client, slot) =>
      slot.facts.slug
        ? publicRead(client, `/tools/${slot.facts.slug}`, (data) => data.name)
        : Promise.resolve(undefined),
    shouldSee: (state, slot) => (state === null ? null : `Product ${slot.id}`),
  }

  const support: Kind = {
    name: 'support',
    writers: 2,
    pause: 60,
    slots: 2,
    begin: () => {},
    step(slot) {
      const now = slot.state as { questions: number; replies: number } | null
      if (slot.steps > 8) return null
      if (now && slot.facts.id && slot.steps % 3 === 2) {
        const content = `Reply ${slot.steps} to ${slot.id}`
        return {
          name: 'reply',
          next: { ...now, replies: now.replies + 1 },
          send: post(`/support/conversations/${slot.facts.id}/reply`, { content }),
          accept: [200],
          audits: [() => `support.reply conversation:${slot.facts.id}`],
          isRepeatable: true,
          event: `support.replied ${content}`,
        }
      }
      const number = slot.steps
      return {
        name: 'ask',
        next: { questions: (now?.questions ?? 0) + 1, replies: now?.replies ?? 0 },
        send: (client) =>
          client.ask('/api/v1/support/ask', {
            key: world.partner.key,
            body: {
              question: `Question ${number} of ${slot.id}?`,
              externalId: slot.id,
              metadata: { peerPushMessageId: `${slot.id}-${number}` },
            },
          }),
        accept: [200],
        learn: ({ body }) => void (slot.facts.id = body.data.id),
        isRepeatable: true,
      }
    },
    async read(client, slot) {
      if (!slot.facts.id) {
        const answer = await client.ask(`/api/v1/support/conversations?externalId=${slot.id}`, {
          key: world.partner.key,
        })
        const rows = found(answer) as any[]
        if (rows.length > 1) return { doubled: rows.length }
        if (rows.length === 0) return null
        slot.facts.id = rows[0].id
      }
      const data = await admin(client, `/support/conversations/${slot.facts.id}`)
      const texts = data.messages.map(({ content }: any) => content)
      if (new Set(texts).size !== texts.length) return { doubled: texts }
      const replies = data.messages.filter(({ role }: any) => role !== 'customer').length
      return { questions: texts.length - replies, replies }
    },
  }

  const cookieOf = (answer: Answer): string | null =>
    (answer.headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]!).find((pair) => /session/.test(pair)) ??
    null
  const form = (client: Client, path: string, fields: Record<string, string>, cookie?: string) =>
    client.ask(path, {
      key: null,
      body: new URLSearchParams(fields).toString(),
      type: 'application/x-www-form-urlencoded',
      headers: {
        origin: world.origin(),
        'sec-fetch-site': 'same-origin',
        accept: 'text/html',
        ...(cookie ? { cookie } : {}),
      },
    })
  const NOT_SENT: Answer = { status: -1, text: '', body: undefined, headers: {}, socket: null }

  const account: Kind = {
    name: 'account',
    writers: 1,
    pause: 400,
    slots: 1,
    begin(slot) {
      slot.facts.email = `${slot.id}@example.com`
    },
    step(slot) {
      const now = slot.state as { keys: number } | null
      if (now === null)
        return {
          name: 'sign up',
          next: { keys: 0 },
          send: (client) => form(client, '/sign-up', { email: slot.facts.email!, password: 'correct horse battery' }),
          accept: [303],
          learn: (answer) => void (slot.facts.cookie = cookieOf(answer) ?? ''),
          audits: [() => `account.create user:${slot.facts.userId}`],
          auditsLate: true,
        }
      if (now.keys >= 3 || !slot.facts.cookie) return null
      return {
        name: 'make a key in the dashboard',
        next: { keys: now.keys + 1 },
        async send(client) {
          const page = await client.ask('/dashboard', {
            key: null,
            headers: { cookie: slot.facts.cookie!, accept: 'text/html' },
          })
          const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1]
          if (page.status !== 200 || !token) return NOT_SENT
          return form(client, '/dashboard/keys', { token, name: slot.id, agree: 'true' }, slot.facts.cookie)
        },
        accept: [201],
        audits: [() => `key.create key:${slot.facts[`key${now.keys}`]}`],
      }
    },
    async read(client, slot) {
      const rows = await keysOf(client, slot)
      if (rows === undefined) return null
      for (const [i, { id }] of rows.entries()) slot.facts[`key${i}`] = id
      return { keys: rows.length }
    },
  }

  return [
    listing('tool', 'tools', 'tagline'),
    listing('directory', 'directories', 'smallDescription'),
    term('category', 'categories'),
    term('tag', 'tags'),
    term('directoryCategory', 'directory-categories'),
    imported,
    partner,
    key,
    user,
    submission,
    support,
    account,
  ]
}
