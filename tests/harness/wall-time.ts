// Limits of wall time. CI shares its processors with other work: there no test fails because of its speed, and each waits longer for what
// must come.
import { expect } from 'vitest'

export const IS_CI = process.env.CI === 'true'

export function expectWithin(milliseconds: number, limit: number, what?: string): void {
  if (!IS_CI) expect(milliseconds, what).toBeLessThan(limit)
}

/** How long a test waits for something that must come. */
export const patience = (milliseconds: number): number => (IS_CI ? Math.max(milliseconds, 60_000) : milliseconds)
