// Public bodies that were made, kept with their tags and compressed forms until what they were made of changes.
import { type PublicBody, publicBody } from './answers.ts'

// A few thousand listing pages, or the sitemaps of a million listings.
const MOST_BYTES = 64 * 2 ** 20
// For the compressed form, the tag and the key.
const OVERHEAD = 1.5

export type HeldBodies = (version: number, key: string, make: () => Buffer) => PublicBody

export function holdBodies(mostBytes = MOST_BYTES): HeldBodies {
  let version = -1
  let bytes = 0
  const bodies = new Map<string, PublicBody>()

  const forget = () => {
    bytes = 0
    bodies.clear()
  }

  return (now, key, make) => {
    if (now !== version) forget()
    version = now
    const held = bodies.get(key)
    if (held) return held
    const body = publicBody(make())
    const size = body.bytes.length * OVERHEAD
    if (bytes + size > mostBytes) forget()
    bytes += size
    bodies.set(key, body)
    return body
  }
}
