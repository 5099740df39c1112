// Two partners with users; the attacker requests everything that the victim has, in every spelling of its names.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Browser, createBrowser, formIn, signedUp, userNamed } from '../harness/browser.ts'
import type { Reply } from '../harness/service.ts'
import { RANKED_DIRECTORIES, SUBMISSION_CATALOG, spellings, submitted } from '../harness/submissions.ts'
import { asked, ask as askSupport, thread } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

interface PartnerWithUser {
  id: string
  key: string
  person: Browser & { email: string }
  /** A key that the user made. */
  keyId: string
  userId: string
  tool: { id: string; slug: string; website: string }
  submissionId: string
  conversation: { id: string }
  deliveryId: string
}

/** Is in everything that belongs to the victim, and in nothing else. */
const MARK = 'zqxvictim'

let attacker: PartnerWithUser
let victim: PartnerWithUser
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  attacker = await newPartnerWithUser('ordinary')
  victim = await newPartnerWithUser(MARK)
})

async function newPartnerWithUser(word: string): Promise<PartnerWithUser> {
  const partner = await service.newPartner({
    name: `Partner ${word}`,
    support: 'human',
    webhookUrl: `https://${word}.example.com/hook`,
  })
  const person = await signedUp(service, `${word}@example.com`)
  const userId = (await userNamed(service, person.email)).id
  await service.admin('PATCH', `/users/${userId}`, { partner: partner.id })
  const { id: keyId } = (await service.admin('POST', '/keys', { email: person.email, name: `key ${word}` })).body.data
  const tool = await submitted(service, partner.key, {
    name: `Tool ${word}`,
    website: `https://${word}.example.com`,
    paymentType: 'starter',
  })
  await service.admin('PUT', `/submissions/${tool.id}/directories/${RANKED_DIRECTORIES[0]!.slug}`, {
    isSubmitted: true,
    listingUrl: `https://peak.example.org/${word}`,
  })
  await service.admin('POST', `/submissions/${tool.id}/done`, { notes: `notes ${word}` })
  const conversation = await asked(service, partner.key, {
    question: `question ${word}`,
    externalId: `thread-${word}`,
    customer: { name: `customer ${word}` },
    metadata: { peerPushMessageId: `message-${word}` },
  })
  const [submission] = (await service.admin('GET', `/submissions?client=${partner.id}`)).body.data
  const [delivery] = (await service.admin('GET', `/webhooks?client=${partner.id}`)).body.data
  return {
    id: partner.id,
    key: partner.key,
    person,
    keyId,
    userId,
    tool,
    submissionId: submission.id,
    conversation,
    deliveryId: delivery.id,
  }
}

/** The same name, as a careless comparison or decoder might accept it. */
const disguises = (name: string): string[] => [
  encodeURIComponent(name),
  [...name].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
  [...name].map((letter) => `%25${letter.charCodeAt(0).toString(16)}`).join(''),
  encodeURIComponent(name.toUpperCase()),
  encodeURIComponent(` ${name} `),
  `${encodeURIComponent(name)}%00`,
  `${encodeURIComponent(name)}%20`,
  `${encodeURIComponent(name)}%0a`,
  `${encodeURIComponent(name)}.json`,
  `.%2F${encodeURIComponent(name)}`,
  `x%2F..%2F${encodeURIComponent(name)}`,
  `${encodeURIComponent(name)}%2F`,
  `{"id":"${encodeURIComponent(name)}"}`,
  `%27%20or%20id%3D%27${encodeURIComponent(name)}`,
]

/** The answer contains nothing of the victim's data and equals the answer about an unknown name. */
function expectNothing(reply: Reply, at: string): void {
  expect([400, 404], `${at}: ${reply.status}`).toContain(reply.status)
  // An answer may repeat the requested name, but nothing that it identifies.
  expect(reply.text.toLowerCase().split(MARK).length - 1, `${at}: ${reply.text.slice(0, 300)}`).toBeLessThanOrEqual(
    at.toLowerCase().split(MARK).length - 1,
  )
  expect(reply.text).not.toContain('Partner ')
}

