import type { Saved } from './saved.ts'

/**
 * Very many growable lists of unsigned 32-bit numbers in one array. A typed array each would cost ten times the memory
 * of the numbers, as most lists hold one or two, and give the garbage collector hundreds of thousands of things to visit.
 *
 * A list is named by a small number that the caller chooses. Its numbers are
 * `data[start[list]] … data[start[list] + length[list] - 1]`; read the three arrays afresh after every change.
 */
export class NumberLists {
  data = new Uint32Array(1 << 12)
  start = new Uint32Array(1 << 10)
  length = new Uint32Array(1 << 10)
  /** Index into SIZES plus one; 0: the list has no room of its own. */
  private room = new Uint8Array(1 << 10)
  private used = 0
  private readonly vacant: number[][] = SIZES.map(() => [])

  lengthOf(list: number): number {
    return list < this.length.length ? this.length[list]! : 0
  }

  /** The numbers of the list, until the next change. */
  valuesOf(list: number): Uint32Array {
    const start = this.start[list] ?? 0
    return this.data.subarray(start, start + this.lengthOf(list))
  }

  push(list: number, value: number): void {
    this.reserve(list)
    this.data[this.start[list]! + this.length[list]!++] = value
  }

  /** Inserts the value into an ascending list, so that the list stays ascending. */
  insert(list: number, value: number): void {
    this.reserve(list)
    const start = this.start[list]!
    const end = start + this.length[list]!++
    const at = this.lowerBound(start, end, value)
    if (at < end) this.data.copyWithin(at + 1, at, end)
    this.data[at] = value
  }

  /** Removes from an ascending list the first number that is not below `value`. The list must have one. */
  remove(list: number, value: number): void {
    const start = this.start[list]!
    const end = start + this.length[list]!
    const at = this.lowerBound(start, end, value)
    this.data.copyWithin(at, at + 1, end)
    if (--this.length[list]! === 0) this.clear(list)
  }

  /** Replaces the first number of an ascending list that is not below `value`. The list must have one, and stays ascending. */
  replace(list: number, value: number, by: number): void {
    const start = this.start[list]!
    this.data[this.lowerBound(start, start + this.length[list]!, value)] = by
  }

  /** The first number of an ascending list that is not below `value`. The list must have one. */
  firstFrom(list: number, value: number): number {
    const start = this.start[list]!
    return this.data[this.lowerBound(start, start + this.length[list]!, value)]!
  }

  clear(list: number): void {
    if (list >= this.room.length) return
    const room = this.room[list]!
    if (room > 0) this.vacant[room - 1]!.push(this.start[list]!)
    this.room[list] = 0
    this.length[list] = 0
  }

  save(): Saved {
    const vacant = new Uint32Array(2 * this.vacant.reduce((sum, starts) => sum + starts.length, 0))
    let at = 0
    for (const [size, starts] of this.vacant.entries())
      for (const start of starts) {
        vacant[at++] = size
        vacant[at++] = start
      }
    return { data: this.data.subarray(0, this.used), start: this.start, length: this.length, room: this.room, vacant }
  }

  restore(saved: Saved): void {
    this.data = saved.data as typeof this.data
    this.start = saved.start as typeof this.start
    this.length = saved.length as typeof this.length
    this.room = saved.room as typeof this.room
    this.used = this.data.length
    const vacant = saved.vacant as Uint32Array
    for (let at = 0; at < vacant.length; at += 2) this.vacant[vacant[at]!]!.push(vacant[at + 1]!)
  }

  private lowerBound(low: number, high: number, value: number): number {
    const data = this.data
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
      this.start = grown(this.start, count)
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
      const source = this.start[list]!
      this.data.copyWithin(target, source, source + length)
      this.vacant[room - 1]!.push(source)
    }
    this.start[list] = target
    this.room[list] = room + 1
  }

  private allocate(size: number): number {
    const reused = this.vacant[size]!.pop()
    if (reused !== undefined) return reused
    const start = this.used
    this.used += SIZES[size]!
    // A quarter more: doubling would waste memory, and a smaller step would copy too often.
    if (this.used > this.data.length) this.data = grown(this.data, Math.ceil(this.used * 1.25))
    return start
  }
}

/** The same numbers with room for more. The old memory is freed at once and not left to the garbage collector. */
export function grown(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  return new Uint32Array(array.buffer.transfer(length * Uint32Array.BYTES_PER_ELEMENT))
}

// 1, 2, 3, 4, 6, 8, 12, 16 … : few enough sizes that the room one list gives up is soon reused by another.
const SIZES = [1, ...Array.from({ length: 29 }, (_, step) => [2 << step, 3 << step]).flat()]
