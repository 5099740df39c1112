import { fieldsAt, INITIALS_FIELDS } from '../stored/initials.ts'
import type { NumberLists } from '../stored/number-lists.ts'
import { documentOf, fieldOf, termOf } from '../stored/packed-numbers.ts'

/**
 * Tells which documents have one of many terms: a bit for each document and field. The postings of many terms name documents in random
 * order. Setting bits in random order is fast, because all bits fit into the processor's cache. Changing scores in random order would be
 * slow, because the scores of a million documents do not fit.
 */
export class FieldMarks {
  private marks = new Uint32Array(0)

  /** Replaces all marks by the marks of these terms, each given as a term entry. */
  set(terms: readonly number[], postings: NumberLists, capacity: number): void {
    const needed = Math.ceil(capacity / DOCUMENTS_PER_MARK) * INITIALS_FIELDS
    if (this.marks.length < needed) this.marks = new Uint32Array(Math.ceil(needed * 1.25))
    else this.marks.fill(0)
    const { marks } = this
    for (const entry of terms) {
      const term = termOf(entry)
      const data = postings.dataOf(term)
      const start = postings.startOf(term)
      const end = start + postings.length[term]!
      for (let index = start; index < end; index++) {
        const posting = data[index]!
        const document = documentOf(posting)
        marks[(document >>> 5) * INITIALS_FIELDS + fieldOf(posting)]! |= 1 << (document & 31)
      }
    }
  }

  /** The fields that have one of the terms: bit 0 stands for the strongest. */
  fieldMask(document: number): number {
    const at = (document >>> 5) * INITIALS_FIELDS
    const place = document & 31
    return fieldsAt(this.marks, at, place)
  }
}

/** A mark is a number of 32 bits. */
const DOCUMENTS_PER_MARK = 32
