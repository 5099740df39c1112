// Twelve random hexadecimal digits for every request. Random numbers are drawn for a thousand requests at once, because drawing them one by
// one costs as much as a search.
import { randomFillSync } from 'node:crypto'

const QUADS = Array.from({ length: 65_536 }, (_, number) => number.toString(16).padStart(4, '0'))
const drawn = new Uint16Array(3 * 1_024)
let next = drawn.length

export function newRequestId(): string {
  if (next === drawn.length) {
    randomFillSync(drawn)
    next = 0
  }
  return nextQuad() + nextQuad() + nextQuad()
}

const nextQuad = (): string => QUADS[drawn[next++] ?? 0] ?? ''
