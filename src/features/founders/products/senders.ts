// Counts the accounts that have sent products from one network address. Each process keeps the counts in its memory for at most a week. An
// address is kept only as a hash, whose random key is forgotten with the counts.
import { createHmac, randomBytes } from 'node:crypto'
import { DAY_MS } from '../../../kernel/values/days.ts'

export interface Senders {
  /** Returns how many accounts have sent a product from the address this week, this one included. */
  note(address: string, userId: string): number
}

const WEEK_MS = 7 * DAY_MS
const MOST_NOTED = 100_000

export function createSenders(): Senders {
  const accounts = new Map<string, Set<string>>()
  let key = randomBytes(32)
  let noted = 0
  const forget = () => {
    accounts.clear()
    key = randomBytes(32)
    noted = 0
  }
  setInterval(forget, WEEK_MS).unref()
  return {
    note(address, userId) {
      if (noted >= MOST_NOTED) forget()
      noted++
      const sender = createHmac('sha256', key).update(address).digest('base64url')
      const users = (accounts.get(sender) ?? new Set()).add(userId)
      accounts.set(sender, users)
      return users.size
    },
  }
}
