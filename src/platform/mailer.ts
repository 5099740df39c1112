// Sends mail through an SMTP server with nodemailer, which the first mail loads: a service that sends none does not load it.
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { SMTPTransportOptions } from 'nodemailer/lib/smtp-transport'
import { MailAway, type Mailer, MailRefused, type OutgoingMail } from '../kernel/interfaces/mailer.ts'
import { limitReads } from './outbound/connect.ts'

/** Limits a whole attempt, so that it ends before its job does. TIMEOUTS do not end it while the server sends a byte now and then. */
const ATTEMPT_MS = 60_000
/** Far more than a server sends in one attempt, with its certificates. */
const MOST_BYTES = 256 * 1024
const WATCH_MS = 50
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** null when no server is set. */
export const openMailer = (url: string | undefined, attemptMs = ATTEMPT_MS): Mailer | null =>
  url ? createMailer(url, attemptMs) : null

function createMailer(url: string, attemptMs: number): Mailer {
  const options: SMTPTransportOptions = {
    url,
    ...TIMEOUTS,
    // A password is sent only through an encrypted connection, except to this machine. `?requireTLS=false` in the address wins.
    requireTLS: mustEncrypt(url),
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  type Transport = ReturnType<typeof import('nodemailer').createTransport>
  async function attempt<T>(work: (transport: Transport) => Promise<T>): Promise<T> {
    const { createTransport } = await import('nodemailer')
    const socket = new Socket()
    // After STARTTLS nodemailer listens only to the encrypted connection; an error of this socket without a listener would end the process.
    socket.on('error', () => {})
    const tooLate = Object.assign(new Error('the time for an attempt is over'), { code: 'ETIMEDOUT' })
    const timer = setTimeout(() => socket.destroy(tooLate), attemptMs)
    // nodemailer keeps every line that the server sends, and reads an encrypted connection without `socket.read`, so `watch` counts too.
    limitReads(socket, MOST_BYTES)
    const watch = setInterval(() => {
      if (socket.bytesRead > MOST_BYTES) socket.destroy(new Error('the mail server says too much'))
    }, WATCH_MS)
    try {
      return await work(createTransport({ ...options, socket }))
    } finally {
      clearTimeout(timer)
      clearInterval(watch)
      socket.destroy()
    }
  }
  return {
    async send(mail) {
      let handedOver = false
      try {
        const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
        const bytes = await new MailComposer(fieldsOf(mail)).compile().build()
        const message = Readable.from(
          (function* () {
            handedOver = true
            yield bytes
          })(),
        )
        await attempt((transport) => {
          // nodemailer reads this stream only after the server has answered DATA, so until then `handedOver` is false and the server has
          // nothing of the message. It would read a stream given as `raw` at once.
          transport.use('stream', ({ message: compiled }, done) => {
            compiled.createReadStream = () => message
            done()
          })
          return transport.sendMail({ envelope: { from: mail.from.address, to: [mail.to] }, raw: bytes })
        })
      } catch (error) {
        throw translated(error as SmtpError, handedOver)
      }
    },
    async probe() {
      await attempt((transport) => transport.verify())
    },
  }
}

const LOCAL = /^(localhost|127\.[\d.]+|\[::1\])$/

function mustEncrypt(given: string): boolean {
  const { username, hostname, searchParams } = new URL(given)
  const wanted = searchParams.get('requireTLS')
  return wanted === null ? username !== '' && !LOCAL.test(hostname) : wanted === 'true'
}

/** Names and addresses are passed as fields and not as text, so none of them can add a header or a recipient. */
const fieldsOf = ({ id, from, replyTo, to, subject, text, html }: OutgoingMail) => ({
  messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
  from,
  ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
  to: { name: '', address: to },
  subject,
  text,
  html,
  // Programs that answer mails automatically do not answer these (RFC 3834).
  headers: { 'Auto-Submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
})

interface SmtpError extends Error {
  code?: string
  responseCode?: number
  command?: string
}

/** nodemailer's codes of errors about this one mail; all other errors are about the server or the connection. */
const ABOUT_THE_MAIL: readonly (string | undefined)[] = ['EENVELOPE', 'EMESSAGE']

function translated({ code, responseCode, command }: SmtpError, handedOver: boolean): Error {
  const isAboutTheMail = ABOUT_THE_MAIL.includes(code)
  // The server's words may contain the address of the recipient, so only the numbers are kept.
  const numbers = [code, responseCode].filter(Boolean).join(' ') || 'no reason given'
  const says = isAboutTheMail && responseCode ? `${numbers} after ${command}` : numbers
  const isRefusal = responseCode === undefined ? isAboutTheMail : responseCode >= 500
  if (isRefusal && (isAboutTheMail || handedOver)) return new MailRefused(`The mail server refuses the mail: ${says}.`)
  if (responseCode && (isAboutTheMail || handedOver))
    return new MailAway(`The mail server asks to be tried later: ${says}.`)
  if (!handedOver) return new MailAway(`The mail server cannot be used: ${says}.`)
  return new Error(`It is not known whether the mail server took the mail: ${says}.`)
}
