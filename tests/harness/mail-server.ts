// A real SMTP server on loopback that keeps what it gets, and can refuse, fail or hang up; and one that stops at a chosen command.
import { createServer, type Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { until } from './process.ts'

interface ReceivedMail {
  from: string
  to: string[]
  /** The whole message as it came. */
  source: string
  headers: Map<string, string>
  /** The plain text, decoded. */
  text: string
}

interface MailServer {
  url: string
  mails: ReceivedMail[]
  /**
   * What the server does with the next messages: takes them, asks to be tried later, refuses them or their sender, or hangs up after it
   * has taken them.
   */
  mood: 'take' | 'later' | 'refuse' | 'refuse sender' | 'hang up'
  /** How many messages were begun. */
  attempts: number
  /** Waits for a mail to this address. */
  mailTo(email: string, count?: number): Promise<ReceivedMail>
  close(): Promise<void>
}

const failure = (responseCode: number) => Object.assign(new Error('Not now'), { responseCode })

/** `certificate`: encrypted from the first byte. */
export async function startMailServer(certificate?: { key: Buffer; cert: Buffer }): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    ...(certificate ? { ...certificate, secure: true } : {}),
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'user' && password === 'right' ? done(null, { user: username }) : done(failure(535)),
    onMailFrom: (_address, _session, done) => done(state.mood === 'refuse sender' ? failure(553) : null),
    onData(stream, session, done) {
      state.attempts++
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (state.mood === 'later') return done(failure(451))
        if (state.mood === 'refuse') return done(failure(554))
        const source = Buffer.concat(chunks).toString()
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom ? mailFrom.address : ''
        mails.push({ from, to: rcptTo.map(({ address }) => address), source, ...parsed(source) })
        if (state.mood === 'hang up') return hangUp()
        done()
      })
    },
  })
  server.on('error', () => {})
  const hangUp = () => {
    for (const connection of server.connections as Set<{ _socket?: Socket }>) connection._socket?.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as { port: number }
  const state: MailServer = {
    url: `${certificate ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    mails,
    mood: 'take',
    attempts: 0,
    async mailTo(email, count = 1) {
      const found = () => mails.filter(({ to }) => to.includes(email))[count - 1]
      await until(() => found() !== undefined)
      return found()!
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return state
}

/** `.` is the end of the message; `CONNECT` is before the first line of the server. */
export type SmtpStage = 'CONNECT' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | '.'

const ANSWERS: readonly (readonly [command: string, answer: string])[] = [
  ['CONNECT', '220 test'],
  ['EHLO', '250-test\r\n250 8BITMIME'],
  ['DATA', '354 Go on'],
  ['QUIT', '221 Bye'],
]

/** Stops at a stage: it answers nothing, sends an answer line by line without end (`drip`), closes the connection, or sends this answer. With `pipelining` it takes several commands at once. */
export async function startTarpit(stage: SmtpStage, then: 'hang' | 'drip' | 'drop' | string, pipelining = false) {
  const message: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let rest = ''
    let isMessage = false
    const answer = (command: string) => {
      if (command !== stage) {
        const [, text = '250 OK'] = ANSWERS.find(([name]) => name === command) ?? []
        isMessage = command === 'DATA'
        socket.write(`${command === 'EHLO' && pipelining ? text.replace('8BITMIME', 'PIPELINING') : text}\r\n`)
      } else if (then === 'drop') socket.destroy()
      else if (then === 'drip') {
        const timer = setInterval(() => socket.write(`${command === 'CONNECT' ? 220 : 250}-more\r\n`), 20)
        socket.on('close', () => clearInterval(timer))
      } else if (then !== 'hang') socket.write(`${then}\r\n`)
    }
    answer('CONNECT')
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (isMessage && line !== '.') {
          message.push(line)
          continue
        }
        isMessage = false
        answer(line === '.' ? '.' : (line.split(' ')[0] ?? '').toUpperCase())
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `smtp://127.0.0.1:${port}`,
    /** The lines of the messages that came. */
    message,
    connections: () => [...sockets].filter(({ destroyed }) => !destroyed).length,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function parsed(source: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const end = source.indexOf('\r\n\r\n')
  const lines = source
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const [, part = ''] = /Content-Type: text\/plain[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(source) ?? []
  const text = /Content-Transfer-Encoding: base64/i.test(
    source.slice(0, source.indexOf(part)).split('text/plain')[1] ?? '',
  )
    ? Buffer.from(part, 'base64').toString()
    : quotedPrintable(part)
  return { headers, text }
}

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString()

/** The address of the link in a mail, without the origin. */
export const linkIn = ({ text }: ReceivedMail): string => {
  const [, path = ''] = /https?:\/\/[^/\s]+(\/link\?\S+)/.exec(text) ?? []
  return path
}
