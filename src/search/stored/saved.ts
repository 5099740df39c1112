/**
 * The state of an index as named lists of numbers and texts, so that an index can be restored without indexing the documents again. The
 * lists are the arrays that the index uses: store them before the index changes. An index that restores them owns them afterwards.
 */
export type Saved = Record<string, SavedList>
export type SavedList = SavedNumbers | readonly string[]
export type SavedNumbers =
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>

/** The same lists under longer names, so that several parts can be saved together. */
export const savedAs = (part: string, saved: Saved): Saved =>
  Object.fromEntries(Object.entries(saved).map(([name, list]) => [`${part}.${name}`, list]))

/** The lists of one part, under the names that the part gave them. */
export function partOf(saved: Saved, part: string): Saved {
  const lists = Object.entries(saved).filter(([name]) => name.startsWith(`${part}.`))
  return Object.fromEntries(lists.map(([name, list]) => [name.slice(part.length + 1), list]))
}

/** After this many steps of a restore, the caller may do other work. */
const STEPS = 1_000

/** Calls `step` with each value, and yields now and then. */
export function* inSteps<T>(values: Iterable<T>, step: (value: T, at: number) => void): Generator<void> {
  let at = 0
  for (const value of values) {
    step(value, at++)
    if (at % STEPS === 0) yield
  }
}
