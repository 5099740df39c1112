// What a check found: how things are, and what to do about it.

export type State = 'ok' | 'warning' | 'problem'

export interface Finding {
  about: string
  state: State
  /** How it is, in one sentence. Never a secret. */
  says: string
  /** What to do; null when nothing needs to be done. */
  remedy: string | null
}

export const ok = (about: string, says: string): Finding => ({ about, state: 'ok', says, remedy: null })

export const warning = (about: string, says: string, remedy: string): Finding => ({
  about,
  state: 'warning',
  says,
  remedy,
})

export const problem = (about: string, says: string, remedy: string): Finding => ({
  about,
  state: 'problem',
  says,
  remedy,
})

/** The message that is furthest down, with what of addresses and passwords may be in it left out. */
export function reasonOf(error: unknown): string {
  let deepest = error as Error & { errors?: Error[]; code?: string }
  while (deepest.cause instanceof Error || deepest.errors?.[0])
    deepest = (deepest.cause instanceof Error ? deepest.cause : deepest.errors![0]) as typeof deepest
  const text = deepest.message || deepest.code || String(error)
  return text.replace(/\/\/[^@\s/]*@/g, '//…@').replace(/\.$/, '')
}
