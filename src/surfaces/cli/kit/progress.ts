// A progress line on standard error, rewritten during the work; without a terminal it is not printed. Also sizes and counts in words.
import { cut } from './terminal-text.ts'

interface ProgressLine {
  /** Sets the text. A timer draws it, because drawing at every change would slow down the work. */
  show(line: string): void
  end(): void
}

const DRAW_EVERY_MS = 100
const CLEAR_LINE = '\r\u001b[K'

export function startProgress(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  if (!stream.isTTY) return { show: () => {}, end: () => {} }
  let line = ''
  let drawn = ''
  const draw = () => {
    if (line !== drawn) stream.write(CLEAR_LINE + cut((drawn = line), Math.max(10, (stream.columns ?? 80) - 1)))
  }
  const timer = setInterval(draw, DRAW_EVERY_MS)
  return {
    show(next) {
      line = next
    },
    end() {
      clearInterval(timer)
      if (drawn !== '') stream.write(CLEAR_LINE)
      drawn = line = ''
    },
  }
}

const BAR_WIDTH = 24

/** `[######------]  50 %  1.2 MB of 2.4 MB`, from two numbers of bytes; without a total only the size that is done. */
export function bar(done: number, total: number | null): string {
  if (total === null) return sizeText(done)
  // A file may grow while it is read, so the share is capped.
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(share * BAR_WIDTH)
  const percent = String(Math.floor(share * 100)).padStart(3)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${percent} %  ${sizeText(done)} of ${sizeText(total)}`
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** A number of bytes in words: `1.2 MB`. */
export function sizeText(bytes: number): string {
  let unit = 0
  let value = bytes
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}

/** `1 file`, `1,200 files` */
export const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
