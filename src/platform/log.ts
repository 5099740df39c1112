// Log lines: JSON for machines, one readable line for a terminal.
import pino, { type DestinationStream } from 'pino'
import type { Log } from '../kernel/context.ts'

// A request must not wait for its log line. At most a second's worth is lost by a kill -9.
const GATHERED_CHARACTERS = 16_384
const GATHERED_MS = 1_000

export function createLog(level: string, format: 'auto' | 'json' | 'text'): Log & { flush(): void } {
  const readable = format === 'text' || (format === 'auto' && process.stdout.isTTY === true)
  const destination = pino.destination({ fd: 1, sync: false, minLength: 0 })
  let gathered = ''
  const pass = () => {
    if (gathered === '') return
    destination.write(gathered)
    gathered = ''
  }
  const stream: DestinationStream = {
    write(line) {
      if (readable) return void destination.write(readableLine(line, process.stdout.isTTY === true))
      gathered += line
      if (gathered.length >= GATHERED_CHARACTERS) pass()
    },
  }
  const log = pino(
    { level, base: null, timestamp: isoTime, formatters: { level: (label) => ({ level: label }) } },
    stream,
  )
  const timer = setInterval(pass, GATHERED_MS)
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
      pass()
      try {
        destination.flushSync()
      } catch {
        // Not opened yet: there is nothing to flush.
      }
    },
  }
}

let lastTime = 0
let lastText = ''

/** Written once a millisecond, however many lines there are in it. */
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

const COLOURS: Record<string, string> = { warn: '\x1b[33m', error: '\x1b[31m' }

export function readableLine(json: string, colour: boolean): string {
  const { time, level, msg, err, ...rest } = JSON.parse(json) as Line
  const paint = (text: string, code: string | undefined) => (colour && code ? `${code}${text}\x1b[0m` : text)
  const head = paint(time.slice(11, 19), '\x1b[2m')
  if (msg === 'request') {
    const { method, path, status, ms, caller, id } = rest as Record<string, string | number>
    const code = Number(status) >= 500 ? COLOURS.error : Number(status) >= 400 ? COLOURS.warn : '\x1b[32m'
    return `${head} ${paint(String(status), code)} ${String(method).padEnd(4)} ${visible(String(path))} ${paint(`${ms} ms · ${visible(String(caller))} · ${id}`, '\x1b[2m')}\n`
  }
  const details = Object.entries(rest).map(
    ([name, value]) => `${name}=${visible(typeof value === 'string' ? value : JSON.stringify(value))}`,
  )
  const reason = err ? [visible(err.message ?? '')] : []
  // Set in: whatever a message holds, only the log itself begins a line.
  const stack =
    err?.stack && level === 'error'
      ? err.stack
          .split('\n')
          .map((line) => `\n  ${visible(line)}`)
          .join('')
      : ''
  return (
    `${head} ${paint(`${level === 'info' ? '' : `${level}: `}${visible(msg)}`, COLOURS[level])} ${[...reason, ...details].join(' ')}`.trimEnd() +
    `${stack}\n`
  )
}

// A caller must not be able to move the cursor or forge a line.
const visible = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** The same log, told less of an error: a failed statement carries its values, and they are people's data. */
export function withoutValues(log: Log): Log {
  const careful = (details: object) => ('err' in details ? { ...details, err: withoutValue(details.err) } : details)
  return {
    request: (line) => log.request(line),
    info: (details, message) => log.info(careful(details), message),
    warn: (details, message) => log.warn(careful(details), message),
    error: (details, message) => log.error(careful(details), message),
  }
}

function withoutValue(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error) || depth > 5) return undefined
  const { query, code, cause } = error as Error & { query?: unknown; code?: unknown }
  const message = typeof query === 'string' ? `Failed query: ${query}` : error.message
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  const told = new Error(message, { cause: withoutValue(cause, depth + 1) })
  told.name = error.name
  told.stack = [`${error.name}: ${message}`, ...frames].join('\n')
  return Object.assign(told, code === undefined ? {} : { code })
}
