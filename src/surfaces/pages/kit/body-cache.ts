// Keeps public bodies with their tags and compressed forms until the version of the catalog changes. A full cache is emptied. Requests
// that come while a body is made wait for that one.
import { type PublicBody, publicBody } from './answers.ts'

// Enough for a few thousand listing pages, or for the sitemaps of a million listings.
const MOST_BYTES = 64 * 2 ** 20
// An estimate that includes the compressed form, the tag and the key of a body.
const OVERHEAD = 1.5

export type BodyCache = (version: number, key: string, make: () => Buffer | Promise<Buffer>) => Promise<PublicBody>

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
    const kept = bodies
    const making = (async () => publicBody(await make()))()
    kept.set(key, making)
    making.then(
      (body) => {
        // The cache may have moved on to a newer version.
        if (kept !== bodies) return
        const size = body.bytes.length * OVERHEAD
        if (bytes + size > mostBytes) {
          clear()
          bodies.set(key, making)
        }
        bytes += size
      },
      () => kept.delete(key),
    )
    return making
  }
}
