// node bench/learning.ts: what is gained by learning from the listings that visitors open after a question, and how far hostile visitors
// can move a listing. It simulates 90 days with the counter and the rules of the service, which is restarted every night; its visitors
// read results from the top, and most stop early. It needs no server.
import { countedOpenings, createOpeningCounter, type Opened } from '../src/features/learning/openings.ts'
import { leastWeightAt, MOST_PLACES, orderByOpenings, weightAt } from '../src/features/learning/rules.ts'
import { DAY_MS } from '../src/kernel/values/days.ts'
import { type Random, randomFrom } from './catalog.ts'

const DAYS = 90
const QUESTIONS = 100
const RESULTS = 10
/** A visitor who has read a result reads the next one with this probability, and opens one that fits, or that does not, with these. */
const READS_ON = 0.75
const OPENS_FITTING = 0.6
const OPENS_OTHER = 0.12
/** How often the listing that fits is first, second and so on: 40 % first and 67 % among the first three, as on the held questions. */
const PLACES_OF_FITTING = [0.4, 0.16, 0.11, 0.08, 0.07, 0.05, 0.04, 0.04, 0.03, 0.02]
/** The listing that hostile visitors open: sixth of the results, and it fits only where that is the one that fits. */
const PUSHED = 5

interface Attack {
  name: string
  /** The addresses from which the pushed listing of every question is opened each day. */
  addresses: readonly string[]
  times?: number
}

const quiet = { request() {}, info() {}, warn() {}, error() {} }
const fromOneNetwork = (count: number) => Array.from({ length: count }, (_, at) => `198.51.100.${at + 1}`)
const fromNetworks = (count: number) => Array.from({ length: count }, (_, at) => `198.51.${at}.1`)

async function simulate(visitorsADay: number, attack?: Attack) {
  const random = randomFrom(7)
  let time = Date.UTC(2026, 8, 1)
  const stored = new Map<string, number>()
  const callers = new Map<string, Set<string>>()
  const store = async (opened: readonly Opened[]) => {
    const added = new Map<string, number>()
    for (const { pair, caller } of opened) {
      const known = callers.get(pair) ?? new Set()
      if (!known.has(caller)) added.set(pair, (added.get(pair) ?? 0) + 1)
      callers.set(pair, known.add(caller))
    }
    const counts = new Map([...added.keys()].map((pair) => [pair, callers.get(pair)?.size ?? 0]))
    for (const { words, listingId, weight } of countedOpenings(opened, counts, (pair) => added.get(pair)))
      stored.set(`${words} ${listingId}`, (stored.get(`${words} ${listingId}`) ?? 0) + weight)
  }
  const start = () => createOpeningCounter({ store, secret: 'bench', log: quiet, now: () => time })
  let counter = start()
  const fitting = Array.from({ length: QUESTIONS }, () => chosen(random, PLACES_OF_FITTING))
  const questions = fitting.map((_, at) => `question${at}`)
  const orderOf = (words: string): number[] =>
    orderByOpenings(
      Array.from({ length: RESULTS }, (_, listing) => {
        const weight = stored.get(`${words} ${listing}`) ?? 0
        return weight < leastWeightAt(time) ? 0 : weight / weightAt(time)
      }),
    )
  const open = (words: string, listing: number, id: string) =>
    counter.note(words, String(listing), { kind: 'visitor', id }, () => true)

  for (let day = 0; day < DAYS; day++, time += DAY_MS) {
    for (const [at, words] of questions.entries()) {
      const order = orderOf(words)
      for (let left = visitorsADay + random(); left >= 1; left--)
        for (const listing of order) {
          const fits = listing === fitting[at]
          if (random() < (fits ? OPENS_FITTING : OPENS_OTHER)) open(words, listing, addressFrom(random))
          if (random() > READS_ON) break
        }
      for (const address of attack?.addresses ?? [])
        for (let i = 0; i < (attack?.times ?? 1); i++) open(words, PUSHED, address)
    }
    await counter.flush()
    counter = start()
  }
  const orders = questions.map(orderOf)
  const share = (first: number) =>
    orders.filter((order, at) => order.indexOf(fitting[at] ?? -1) < first).length / QUESTIONS
  const moved = orders.flatMap((order) => order.map((listing, place) => Math.abs(listing - place)))
  return {
    first: share(1),
    firstThree: share(3),
    mostMoved: Math.max(...moved),
    pushedUp: orders.reduce((sum, order) => sum + PUSHED - order.indexOf(PUSHED), 0) / QUESTIONS,
    before: [1, 3].map((first) => fitting.filter((place) => place < first).length / QUESTIONS),
  }
}

function chosen(random: Random, shares: readonly number[]): number {
  let left = random()
  const at = shares.findIndex((share) => (left -= share) < 0)
  return at === -1 ? 0 : at
}

const addressFrom = (random: Random): string =>
  [203, random() * 256, random() * 256, random() * 256].map(Math.floor).join('.')

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
let missed = false

console.log(
  'Visitors a day who ask each question; the fitting listing first, and among the first three; most places moved',
)
for (const visitors of [0.1, 0.3, 1, 3]) {
  const { first, firstThree, mostMoved, before } = await simulate(visitors)
  const [firstBefore = 0, threeBefore = 0] = before
  console.log(
    `${String(visitors).padStart(4)}  ${percent(firstBefore)} → ${percent(first)}  ${percent(threeBefore)} → ${percent(firstThree)}  ${mostMoved}`,
  )
  missed ||= mostMoved > MOST_PLACES || first < firstBefore || firstThree < threeBefore
}

const ATTACKS: readonly Attack[] = [
  { name: 'one caller, 100 times a day', addresses: fromOneNetwork(1), times: 100 },
  { name: '4 callers of 4 networks', addresses: fromNetworks(4) },
  { name: '20 callers of one network', addresses: fromOneNetwork(20) },
  { name: '20 callers of 20 networks', addresses: fromNetworks(20) },
]
console.log(
  '\nHonest visitors a day; hostile ones who open one listing after every question, every day; places that it rises; most places moved',
)
for (const visitors of [0, 1]) {
  const honest = await simulate(visitors)
  for (const attack of ATTACKS) {
    const { pushedUp, mostMoved, firstThree } = await simulate(visitors, attack)
    const rise = pushedUp - honest.pushedUp
    console.log(
      `${String(visitors).padStart(4)}  ${attack.name.padEnd(28)}  ${rise.toFixed(2)}  ${mostMoved}  first three ${percent(honest.firstThree)} → ${percent(firstThree)}`,
    )
    missed ||= mostMoved > MOST_PLACES || (visitors === 0 && attack !== ATTACKS.at(-1) && rise > 0)
  }
}
if (missed) {
  console.error('A target is missed.')
  process.exitCode = 1
}
