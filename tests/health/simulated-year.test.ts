// A year of looks at a thousand websites, with outages, blocks, moves, expired domains and returns; its table: node bench/health.ts --only year
// @module-tag once
import { expect, test } from 'vitest'
import { shareInTime, simulateYear } from '../../bench/health-year.ts'
import { afterLook, type Finding, type HealthMemory, NO_MEMORY } from '../../src/features/health/rules.ts'

const DAY = 24 * 60 * 60 * 1000
const START = Date.parse('2026-01-01T00:00:00Z')

test('in a year no living product is called gone or parked, and nearly all that end are found within 21 days', () => {
  const outcomes = simulateYear(1_000)
  expect(outcomes.filter(({ wrong }) => wrong > 0)).toEqual([])
  expect(outcomes.filter(({ mustBeFound }) => mustBeFound).length).toBeGreaterThan(1_000 / 6)
  expect(shareInTime(outcomes)).toBeGreaterThanOrEqual(0.95)
  expect(outcomes.filter(({ daysToReturn }) => daysToReturn !== undefined).length).toBeGreaterThan(10)
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
