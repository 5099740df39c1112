// Keeps the bodies of public pages, with their ETags and compressed forms, until the version of the catalog changes. A full cache is
// emptied. When two requests ask for the same body at once, it is made once and both get it.
import { type PublicBody, publicBody } from './answers.ts'

// Enough for a few thousand listing pages, or for the sitemaps of a million listings.
const MOST_BYTES = 64 * 2 ** 20
// The memory that one byte of a body takes, with its compressed form, its ETag and its key (an estimate).
const MEMORY_FACTOR = 1.5

/** Returns the body kept under `key` for this version of the catalog, or makes it. */
type BodyCache = (version: number, key: string, make: () => Buffer | Promise<Buffer>) => Promise<PublicBody>

export function createBodyCache(mostBytes = MOST_BYTES): BodyCache {
  let version = -1
  let bytes = 0
  let bodies = new Map<string, Promise<PublicBody>>()

  const clear = () => {
    bytes = 0
    bodies = new Map()
  }

  return (currentVersion, key, make) => {
    if (currentVersion !== version) clear()
    version = currentVersion
    const cached = bodies.get(key)
    if (cached) return cached
    const bodiesAtStart = bodies
    const making = (async () => publicBody(await make()))()
    bodiesAtStart.set(key, making)
    making.then(
      (body) => {
        // The cache was emptied while the body was made, so the body is no longer in it.
        if (bodiesAtStart !== bodies) return
        const size = body.bytes.length * MEMORY_FACTOR
        if (bytes + size > mostBytes) {
          clear()
          bodies.set(key, making)
        }
        bytes += size
      },
      () => bodiesAtStart.delete(key),
    )
    return making
  }
}
