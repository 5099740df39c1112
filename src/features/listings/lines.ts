// Splits a stream of bytes into numbered lines of text, skipping blank ones.
import { createPauses } from '../../kernel/pauses.ts'

export type Line = { number: number; text: string } | { number: number; problem: string }

const MAX_LINE = 1024 * 1024
const NEWLINE = 10
const decoder = new TextDecoder('utf-8', { fatal: true })

export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 0
  let parts: Uint8Array[] = []
  let length = 0
  const pause = createPauses()
  const finish = (): Line | null => {
    number++
    if (length === 0) return null
    const [bytes, tooLong] = [Buffer.concat(parts), length > MAX_LINE]
    parts = []
    length = 0
    if (tooLong) return { number, problem: 'Longer than 1 MiB.' }
    try {
      const text = decoder.decode(bytes)
      return text.trim() === '' ? null : { number, text }
    } catch {
      return { number, problem: 'Not valid UTF-8.' }
    }
  }
  const take = (bytes: Uint8Array) => {
    length += bytes.length
    if (length <= MAX_LINE) parts.push(bytes)
  }
  for await (const chunk of source) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end))
      start = end + 1
      const line = finish()
      if (line) yield line
      else await pause()
    }
    if (start < chunk.length) take(chunk.subarray(start))
  }
  const last = length > 0 ? finish() : null
  if (last) yield last
}
