// Another machine's clock against ours.
import { type Finding, ok, problem, warning } from './finding.ts'

// Windows of limits last a minute, webhooks are signed with the time and refused after five.
const NOTICED_MS = 1_000
const HARMFUL_MS = 60_000

export function examineClock(whose: string, aheadMs: number): Finding {
  const seconds = Math.abs(aheadMs / 1000).toFixed(1)
  if (Math.abs(aheadMs) < NOTICED_MS) return ok('Clock', `The clock of ${whose} agrees with ours.`)
  const says = `The clock of ${whose} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ours.`
  const remedy = 'Let both machines follow a time server: timedatectl set-ntp true'
  return Math.abs(aheadMs) < HARMFUL_MS ? warning('Clock', says, remedy) : problem('Clock', says, remedy)
}