describe("another partner's submission", () => {
  const status = (query: string) => service.rest(`/ai-tools/status?${query}`, { key: attacker.key })

  test('no name finds another partner’s submission', async () => {
    for (const name of ['id', 'slug'] as const)
      for (const value of disguises(victim.tool[name]))
        expectNothing(await status(`${name}=${value}`), `${name}=${value}`)
    for (const website of spellings(victim.tool.website)) {
      const query = new URLSearchParams({ website }).toString()
      expectNothing(await status(query), query)
    }
    // The attacker finds its own submission by the same spellings, so they work.
    expect((await status(`id=${attacker.tool.id}`)).status).toBe(200)
    for (const website of spellings(attacker.tool.website))
      expect((await status(new URLSearchParams({ website }).toString())).status).toBe(200)
  })

  test('is not found by the id of its submission, its owner or its delivery', async () => {
    for (const value of [victim.submissionId, victim.id, victim.userId, victim.keyId, victim.deliveryId])
      for (const name of ['id', 'slug']) expectNothing(await status(`${name}=${value}`), name)
  })

  test('naming an own submission as well does not reveal another partner’s', async () => {
    const own = `id=${attacker.tool.id}`
    for (const query of [
      `${own}&id=${victim.tool.id}`,
      `id=${victim.tool.id}&${own}`,
      `id[]=${attacker.tool.id}&id[]=${victim.tool.id}`,
      `${own}&slug=${victim.tool.slug}`,
      `${own},${victim.tool.id}`,
      `id=${victim.tool.id}&clientId=${victim.id}&partnerId=${victim.id}&partner_id=${victim.id}`,
    ]) {
      const reply = await status(query)
      expect([query, reply.status >= 400]).toEqual([query, true])
      expect(reply.text).not.toContain(MARK)
    }
  })

  test('another partner’s submission gets exactly the 404 of an unknown one', async () => {
    const comparable = ({ status, text, headers }: Reply) => ({
      status,
      text,
      headers: [...headers.keys()].filter((name) => !['date', 'x-request-id'].includes(name)).sort(),
    })
    const unknown = comparable(await status('id=00000000-0000-4000-8000-000000000000'))
    expect(comparable(await status(`id=${victim.tool.id}`))).toEqual(unknown)
    expect(comparable(await status(`slug=${victim.tool.slug}`))).toEqual(unknown)
    expect(unknown.status).toBe(404)
  })
})

describe("another partner's conversation", () => {
  test('no id finds another partner’s conversation', async () => {
    for (const value of disguises(victim.conversation.id)) {
      const path = `/support/conversations/${value}`
      const reply = await service.rest(path, { key: attacker.key })
      expectNothing(reply, path)
    }
    for (const [name, named] of [
      ['id', victim.conversation.id],
      ['externalId', `thread-${MARK}`],
    ])
      for (const value of disguises(named!)) {
        const path = `/support/conversations?${name}=${value}`
        const reply = await service.rest(path, { key: attacker.key })
        if (reply.status === 200) expect(reply.body.data).toEqual([])
        else expectNothing(reply, path)
      }
  })

  test('another partner’s conversation and message ids match nothing', async () => {
    const before = await thread(service, victim.conversation.id)
    for (const body of [
      { conversationId: victim.conversation.id },
      { conversationId: victim.conversation.id, externalId: 'thread-ordinary' },
      { conversationId: victim.conversation.id, clientId: victim.id, partnerId: victim.id },
    ]) {
      const reply = await askSupport(service, attacker.key, { question: 'Give me the thread', ...body })
      expect(reply.status).toBe(404)
      expect(reply.text).not.toContain(MARK)
    }
    // Each partner has its own names: these requests begin a new conversation and reveal nothing of the victim's.
    for (const body of [{ externalId: `thread-${MARK}` }, { metadata: { peerPushMessageId: `message-${MARK}` } }]) {
      const reply = await askSupport(service, attacker.key, { question: 'A new one', ...body })
      expect(reply.status).toBe(200)
      expect(reply.body.data.id).not.toBe(victim.conversation.id)
    }
    expect(await thread(service, victim.conversation.id)).toEqual(before)
  })
})

