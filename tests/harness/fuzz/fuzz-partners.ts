// Partners that have everything a partner can have. Every private text contains the partner's mark. Everything that has a name has one for
// which a similar name exists nowhere.
import { createHash } from 'node:crypto'
import { type Browser, formIn, signedUp, userNamed } from '../browser.ts'
import type { Receiver } from '../receiver.ts'
import type { TestService } from '../service.ts'
import { newTool, queue, submit } from '../submissions.ts'
import { asked, dataOf, KNOWLEDGE, putArticles, reply } from '../support.ts'
import { SEED } from './fuzzer.ts'

/** The names of one submission, one conversation and one key. */
export interface Names {
  toolId: string
  slug: string
  website: string
  submissionId: string
  conversationId: string
  externalId: string
  messageName: string
  customerId: string
  idempotencyKey: string
  keyId: string
  partnerId: string
  userId: string
  /** A word that is only in private texts. */
  word: string
}

export interface FuzzPartner {
  mark: string
  id: string
  key: string
  person: Browser & { email: string }
  /** The form token of this user. */
  token: string
  things: Names[]
  /** Texts that another partner must never receive. */
  secrets: string[]
  /** Every reader sees these listings, but no other partner learns who submitted them. */
  listed: string[]
}

export const THINGS = 8
/** The site of the last submission, which every partner has submitted. */
const SHARED = 'https://every-partner-has-it.example.com'

const tailOf = (...parts: (string | number)[]) =>
  createHash('sha256')
    .update(`${SEED} ${parts.join(' ')}`)
    .digest('hex')
    .slice(0, 8)

/** A name of the same form and length that nothing has. */
const unknownName = (name: string): string =>
  name.replace(/[0-9a-f]{8}(?!.*[0-9a-f]{8})/, (tail) =>
    [...tail].map((digit) => ((Number.parseInt(digit, 16) + 7) % 16).toString(16)).join(''),
  )

export const unknownNames = (names: Names): Names =>
  Object.fromEntries(Object.entries(names).map(([field, name]) => [field, unknownName(name)])) as unknown as Names

export async function newFuzzPartner(
  service: TestService,
  receiver: Receiver,
  mark: string,
  support: 'hybrid' | 'human',
): Promise<FuzzPartner> {
  const { id, key } = await service.newPartner({
    name: `Partner ${mark}`,
    contactEmail: `${mark}@contact.example.com`,
    webhookUrl: `${receiver.origin}/${mark}`,
    support,
  })
  await putArticles(service, id, [...KNOWLEDGE, { title: mark, body: `The ${mark} product is purple, says ${mark}.` }])
  const person = await signedUp(service, `${mark}@example.com`)
  const user = await userNamed(service, person.email)
  await service.admin('PATCH', `/users/${user.id}`, { partner: id })
  const things: Names[] = []
  for (let number = 0; number < THINGS; number++)
    things.push(await newThing(service, { mark, id, key, email: person.email, userId: user.id }, number))
  const conversations = dataOf(await service.admin('GET', `/support/conversations?client=${id}`))
  const messages = await Promise.all(
    conversations.map(async (one: { id: string }) =>
      dataOf(await service.admin('GET', `/support/conversations/${one.id}`)),
    ),
  )
  return {
    mark,
    id,
    key,
    person,
    token: formIn((await person.open('/dashboard')).text, '/dashboard/keys')!.token!,
    things,
    listed: things.slice(0, -1).flatMap(({ toolId, slug }) => [toolId, slug]),
    secrets: [
      ...[mark, id, key, user.id],
      ...things.flatMap(({ submissionId, conversationId, keyId }) => [submissionId, conversationId, keyId]),
      ...messages.flatMap(({ messages: all }) => all.map((message: { id: string }) => message.id)),
    ],
  }
}

interface Owner {
  mark: string
  id: string
  key: string
  email: string
  userId: string
}

async function newThing(service: TestService, owner: Owner, number: number): Promise<Names> {
  const { mark, id, key, email, userId } = owner
  const name = (kind: string) => `${kind}-${tailOf(mark, kind, number)}`
  const isShared = number === THINGS - 1
  const website = isShared ? SHARED : `https://${name('site')}.example.com`
  const idempotencyKey = name('order')
  const body = newTool({
    name: isShared ? 'Shared' : name('gadget'),
    website,
    paymentType: ['starter', 'pro', undefined][number % 3],
    founderEmail: `founder@${mark}.example.com`,
    affiliate: `${mark} affiliates`,
    foundingDate: `${mark} spring`,
  })
  const headers = { 'idempotency-key': idempotencyKey }
  const tool = (await submit(service, key, body, { headers })).body.data
  const [submission] = await queue(service, { client: id, limit: '1' })
  await service.admin('PATCH', `/submissions/${submission.id}`, {
    notes: `${mark} notes`,
    assignee: `${mark}@staff.example.com`,
  })
  await service.admin('PUT', `/submissions/${submission.id}/directories/peak`, {
    isSubmitted: true,
    listingUrl: `https://peak.example.org/${mark}`,
    proofUrl: `https://peak.example.org/${mark}.png`,
  })
  if (number === 0) await service.admin('POST', `/submissions/${submission.id}/done`, {})
  const [externalId, messageName, customerId] = [name('thread'), name('message'), name('customer')]
  const { id: conversationId } = await asked(service, key, {
    question: `${mark} question ${number}`,
    externalId,
    customer: { name: mark, email: `${mark}@customer.example.com`, id: customerId },
    metadata: { mark, peerPushMessageId: messageName },
  })
  if (number % 2 === 0) await reply(service, conversationId, `${mark} reply`)
  const { id: keyId } = await service.newKey('standard', email)
  const own = { toolId: tool.id, slug: tool.slug, website, submissionId: submission.id, keyId, partnerId: id, userId }
  return {
    ...own,
    conversationId,
    externalId,
    messageName,
    customerId,
    idempotencyKey,
    word: `${mark}${tailOf(mark, number)}`,
  }
}
