// A simulated year of looks at made-up websites, with outages, blocks, moves, expired domains and returns. Only time and the answers of
// the websites are made up: what is said about a website is decided by the rules of the service.
import {
  afterLook,
  type Finding,
  firstLookAt,
  type HealthMemory,
  isEnded,
  NO_MEMORY,
  nextLookAt,
} from '../src/features/health/rules.ts'
import { randomFrom } from './catalog.ts'

const DAY = 24 * 60 * 60 * 1000
const START = Date.parse('2026-01-01T00:00:00Z')
const NEVER = Number.POSITIVE_INFINITY
/** A product that ends has to be found within so many days. */
export const IN_TIME_DAYS = 21

/** From one day to another, every look finds this. */
interface Episode {
  from: number
  to: number
  finding: Finding
}

interface Website {
  id: string
  /** The day on which the product ended for good, or until it returns. */
  ends: number
  returns: number
  how: 'gone' | 'parked'
  moves: number
  episodes: Episode[]
}

export interface Outcome {
  group: 'lives' | 'lives, with lapses' | 'blocked or down for a time' | 'moves' | 'is gone' | 'is parked' | 'returns'
  looks: number
  /** Looks after which a living product was called gone or parked. */
  wrong: number
  /** Whether the product ended early enough in the year to be found in time. */
  mustBeFound: boolean
  daysToFind?: number
  daysToReturn?: number
}

export function simulateYear(websites: number, seed = 20_261_118): Outcome[] {
  const random = randomFrom(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!

  function newWebsite(number: number): Website {
    const ends = random() < 0.25 ? 20 + random() * 310 : NEVER
    const episodes = Array.from({ length: Math.floor(random() * 6) }, (): Episode => {
      const from = random() * 365
      // A living product may lose its domain, or answer 404, for less than a week; blocks and outages may last for months.
      return random() < 0.5
        ? { from, to: from + random() * 6.9, finding: pick(['gone', 'parked']) }
        : { from, to: from + random() * 60, finding: pick(['blocked', 'unreachable']) }
    })
    return {
      id: `website-${number}`,
      ends,
      returns: random() < 0.15 ? ends + 40 + random() * 60 : NEVER,
      how: pick(['gone', 'parked'] as const),
      moves: random() < 0.05 ? random() * 365 : NEVER,
      // Two lapses within a fortnight are one that lasts longer, which is another case.
      episodes: episodes.filter(
        (one, at) => !episodes.slice(0, at).some((other) => other.from < one.to + 14 && one.from < other.to + 14),
      ),
    }
  }

  const isLiving = ({ ends, returns }: Website, day: number) => day < ends || day >= returns

  function findingOf(website: Website, day: number): Finding {
    if (random() < 0.06) return pick(['blocked', 'unreachable'] as const)
    if (!isLiving(website, day)) return website.how
    const episode = website.episodes.find(({ from, to }) => day >= from && day < to)
    return episode?.finding ?? (day >= website.moves ? 'moved' : 'alive')
  }

  function watch(website: Website): Outcome {
    const { id, ends, returns } = website
    const mustBeFound = ends + IN_TIME_DAYS < 365 && returns > ends + IN_TIME_DAYS
    const outcome: Outcome = { group: groupOf(website), looks: 0, wrong: 0, mustBeFound }
    let memory: HealthMemory = NO_MEMORY
    let at = firstLookAt(id, new Date(START))
    for (;;) {
      const day = (at.getTime() - START) / DAY
      if (day > 365) return outcome
      outcome.looks++
      memory = afterLook(memory, findingOf(website, day), at)
      if (isEnded(memory.state) && day < ends) outcome.wrong++
      if (day >= ends && day < returns && isEnded(memory.state)) outcome.daysToFind ??= day - ends
      if (day >= returns && !isEnded(memory.state)) outcome.daysToReturn ??= day - returns
      // A worker is late now and then.
      at = new Date(nextLookAt(memory, at).getTime() + random() * 0.25 * DAY)
    }
  }

  return Array.from({ length: websites }, (_, number) => watch(newWebsite(number)))
}

function groupOf({ ends, returns, how, moves, episodes }: Website): Outcome['group'] {
  if (ends !== NEVER) return returns === NEVER ? `is ${how}` : 'returns'
  if (moves !== NEVER) return 'moves'
  if (episodes.some(({ finding }) => isEnded(finding))) return 'lives, with lapses'
  return episodes.length > 0 ? 'blocked or down for a time' : 'lives'
}

/** The share of the products that had to be found that were found in time. */
export function shareInTime(outcomes: readonly Outcome[]): number {
  const ended = outcomes.filter(({ mustBeFound }) => mustBeFound)
  return ended.filter(({ daysToFind = NEVER }) => daysToFind <= IN_TIME_DAYS).length / ended.length
}
