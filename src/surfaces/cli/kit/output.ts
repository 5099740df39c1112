// Output of commands: answers go to standard output, everything else to standard error. Also the question for a confirmation, and a
// progress line on standard error, rewritten during the work; without a terminal it is not printed.
import { createInterface } from 'node:readline'
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { type Columns, formatTable, layoutOf } from './table.ts'
import { cut, escaped, escapedLines } from './terminal-text.ts'

/** An error that the operator can fix: the message is printed without a stack trace, and the command exits with 1. */
export class CommandError extends Error {}

/** Prints text on standard output. Control characters are escaped, so that text from outside cannot control the terminal. */
export const say = (text: string): void => {
  process.stdout.write(`${escapedLines(text)}\n`)
}

/** Like `say`, on standard error. */
export const remark = (text: string): void => {
  process.stderr.write(`${escapedLines(text)}\n`)
}

export const wantsJson = (command: Command): boolean => command.optsWithGlobals().json === true

export function printAnswer<T>(command: Command, data: T, inWords: (data: T) => void): void {
  if (wantsJson(command)) printJson(data)
  else inWords(data)
}

/** Indented on a terminal, otherwise one line. `say` escapes the control characters that JSON.stringify keeps. */
export const printJson = (data: unknown): void => say(JSON.stringify(data, null, process.stdout.isTTY ? 2 : 0))

export function printTable<R>(rows: readonly R[], columns: Columns<R>): void {
  const room = process.stdout.isTTY ? process.stdout.columns || undefined : undefined
  const { text, hidden } = formatTable(rows, layoutOf(columns), room)
  process.stdout.write(text)
  if (hidden.length > 0) remark(`\nNo room for ${hidden.join(', ')}. A wider terminal or --json shows everything.`)
}

/** Prints secrets that cannot be shown again, by name. */
export function printSecrets(secrets: Record<string, string>): void {
  for (const [name, secret] of Object.entries(secrets))
    process.stdout.write(`\n${name}:\n\n  ${styleText('bold', escaped(secret))}\n`)
  const [they, them] = Object.keys(secrets).length === 1 ? ['It is', 'it'] : ['They are', 'them']
  say(`\n${they} shown only once and cannot be looked up later. Store ${them} now.`)
}

export const examples = (...lines: string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  catalog ${line}`).join('\n')}`

/** Asks the operator at the terminal. Returns if the reply is yes, and throws otherwise. */
export async function confirm(command: Command, question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    command.error('error: there is no terminal to ask at; add --yes to go ahead without a question')
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const reply = await new Promise<string>((resolve) => {
    // Ctrl-C and Ctrl-D close the prompt without a reply and without a line break. The value '\n', which no reply can be, says so.
    prompt.on('close', () => resolve('\n'))
    prompt.question(`${question} [y/N] `, resolve)
  })
  prompt.close()
  if (reply === '\n') process.stderr.write('\n')
  if (!/^y(es)?$/i.test(reply.trim())) throw new CommandError('Nothing was changed.')
}

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
