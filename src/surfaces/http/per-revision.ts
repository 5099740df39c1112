// Caches a value that is made from the site's name or texts, and makes it again after an operator has changed the site.
import type { Service } from './service.ts'

export function perRevision<T>(site: Pick<Service['site'], 'revision'>, make: () => T): () => T {
  let made: { revision: number; value: T } | null = null
  return () => {
    const revision = site.revision()
    if (made?.revision !== revision) made = { revision, value: make() }
    return made.value
  }
}
