// Keeps what is made from the name of the site until an operator changes the site.
import type { Service } from './service.ts'

export function perRevision<T>(site: Pick<Service['site'], 'revision'>, make: () => T): () => T {
  let made: { revision: number; value: T } | null = null
  return () => {
    const revision = site.revision()
    if (made?.revision !== revision) made = { revision, value: make() }
    return made.value
  }
}
