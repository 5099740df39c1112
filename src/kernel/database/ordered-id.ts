// Identifiers (UUID version 7) of rows that are listed by time. Lists sort rows of one millisecond by id, so that rows of one process stay
// in the order in which they were made.
import { randomUUID } from 'node:crypto'

const MOST_IN_A_MILLISECOND = 0xfff

let time = 0
let count = 0

export function orderedId(): string {
  const now = Date.now()
  // If the clock was set back, ids continue from the latest time.
  if (now > time) [time, count] = [now, 0]
  else if (count < MOST_IN_A_MILLISECOND) count += 1
  else [time, count] = [time + 1, 0]
  const digits = time.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${count.toString(16).padStart(3, '0')}-${randomUUID().slice(19)}`
}