describe('pages of the dashboard', () => {
  test('dashboard pages answer 404 to every identifier of the victim', async () => {
    const addresses: [path: (name: string) => string, names: string[]][] = [
      [(name) => `/dashboard/keys/${name}/revoke`, disguises(victim.keyId)],
      [(name) => `/dashboard/usage?key=${name}`, disguises(victim.keyId)],
      [(name) => `/dashboard/partner/submissions/${name}`, [...disguises(victim.tool.slug), victim.submissionId]],
      [(name) => `/dashboard/partner/support/${name}`, disguises(victim.conversation.id)],
    ]
    for (const [path, names] of addresses) {
      const unknown = await attacker.person.open(path('00000000-0000-4000-8000-000000000000'))
      expect(unknown.status).toBe(404)
      for (const name of names) expectNothing(await attacker.person.open(path(name)), path(name))
    }
    // The victim can open the same pages.
    expect((await victim.person.open(`/dashboard/keys/${victim.keyId}/revoke`)).status).toBe(200)
    expect((await victim.person.open(`/dashboard/partner/support/${victim.conversation.id}`)).text).toContain(MARK)
  })

  test('the attacker’s own pages contain no word of the victim’s', async () => {
    for (const path of [
      '',
      '/usage',
      '/account',
      '/partner',
      '/partner/webhooks',
      '/partner/support',
      '/partner/secret',
    ])
      for (const query of [
        '',
        `?partner=${victim.id}&partnerId=${victim.id}&user=${victim.userId}&clientId=${victim.id}`,
      ]) {
        const { status, text } = await attacker.person.open(`/dashboard${path}${query}`)
        expect([path, status]).toEqual([path, 200])
        // The name that the attacker gave its own thread above.
        expect(text.replaceAll(`thread-${MARK}`, '')).not.toContain(MARK)
        expect(text.replaceAll(query.replaceAll('&', '&amp;'), '')).not.toContain(victim.deliveryId)
      }
  })

  test('a form cannot revoke another user’s key or replace another partner’s secret', async () => {
    const { token } = formIn((await attacker.person.open('/dashboard')).text, '/dashboard/keys')!
    for (const id of disguises(victim.keyId)) {
      const reply = await attacker.person.post(`/dashboard/keys/${id}/revoke`, { token: token!, id: victim.keyId })
      // A name with a NUL in it is refused on the page that the redirect leads to.
      expect([303, 404]).toContain(reply.status)
      expect((await attacker.person.open('/dashboard')).text).not.toContain('The key is revoked.')
    }
    const secrets = () => service.sql('select id, webhook_secret from partners order by id')
    const before = await secrets()
    await attacker.person.post(`/dashboard/partner/secret?partner=${victim.id}`, {
      token: token!,
      partner: victim.id,
      partnerId: victim.id,
      id: victim.id,
    })
    const changed = (await secrets()).filter((row, i) => row.webhook_secret !== before[i].webhook_secret)
    expect(changed.map(({ id }) => id)).toEqual([attacker.id])
    const keys = (await service.admin('GET', '/keys?limit=1000')).body.data
    expect(keys.find(({ id }: { id: string }) => id === victim.keyId).revokedAt).toBeNull()
  })
})

describe('another user’s session', () => {
  test('values of the database or another value’s signature open no session', async () => {
    const [name, own] = [...attacker.person.cookies].find(([name]) => name.includes('session'))!
    const theirs = victim.person.cookies.get(name)!
    const rows = await service.sql(`select id, token from sessions where user_id = '${victim.userId}'`)
    const signature = decodeURIComponent(own).split('.').at(-1)!
    const forged = rows.flatMap(({ id, token }) => [
      token,
      id,
      `${token}.`,
      `${token}.${signature}`,
      `${token}.${Buffer.alloc(32).toString('base64')}`,
      `${id}.${signature}`,
    ])
    expect(forged.length).toBeGreaterThan(0)
    for (const value of [...forged, theirs.slice(0, -1), `${theirs}x`, theirs.toLowerCase(), `%00${theirs}`]) {
      const browser = createBrowser(service)
      browser.cookies.set(name, value.includes('%') ? value : encodeURIComponent(value))
      expect([value, (await browser.open('/dashboard')).status]).toEqual([value, 303])
    }
    expect((await victim.person.open('/dashboard')).status).toBe(200)
  })
})
