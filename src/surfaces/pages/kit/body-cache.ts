// Keeps public bodies with their ETags and compressed forms until the version of the catalog changes. A full cache is emptied. A request
// for a body that is being made for another request waits for it.
import { type PublicBody, publicBody } from './answers.ts'

// Enough for a few thousand listing pages, or for the sitemaps of a million listings.
const MOST_BYTES = 64 * 2 ** 20
// Estimated memory per byte of a body, with its compressed form, its ETag and its key.
const MEMORY_FACTOR = 1.5

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
        // The cache was emptied while the body was made.
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
