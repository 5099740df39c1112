import type { Saved } from './saved.ts'

/**
 * Very many growable lists of unsigned 32-bit numbers in few arrays. One typed array for each list would take ten times the memory
 * of the numbers, because most lists hold one or two, and the garbage collector would have to visit hundreds of thousands of arrays.
 * The arrays are pages of a fixed size, because a single array that grows would be copied as a whole, and requests would wait for that.
 *
 * A list is named by a small number that the caller chooses. Its numbers are `data[start] … data[start + length[list] - 1]` with
 * `dataOf(list)` and `startOf(list)`; read all three afresh after every change.
 */
export class NumberLists {
  length = new Uint32Array(1 << 10)
  private pages = [new Uint32Array(1 << 12)]
  /** By list: the number of its page, and in the lower PAGE_BITS its start there. */
  private place = new Uint32Array(1 << 10)
  /** By list: its place in SIZES plus one; 0: the list has no room of its own. */
  private room = new Uint8Array(1 << 10)
  /** The page that new lists get their room from, and how much of it is taken. */
  private open = 0
  private used = 0
  /** By place in SIZES: the places of rooms that lists have given up. */
  private readonly vacant: number[][] = SIZES.map(() => [])

  lengthOf(list: number): number {
    return list < this.length.length ? this.length[list]! : 0
  }

  dataOf(list: number): Uint32Array {
    return this.pages[this.place[list]! >>> PAGE_BITS]!
  }

  startOf(list: number): number {
    return this.place[list]! & PAGE_MASK
  }

  /** The numbers of the list, until the next change. */
  valuesOf(list: number): Uint32Array {
    const start = this.startOf(list)
    return this.dataOf(list).subarray(start, start + this.lengthOf(list))
  }

  push(list: number, value: number): void {
    this.reserve(list)
    this.dataOf(list)[this.startOf(list) + this.length[list]!++] = value
  }

  /** Inserts the value into an ascending list, so that the list stays ascending. */
  insert(list: number, value: number): void {
    this.reserve(list)
    const data = this.dataOf(list)
    const end = this.startOf(list) + this.length[list]!
    const at = this.lowerBound(list, value)
    if (at < end) data.copyWithin(at + 1, at, end)
    data[at] = value
    this.length[list]!++
  }

  /** Removes from an ascending list the first number that is not below `value`. The list must have one. */
  remove(list: number, value: number): void {
    const at = this.lowerBound(list, value)
    this.dataOf(list).copyWithin(at, at + 1, this.startOf(list) + this.length[list]!)
    if (--this.length[list]! === 0) this.clear(list)
  }

  /** Replaces the first number of an ascending list that is not below `value`. The list must have one, and stays ascending. */
  replace(list: number, value: number, by: number): void {
    this.dataOf(list)[this.lowerBound(list, value)] = by
  }

  /** The first number of an ascending list that is not below `value`. The list must have one. */
  firstFrom(list: number, value: number): number {
    return this.dataOf(list)[this.lowerBound(list, value)]!
  }

  clear(list: number): void {
    if (list >= this.room.length) return
    const room = this.room[list]!
    if (room > 0) this.vacant[room - 1]!.push(this.place[list]!)
    this.room[list] = 0
    this.length[list] = 0
  }

  save(): Saved {
    const vacant = new Uint32Array(2 * this.vacant.reduce((sum, places) => sum + places.length, 0))
    let at = 0
    for (const [size, places] of this.vacant.entries())
      for (const place of places) {
        vacant[at++] = size
        vacant[at++] = place
      }
    const pages = this.pages.map((page, number) => [
      `page${number}`,
      number === this.open ? page.subarray(0, this.used) : page,
    ])
    return { ...Object.fromEntries(pages), place: this.place, length: this.length, room: this.room, vacant }
  }

  restore(saved: Saved): void {
    this.pages = []
    while (saved[`page${this.pages.length}`]) this.pages.push(saved[`page${this.pages.length}`] as typeof this.length)
    this.place = saved.place as typeof this.place
    this.length = saved.length as typeof this.length
    this.room = saved.room as typeof this.room
    // The next new list opens a page.
    this.used = PAGE
    const vacant = saved.vacant as Uint32Array
    for (let at = 0; at < vacant.length; at += 2) this.vacant[vacant[at]!]!.push(vacant[at + 1]!)
  }

  private lowerBound(list: number, value: number): number {
    const data = this.dataOf(list)
    let low = this.startOf(list)
    let high = low + this.length[list]!
    // Most new numbers are the largest of their list.
    if (low < high && data[high - 1]! < value) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      if (data[middle]! < value) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Makes room for one more number. */
  private reserve(list: number): void {
    if (list >= this.room.length) {
      const count = Math.max(list + 1, this.room.length * 2)
      this.place = grown(this.place, count)
      this.length = grown(this.length, count)
      const room = new Uint8Array(count)
      room.set(this.room)
      this.room = room
    }
    const room = this.room[list]!
    const length = this.length[list]!
    if (room > 0 && length < SIZES[room - 1]!) return
    const target = this.allocate(room)
    if (room > 0) {
      this.pages[target >>> PAGE_BITS]!.set(this.valuesOf(list), target & PAGE_MASK)
      this.vacant[room - 1]!.push(this.place[list]!)
    }
    this.place[list] = target
    this.room[list] = room + 1
  }

  /**
   * The place of new room. `size`: its place in SIZES. The first page grows until it is full, so that a small index needs little memory.
   */
  private allocate(size: number): number {
    const reused = this.vacant[size]!.pop()
    if (reused !== undefined) return reused
    const numbers = SIZES[size]!
    if (this.pages.length >= MOST_PAGES) throw new RangeError(`The index has more than ${MOST_PAGES} pages of numbers.`)
    if (numbers > LONG) return (this.pages.push(new Uint32Array(numbers)) - 1) * PAGE
    if (this.used + numbers > PAGE) {
      this.open = this.pages.push(new Uint32Array(PAGE)) - 1
      this.used = 0
    }
    const page = this.pages[this.open]!
    if (this.used + numbers > page.length)
      this.pages[this.open] = grown(page, Math.min(PAGE, Math.max(page.length * 2, this.used + numbers)))
    const place = this.open * PAGE + this.used
    this.used += numbers
    return place
  }
}

/** The same numbers with room for more. The old memory is freed at once and not left to the garbage collector. */
export function grown(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  return new Uint32Array(array.buffer.transfer(length * Uint32Array.BYTES_PER_ELEMENT))
}

const PAGE_BITS = 18
const PAGE = 1 << PAGE_BITS
const PAGE_MASK = PAGE - 1
/** The place of a list has 32 bits. */
const MOST_PAGES = 2 ** (32 - PAGE_BITS)
/**
 * A longer list has a page of its own. The end of a page that a list does not fit into stays empty, so it must be a small part of the page.
 */
const LONG = PAGE / 8

// 1, 2, 3, 4, 6, 8, 12, 16 … : few enough sizes that the room one list gives up is soon reused by another.
const SIZES = [1, ...Array.from({ length: 29 }, (_, step) => [2 << step, 3 << step]).flat()]
