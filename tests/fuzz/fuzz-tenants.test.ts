// "Not one foreign byte, identical 404s": two partners request each other's data and that of a third, inactive partner, over REST, over MCP
// and in the dashboard. Each request for another partner's data is repeated with a name that never existed, and the two answers are the
// same.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UUID_AND_TIME } from '../harness/fuzz/changing-values.ts'
import { curlOf } from '../harness/fuzz/curl.ts'
import { type ForeignRequest, KINDS } from '../harness/fuzz/foreign-requests.ts'
import { type FuzzPartner, type Names, newFuzzPartner, THINGS, unknownNames } from '../harness/fuzz/fuzz-partners.ts'
import { type Answer, createSender, SEED, type Sender } from '../harness/fuzz/fuzzer.ts'
import type { Request } from '../harness/fuzz/requests.ts'
import { tally } from '../harness/fuzz/tally.ts'
import { BROWSER } from '../harness/html.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { startService, type TestService } from '../harness/service.ts'
import { SUBMISSION_CATALOG } from '../harness/submissions.ts'

const REQUESTS = 10_000

let service: TestService
let receiver: Receiver
let sender: Sender
let partners: FuzzPartner[]
let quiet: FuzzPartner
const counts = tally()

beforeAll(async () => {
  receiver = await startReceiver()
  service = await startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
  await service.load(SUBMISSION_CATALOG)
  partners = [
    await newFuzzPartner(service, receiver, 'zqalpha', 'hybrid'),
    await newFuzzPartner(service, receiver, 'zqbravo', 'human'),
    await newFuzzPartner(service, receiver, 'zqcharlie', 'hybrid'),
  ]
  quiet = partners[2]!
  sender = createSender(service.origin)
})
afterAll(async () => {
  await sender.close()
  await service.close()
  await receiver.close()
})

interface Step {
  kind: string
  /** 0: the caller's own data; 1 and 2: that of the other partners. */
  whose: number
  variant: number
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...Object.keys(KINDS)),
  whose: fc.nat(2),
  variant: fc.nat(63),
})

test('10,000 requests: no data of other partners, whose names are answered like unknown ones', {
  timeout: 240_000,
}, async () => {
  const before = await ownDataOf(quiet)
  // Requests about one thing by one caller run one after the other, so that two equal requests have the same history; different things run
  // in parallel.
  const lanes = [0, 1].flatMap((asker) => Array.from({ length: THINGS }, (_, number) => ({ asker, number })))
  const share = Math.ceil(REQUESTS / lanes.length)
  await Promise.all(
    lanes.map(async ({ asker, number }, lane) => {
      let asked = 0
      for (const one of fc.sample(step, { seed: SEED + lane, numRuns: share })) {
        if (asked >= share) break
        asked += await ask(asker, number, one)
      }
    }),
  )
  process.stdout.write(`FUZZ_SEED=${SEED}\n${counts.table()}\n`)
  expect(counts.total()).toBeGreaterThanOrEqual(REQUESTS)
  for (const [kind, { gives }] of Object.entries(KINDS)) {
    expect([kind, counts.of(`foreign: ${kind}`) > 20]).toEqual([kind, true])
    if (gives) expect([kind, counts.successes(`own: ${kind}`) > 20]).toEqual([kind, true])
  }
  expect(await ownDataOf(quiet)).toEqual(before)
})

/** Sends the request, and again with a name that never existed; returns the number of requests. */
async function ask(asker: number, number: number, { kind, whose, variant }: Step): Promise<number> {
  const self = partners[asker]!
  const owner = partners[(asker + whose) % partners.length]!
  const { ask: make, differs = true, notOwn, ofShared } = KINDS[kind]!
  if (owner === self && notOwn) return 0
  const names = owner.things[number]!
  const { request, answer } = await put(self, kind, make(names, variant), owner === self ? 'own' : 'foreign')
  if (owner === self || !differs || (number === THINGS - 1 && !ofShared)) return 1
  const never = unknownNames(names)
  const control = await put(self, kind, make(never, variant), 'never')
  const shown = `${curlOf(service.origin, request)}\n${curlOf(service.origin, control.request)}`
  expect(normal(answer, names), `${kind}\n${shown}`).toEqual(normal(control.answer, never))
  return 2
}

