// The answers to a partner are the same whether another partner exists or not: the test plays one random day of a partner on an empty
// service, and the same day onShared another busy partner that gives everything the same names.
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type Browser, signedUp, userNamed } from '../harness/browser.ts'
import { SEED } from '../harness/fuzz/fuzzer.ts'
import type { Reply, TestService } from '../harness/service.ts'
import { newTool, queue, SUBMISSION_CATALOG, statusOf, submit } from '../harness/submissions.ts'
import { ask, KNOWLEDGE, list, newSupportPartner, putArticles, read, reply } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

const STEPS = 300

interface Day {
  service: TestService
  id: string
  key: string
  person: Browser
  /** The name of this partner's public listings, which every reader sees and which must differ. */
  name: string
  conversations: string[]
}

const alone = useService()
const shared = useService()
beforeAll(async () => {
  for (const service of [alone, shared]) await service.load(SUBMISSION_CATALOG)
})

async function newDay(service: TestService, name: string): Promise<Day> {
  const { id, key } = await newSupportPartner(service, 'hybrid', {
    name,
    webhookUrl: `https://${name}.example.invalid/hook`,
  })
  await putArticles(service, id, [
    ...KNOWLEDGE,
    { title: 'Colour', body: `The ${name} product is purple and sold in dozens.` },
  ])
  const person = await signedUp(service, `${name}@example.com`)
  const user = await userNamed(service, person.email)
  await service.admin('PATCH', `/users/${user.id}`, { partner: id })
  return { service, id, key, person, name, conversations: [] }
}

/** Both partners use the same names for threads, messages, customers and retries. */
const STEPS_OF_A_DAY: Readonly<Record<string, (day: Day, n: number, m: number) => Promise<Reply>>> = {
  submit: ({ service, key, name }, n, m) =>
    submit(service, key, toolOf(name, n), { headers: m % 2 === 0 ? { 'idempotency-key': `order-${n}` } : {} }),
  'submit another under the same key': ({ service, key, name }, n) =>
    submit(service, key, toolOf(name, (n + 1) % 6), { headers: { 'idempotency-key': `order-${n}` } }),
  status: ({ service, key, name }, n, m) =>
    statusOf(service, key, m % 2 === 0 ? { website: siteOf(name, n) } : { slug: slugOf(name, n) }),
  'ask in a thread': ({ service, key, name }, n, m) =>
    ask(service, key, {
      question: QUESTIONS[m % QUESTIONS.length],
      externalId: `thread-${n}`,
      customer: { id: `customer-${m}`, name },
    }),
  'ask again': ({ service, key }, n, m) =>
    ask(service, key, { question: QUESTIONS[m % QUESTIONS.length], metadata: { peerPushMessageId: `message-${n}` } }),
  'go on': ({ service, key, conversations }, n) =>
    ask(service, key, { question: 'And then?', conversationId: conversations[n % conversations.length] ?? 'none' }),
  list: ({ service, key }, n, m) => list(service, key, LISTS[(n + m) % LISTS.length]!(n)),
  read: ({ service, key, conversations }, n) => read(service, key, conversations[n % conversations.length] ?? 'none'),
  'an administrator replies': ({ service, conversations, name }, n) =>
    reply(service, conversations[n % conversations.length] ?? 'none', `${name} answers ${n}`),
  'an administrator works': async ({ service, id, name }, n, m) => {
    const found = (await queue(service, { client: id })).reverse()[n]
    const path = `/submissions/${found?.id ?? 'none'}`
    if (m % 3 === 0) return service.admin('PATCH', path, { paymentType: 'pro', notes: `${name} note ${m}` })
    if (m % 3 === 1)
      return service.admin('PUT', `${path}/directories/peak`, {
        isSubmitted: true,
        submittedAt: '2026-03-01T09:30:00Z',
      })
    return service.admin('POST', `${path}/done`, {})
  },
  'a page': ({ person }, n) => openSettled(person, PAGES[n % PAGES.length]!),
  'a page of a submission': ({ person, name }, n) => person.open(`/dashboard/partner/submissions/${slugOf(name, n)}`),
  'a page of a conversation': ({ person, conversations }, n) =>
    person.open(`/dashboard/partner/support/${conversations[n % conversations.length] ?? 'none'}`),
}

