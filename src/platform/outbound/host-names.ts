// Looks up names and addresses of hosts in DNS. The name servers are asked directly and only once, because a request waits for the answer.
import { Resolver } from 'node:dns/promises'
import type { HostNames } from '../../kernel/interfaces/outbound.ts'

const TIMEOUT_MS = 900

export function createHostNames(): HostNames & { close(): void } {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
  return {
    namesOf: (address) => orNone(resolver.reverse(address)),
    async addressesOf(name) {
      const answers = await Promise.allSettled([orNone(resolver.resolve4(name)), orNone(resolver.resolve6(name))])
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      const failed = answers.find((answer) => answer.status === 'rejected')
      // Addresses of one kind are enough, even if the look-up of the other kind failed.
      if (found.length === 0 && failed) throw failed.reason
      return found
    },
    // A long text is sent in several parts, which belong together.
    textsOf: async (name) => (await orNone(resolver.resolveTxt(name))).map((parts) => parts.join('')),
    aliasesOf: (name) => orNone(resolver.resolveCname(name)),
    close: () => resolver.cancel(),
  }
}

const NONE = new Set(['ENOTFOUND', 'ENODATA'])

async function orNone<T>(answer: Promise<T[]>): Promise<T[]> {
  try {
    return await answer
  } catch (error) {
    if (NONE.has((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