/** Sends a request as the given partner and searches the answer for texts of the others. */
async function put(
  self: FuzzPartner,
  kind: string,
  foreignRequest: ForeignRequest,
  whose: string,
): Promise<{ request: Request; answer: Answer }> {
  const counted = `${whose}: ${kind}`
  const request = requestOf(self, foreignRequest)
  const answer = await sender.send(request)
  counts.add(counted, answer.status)
  const sent = decodeURIComponent(`${request.path} ${request.headers.join(' ')} ${request.body ?? ''}`)
  const answerTexts = `${JSON.stringify(answer.headers)}\n${answer.text}`
  const foreign = partners
    .filter((partner) => partner !== self)
    .flatMap(({ secrets, listed }) => (KINDS[kind]!.isCatalog ? secrets : [...secrets, ...listed]))
    // An answer may repeat the requested name.
    .filter((secret) => answerTexts.includes(secret) && !sent.includes(secret))
  expect(foreign, `${counted}\n${curlOf(service.origin, request)}\n${answerTexts}`).toEqual([])
  expect(answer.status, curlOf(service.origin, request)).toBeLessThan(500)
  return { request, answer }
}

function requestOf(self: FuzzPartner, { as, method = 'GET', path, headers = {}, body, form }: ForeignRequest): Request {
  const sent = Object.entries(headers).flat()
  if (as === 'key') sent.push('Authorization', `Bearer ${self.key}`)
  else sent.push('Cookie', self.person.cookieHeader(), 'Accept', BROWSER, 'Origin', service.origin)
  if (body) sent.push('Content-Type', 'application/json')
  if (form) sent.push('Content-Type', 'application/x-www-form-urlencoded')
  const payload = form
    ? new URLSearchParams({ ...form, token: self.token }).toString()
    : body
      ? JSON.stringify(body)
      : null
  return { method, path, headers: sent, body: payload }
}

const CHANGING = [
  ...['date', 'x-request-id', 'etag', 'set-cookie'],
  ...['x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit'],
]

/** The answer without what differs between any two answers: the requested names, new ids, times. */
function normal({ status, headers, text }: Answer, names: Names): object {
  const kept = Object.entries(headers).filter(([name]) => !CHANGING.includes(name))
  const plain = (part: string) =>
    Object.values(names)
      .reduce(
        (rest: string, name: string) => rest.replaceAll(name, '§').replaceAll(encodeURIComponent(name), '§'),
        part,
      )
      .replaceAll(UUID_AND_TIME, '§')
  return { status, headers: plain(JSON.stringify(kept)), text: plain(text) }
}

const LAST_USED = /<td data-label="Last used">.*?<\/td>/g
/** The words for a time, such as "1 minute ago"; the time itself is an attribute before them. */
const TIME_WORDS = /(?<=<time [^>]*>)[^<]*/g

/** Everything that a partner can read of its own data, but when its keys were used, and how long ago something was. */
async function ownDataOf(partner: FuzzPartner): Promise<string[]> {
  const foreignRequests = Object.values(KINDS)
    .filter(({ gives }) => gives)
    .flatMap(({ ask: make }) =>
      [0, 1, 2, 3, 4, 5, 6].flatMap((variant) => partner.things.map((names) => make(names, variant))),
    )
    .filter(({ method = 'GET' }) => method === 'GET')
  const requests = [...new Map(foreignRequests.map((foreignRequest) => [foreignRequest.path, foreignRequest])).values()]
  const answerTexts: string[] = []
  for (const foreignRequest of requests) {
    const { status, text } = await sender.send(requestOf(partner, foreignRequest))
    answerTexts.push(`${foreignRequest.path} ${status} ${text.replaceAll(LAST_USED, '').replaceAll(TIME_WORDS, '')}`)
  }
  return answerTexts
}
