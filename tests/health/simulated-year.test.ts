// A year of looks at a thousand websites, with outages, blocks, moves, expired domains and returns: no living product is called gone or
// parked, and nearly all that are gone are found within 21 days. Alone: npx vitest run tests/health/simulated-year.test.ts
// @module-tag once
import { expect, test } from 'vitest'
import {
  afterLook,
  type Finding,
  firstLookAt,
  type HealthMemory,
  isEnded,
  NO_MEMORY,
  nextLookAt,
} from '../../src/features/health/rules.ts'

const WEBSITES = 1_000
const DAY = 24 * 60 * 60 * 1000
const START = Date.parse('2026-01-01T00:00:00Z')

// The same numbers in every run.
let seed = 20_261_118
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!

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

const never = Number.POSITIVE_INFINITY

function newWebsite(number: number): Website {
  const ends = random() < 0.25 ? 20 + random() * 310 : never
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
    returns: random() < 0.15 ? ends + 40 + random() * 60 : never,
    how: pick(['gone', 'parked'] as const),
    moves: random() < 0.05 ? random() * 365 : never,
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

test(`a year of ${WEBSITES} websites`, () => {
  const wrong: string[] = []
  const daysToFind: number[] = []
  const daysToReturn: number[] = []
  let [looks, notFound, short] = [0, 0, 0]
  for (let number = 0; number < WEBSITES; number++) {
    const website = newWebsite(number)
    let memory: HealthMemory = NO_MEMORY
    let found: number | undefined
    let returned: number | undefined
    let at = firstLookAt(website.id, new Date(START))
    for (;;) {
      const day = (at.getTime() - START) / DAY
      if (day > 365) break
      looks++
      memory = afterLook(memory, findingOf(website, day), at)
      if (isEnded(memory.state) && isLiving(website, day) && website.ends > day)
        wrong.push(`${website.id} is called ${memory.state} on day ${day.toFixed(1)}`)
      if (day >= website.ends && day < website.returns && isEnded(memory.state)) found ??= day - website.ends
      if (day >= website.returns && !isEnded(memory.state)) returned ??= day - website.returns
      // A worker is late now and then.
      at = new Date(nextLookAt(memory, at).getTime() + random() * 0.25 * DAY)
    }
    if (found !== undefined) daysToFind.push(found)
    else if (website.ends + 21 < 365 && website.returns > website.ends + 21) notFound++
    else if (website.ends !== never) short++
    if (returned !== undefined) daysToReturn.push(returned)
  }
  const ended = daysToFind.length + notFound
  const inTime = daysToFind.filter((days) => days <= 21).length
  const sorted = daysToFind.toSorted((a, b) => a - b)
  console.log(
    `${WEBSITES} websites, ${looks} looks (${(looks / WEBSITES).toFixed(1)} each), ${ended} ended (${short} too late in the year), ` +
      `${inTime} found within 21 days (${((100 * inTime) / ended).toFixed(1)} %), median ${sorted[sorted.length >> 1]!.toFixed(1)} days, ` +
      `longest ${sorted.at(-1)!.toFixed(1)}; ${daysToReturn.length} returned, seen after ${Math.max(...daysToReturn).toFixed(1)} days at most; ${wrong.length} wrong`,
  )
  expect(wrong).toEqual([])
  expect(ended).toBeGreaterThan(WEBSITES / 6)
  expect(inTime / ended).toBeGreaterThanOrEqual(0.95)
  expect(daysToReturn.length).toBeGreaterThan(10)
})

test('one look is not enough, nor are three within a week', () => {
  let memory: HealthMemory = NO_MEMORY
  for (const hours of [0, 24, 48, 160]) {
    memory = afterLook(memory, 'gone', new Date(START + hours * 3_600_000))
    expect(memory.state).toBe('unknown')
  }
  expect(afterLook(memory, 'gone', new Date(START + 7 * DAY))).toMatchObject({
    state: 'gone',
    since: new Date(START + 7 * DAY),
  })
})

test('blocked and unreachable neither count nor end the row, and gone and parked are counted apart', () => {
  const statesOf = (findings: readonly Finding[]) => {
    let memory: HealthMemory = NO_MEMORY
    return findings.map((finding, week) => {
      memory = afterLook(memory, finding, new Date(START + week * 7 * DAY))
      return memory.state
    })
  }
  expect(statesOf(['alive', 'gone', 'blocked', 'gone', 'unreachable', 'gone', 'blocked', 'alive'])).toEqual([
    ...['alive', 'alive', 'blocked', 'blocked', 'unreachable', 'gone', 'gone', 'alive'],
  ])
  expect(statesOf(['alive', 'gone', 'gone', 'parked', 'parked', 'parked', 'moved'])).toEqual([
    ...['alive', 'alive', 'alive', 'alive', 'alive', 'parked', 'moved'],
  ])
})
