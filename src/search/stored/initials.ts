import type { Saved } from './saved.ts'

/**
 * The letters that the longer words of each document begin with, by field. Most documents have a word that begins with a given letter,
 * so for a query of one letter this is many times faster than a walk over the postings of all words that begin with it.
 */
export class Initials {
  private masks = new Uint32Array(1 << 10)

  add(document: number, field: number, term: string): void {
    const bit = term.length > 1 ? bitOf(term) : 0
    if (bit === 0) return
    const at = document * INITIALS_FIELDS + field
    if (at >= this.masks.length) {
      const masks = new Uint32Array((document + 1) * INITIALS_FIELDS * 2)
      masks.set(this.masks)
      this.masks = masks
    }
    this.masks[at]! |= bit
  }

  clear(document: number): void {
    this.masks.fill(0, document * INITIALS_FIELDS, (document + 1) * INITIALS_FIELDS)
  }

  save(): Saved {
    return { masks: this.masks }
  }

  restore(saved: Saved): void {
    this.masks = saved.masks as typeof this.masks
  }

  /** The fields that have a word with this initial: bit 0 stands for the strongest. */
  fieldMask(document: number, bit: number): number {
    const at = document * INITIALS_FIELDS
    const place = 31 - Math.clz32(bit)
    return fieldsAt(this.masks, at, place)
  }

  /** The strongest field that has a word with this initial, or -1. */
  strongestField(document: number, bit: number): number {
    const at = document * INITIALS_FIELDS
    if ((this.masks[at]! & bit) !== 0) return 0
    if ((this.masks[at + 1]! & bit) !== 0) return 1
    return (this.masks[at + 2]! & bit) !== 0 ? 2 : -1
  }
}

export const INITIALS_FIELDS = 3

/** The bits at the same place of three numbers, one for each field. Without a branch, because the processor would often mispredict it. */
export const fieldsAt = (masks: Uint32Array, at: number, place: number): number =>
  ((masks[at]! >>> place) & 1) | (((masks[at + 1]! >>> place) & 1) << 1) | (((masks[at + 2]! >>> place) & 1) << 2)

/** The bit of a word of one plain letter; longer words that begin with it are found by `Initials`. 0 for every other word. */
export const initialOf = (word: string): number => (word.length === 1 ? bitOf(word) : 0)

function bitOf(text: string): number {
  const letter = text.charCodeAt(0) - 97
  return letter >= 0 && letter < 26 ? 1 << letter : 0
}
