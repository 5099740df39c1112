// Compares another machine's clock with this one's.
import { type Finding, okFinding, problemFinding, warningFinding } from './finding.ts'

// Rate-limit windows last a minute. Webhooks are signed with the time, and receivers refuse them after five minutes.
const NOTICED_MS = 1_000
const HARMFUL_MS = 60_000

export function examineClock(whose: string, aheadMs: number): Finding {
  const seconds = Math.abs(aheadMs / 1000).toFixed(1)
  if (Math.abs(aheadMs) < NOTICED_MS) return okFinding('Clock', `The clock of ${whose} agrees with ours.`)
  const says = `The clock of ${whose} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ours.`
  const remedy = 'Let both machines follow a time server: timedatectl set-ntp true'
  return Math.abs(aheadMs) < HARMFUL_MS ? warningFinding('Clock', says, remedy) : problemFinding('Clock', says, remedy)
}
