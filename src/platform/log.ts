// Log lines: JSON for machines, one readable line for a terminal.
import pino, { type DestinationStream } from 'pino'
import type { Log } from '../kernel/context.ts'

// Lines are buffered, so that a request does not wait for its log line. A kill -9 loses at most a second of lines.
const BUFFERED_CHARACTERS = 16_384
const BUFFERED_MS = 1_000

export function createLog(level: string, format: 'auto' | 'json' | 'text'): Log & { flush(): void } {
  const isText = format === 'text' || (format === 'auto' && process.stdout.isTTY === true)
  const destination = pino.destination({ fd: 1, sync: false, minLength: 0 })
  let buffered = ''
  const writeBuffered = () => {
    if (buffered === '') return
    destination.write(buffered)
    buffered = ''
  }
  const stream: DestinationStream = {
    write(line) {
      if (isText) return void destination.write(readableLine(line, process.stdout.isTTY === true))
      buffered += line
      if (buffered.length >= BUFFERED_CHARACTERS) writeBuffered()
    },
  }
  const log = pino(
    { level, base: null, timestamp: isoTime, formatters: { level: (label) => ({ level: label }) } },
    stream,
  )
  const timer = setInterval(writeBuffered, BUFFERED_MS)
  timer.unref()
  const logsRequests = log.isLevelEnabled('info')
  return {
    request({ method, path, status, ms, caller, id }) {
      if (!logsRequests) return
      stream.write(
        `{"level":"info"${isoTime()},"method":"${method}","path":${JSON.stringify(path)},"status":${status},"ms":${ms},"caller":${JSON.stringify(caller)},"id":"${id}","msg":"request"}\n`,
      )
    },
    info: (details, message) => log.info(details, message),
    warn: (details, message) => log.warn(details, message),
    error: (details, message) => log.error(details, message),
    flush() {
      clearInterval(timer)
      writeBuffered()
      try {
        destination.flushSync()
      } catch {
        // This throws while standard output is not open yet; then there is nothing to flush.
      }
    },
  }
}

let lastTime = 0
let lastText = ''

/** The text is made once a millisecond, because many lines share it. */
function isoTime(): string {
  const time = Date.now()
  if (time !== lastTime) {
    lastTime = time
    lastText = `,"time":"${new Date(time).toISOString()}"`
  }
  return lastText
}

interface Line {
  time: string
  level: string
  msg: string
  err?: { message?: string; stack?: string }
  [name: string]: unknown
}

// Escape sequences of terminals.
const COLOURS: Record<string, string> = { warn: '\x1b[33m', error: '\x1b[31m' }
const GREEN = '\x1b[32m'
const DIM = '\x1b[2m'

function colourOf(status: number): string | undefined {
  if (status >= 500) return COLOURS.error
  return status >= 400 ? COLOURS.warn : GREEN
}

/** One log line for a person to read. `colour`: whether the terminal shows colours. */
export function readableLine(json: string, colour: boolean): string {
  const { time, level, msg, err, ...rest } = JSON.parse(json) as Line
  const paint = (text: string, code: string | undefined) => (colour && code ? `${code}${text}\x1b[0m` : text)
  const head = paint(time.slice(11, 19), DIM)
  if (msg === 'request') {
    const { method, path, status, ms, caller, id } = rest as Record<string, string | number>
    return `${head} ${paint(String(status), colourOf(Number(status)))} ${String(method).padEnd(4)} ${visible(String(path))} ${paint(`${ms} ms · ${visible(String(caller))} · ${id}`, DIM)}\n`
  }
  const details = Object.entries(rest).map(
    ([name, value]) => `${name}=${visible(typeof value === 'string' ? value : JSON.stringify(value))}`,
  )
  const reason = err ? [visible(err.message ?? '')] : []
  // Lines of a stack are indented, so that no text of an error can look like a log line of its own.
  const stackLines = err?.stack && level === 'error' ? err.stack.split('\n') : []
  const stack = stackLines.map((line) => `\n  ${visible(line)}`).join('')
  const message = `${level === 'info' ? '' : `${level}: `}${visible(msg)}`
  const line = `${head} ${paint(message, COLOURS[level])} ${[...reason, ...details].join(' ')}`
  return `${line.trimEnd()}${stack}\n`
}

// A caller must not be able to move the cursor or forge a line.
const visible = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** Removes the values of failed statements from errors before they are logged, because they are personal data. */
export function withoutValues(log: Log): Log {
  const cleaned = (details: object) => ('err' in details ? { ...details, err: withoutValue(details.err) } : details)
  return {
    request: (line) => log.request(line),
    info: (details, message) => log.info(cleaned(details), message),
    warn: (details, message) => log.warn(cleaned(details), message),
    error: (details, message) => log.error(cleaned(details), message),
  }
}

function withoutValue(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error) || depth > 5) return undefined
  const { query, code, cause } = error as Error & { query?: unknown; code?: unknown }
  const message = typeof query === 'string' ? `Failed query: ${query}` : error.message
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  const copy = new Error(message, { cause: withoutValue(cause, depth + 1) })
  copy.name = error.name
  copy.stack = [`${error.name}: ${message}`, ...frames].join('\n')
  return Object.assign(copy, code === undefined ? {} : { code })
}

/** For commands that print their own messages; log lines of the database would mix with these. */
export const silentLog: Log = { request() {}, info() {}, warn() {}, error() {} }
