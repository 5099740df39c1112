import { grown } from './number-lists.ts'

/** The terms of one document, each with its strongest field and its count. The arrays are reused for the next document. */
export class DocumentTerms {
  /** In the order of the document; the first `size` entries. */
  terms = new Uint32Array(1 << 10)
  size = 0
  /** By term: `serials` has the serial of the last document with the term, so that `clear` need not reset the arrays. */
  private serials = new Uint32Array(1 << 10)
  private fields = new Uint32Array(1 << 10)
  private counts = new Uint32Array(1 << 10)
  private serial = 1

  clear(): void {
    this.serial++
    this.size = 0
  }

  /** Adds an occurrence; the fields must come strongest first. Returns whether the document did not have the term before. */
  add(term: number, field: number): boolean {
    if (term >= this.serials.length) {
      this.serials = grown(this.serials, term * 2)
      this.fields = grown(this.fields, term * 2)
      this.counts = grown(this.counts, term * 2)
    }
    if (this.serials[term] === this.serial) {
      this.counts[term]!++
      return false
    }
    this.serials[term] = this.serial
    this.fields[term] = field
    this.counts[term] = 1
    if (this.size === this.terms.length) this.terms = grown(this.terms, this.size * 2)
    this.terms[this.size++] = term
    return true
  }

  has(term: number): boolean {
    return this.serials[term] === this.serial
  }

  fieldOf(term: number): number {
    return this.fields[term]!
  }

  countOf(term: number): number {
    return this.counts[term]!
  }
}