/** Waits until no event is under way, because its state would still change. */
async function openSettled(person: Browser, path: string): Promise<Reply> {
  for (;;) {
    const answer = await person.open(path)
    if (!/>(pending|unknown)</.test(answer.text)) return answer
  }
}

const QUESTIONS = ['When does a refund arrive?', 'Is the product purple and sold in dozens?', 'What is the weather?']
const LISTS: readonly ((n: number) => Record<string, string>)[] = [
  () => ({}),
  (n) => ({ externalId: `thread-${n}` }),
  () => ({ status: 'pending' }),
  (n) => ({ page: String(1 + (n % 3)), limit: '3' }),
]
const PAGES = [
  '/dashboard',
  '/dashboard/partner',
  '/dashboard/partner/support',
  '/dashboard/partner/webhooks',
  '/dashboard/account',
]

/** The last product is the same for both partners: one listing, and a submission each. */
const slugOf = (name: string, n: number) => `${n === 5 ? 'both' : name}-${n}`
const siteOf = (name: string, n: number) => `https://${slugOf(name, n)}.example.com`
const toolOf = (name: string, n: number) =>
  newTool({ name: slugOf(name, n), website: siteOf(name, n), paymentType: n % 2 === 0 ? 'starter' : undefined })

async function playStep(day: Day, { kind, n, m }: { kind: string; n: number; m: number }): Promise<Reply> {
  const answer = await STEPS_OF_A_DAY[kind]!(day, n, m)
  const { id } = answer.body?.data ?? {}
  if (/^ask/.test(kind) && id && !day.conversations.includes(id)) day.conversations.push(id)
  return answer
}

const step = fc.record({ kind: fc.constantFrom(...Object.keys(STEPS_OF_A_DAY)), n: fc.nat(5), m: fc.nat(5) })

test(`${STEPS} steps get the same answers with and without another partner`, { timeout: 120_000 }, async () => {
  const steps = fc.sample(step, { seed: SEED, numRuns: STEPS })
  const others = fc.sample(step, { seed: SEED + 1, numRuns: STEPS })
  const [first, second, other] = [
    await newDay(alone, 'alpha'),
    await newDay(shared, 'alpha'),
    await newDay(shared, 'bravo'),
  ]
  const known = [new Map<string, string>(), new Map<string, string>()] as const
  const statuses = new Set<number>()
  let answers = 0
  for (const [at, one] of steps.entries()) {
    const [onAlone, onShared] = await Promise.all([
      playStep(first, one),
      playStep(second, one),
      playStep(other, others[at]!),
    ])
    statuses.add(onAlone.status)
    answers += Number(onAlone.text.includes('The alpha product is purple'))
    const comparable = (answer: Reply, names: Map<string, string>) => ({
      status: answer.status,
      headers: normal(JSON.stringify([...answer.headers].filter(([name]) => !CHANGING.includes(name))), names),
      text: normal(answer.text, names),
    })
    expect(comparable(onShared, known[1]), `step ${at} of FUZZ_SEED=${SEED}: ${JSON.stringify(one)}`).toEqual(
      comparable(onAlone, known[0]),
    )
    expect(onShared.text).not.toContain('bravo')
  }
  // Answers are made from the partner's own articles.
  expect(answers).toBeGreaterThan(5)
  expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 404]))
})

const CHANGING = [
  'date',
  'x-request-id',
  'etag',
  'set-cookie',
  'content-length',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit',
]
const NEW = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|msg_\w+|aid_\w+|(?<=\/reports\/)[0-9a-f]{32}/g
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d\.\d+Z)?/g

/** Numbers identifiers in the order of their first appearance, so that equal ones stay recognisable; removes times, tokens, ends of keys and ports. */
function normal(text: string, names: Map<string, string>): string {
  const nameOf = (id: string) => names.get(id) ?? names.set(id, `id ${names.size}`).get(id)!
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')
    .replaceAll(/name="token" value="[^"]*"/g, '')
    .replaceAll(TIME, 'time')
    .replaceAll(/<code>…\w{4}<\/code>/g, 'the end of a key')
    .replaceAll(/\d+ ms/g, 'a while')
    .replaceAll(NEW, nameOf)
}
