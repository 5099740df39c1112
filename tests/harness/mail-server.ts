// A real SMTP server on loopback that keeps what it gets, and can refuse, fail or hang up.
import type { Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string[]
  /** The whole message as it came. */
  source: string
  headers: Map<string, string>
  /** The plain text, decoded. */
  text: string
}

export interface MailServer {
  url: string
  mails: ReceivedMail[]
  /** What the server does with the next messages: takes them, asks to be tried later, refuses them, or hangs up after it has taken them. */
  mood: 'take' | 'later' | 'refuse' | 'hang up'
  /** How many messages were begun. */
  attempts: number
  /** Waits for a mail to this address. */
  mailTo(email: string, count?: number): Promise<ReceivedMail>
  close(): Promise<void>
}

const failure = (responseCode: number) => Object.assign(new Error('Not now'), { responseCode })

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'user' && password === 'right' ? done(null, { user: username }) : done(failure(535)),
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
    url: `smtp://127.0.0.1:${port}`,
    mails,
    mood: 'take',
    attempts: 0,
    async mailTo(email, count = 1) {
      const until = Date.now() + 10_000
      for (;;) {
        const found = mails.filter(({ to }) => to.includes(email))[count - 1]
        if (found) return found
        if (Date.now() > until) throw new Error(`no mail to ${email}; there are ${mails.length}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return state
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
