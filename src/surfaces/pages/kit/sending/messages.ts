// A message that one request leaves for the next page, such as "Saved." after a form. It is in a signed cookie that is read once, so it
// works without a script and with several processes.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiePrefix } from '../../../../kernel/addresses/cookie-names.ts'
import { prepareWriteAnswer } from '../../../http/answers/write-answers.ts'
import type { Service } from '../../../http/service.ts'
import type { Flash } from '../components.ts'

type MessageSettings = Pick<Service, 'formSecret' | 'publicUrl' | 'log'>
export type PageMessage = { kind: NonNullable<Flash['kind']>; text: string }

/** Sets the message for the next page. It must contain no secret, because the browser stores it; the cookie lasts 60 seconds. */
export function setMessage(service: MessageSettings, reply: FastifyReply, message: PageMessage): void {
  const content = Buffer.from(JSON.stringify(message)).toString('base64url')
  reply.header('set-cookie', cookie(service, `${content}.${sign(service, content)}`, 60))
}

/** Reads the message and deletes its cookie; null if there is none, or if its signature is wrong. */
export function readMessageOnce(
  service: MessageSettings,
  request: FastifyRequest,
  reply: FastifyReply,
): PageMessage | null {
  const value = parseCookie(request.headers.cookie ?? '')[cookieName(service)]
  if (value === undefined) return null
  reply.header('set-cookie', cookie(service, '', 0))
  const [content = '', signature = ''] = value.split('.')
  const given = Buffer.from(signature)
  const expected = Buffer.from(sign(service, content))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  return JSON.parse(Buffer.from(content, 'base64url').toString())
}

/** Redirects to a page, which shows the message. */
export function redirectWith(
  service: MessageSettings,
  reply: FastifyReply,
  path: string,
  message: PageMessage | null = null,
): FastifyReply {
  if (message) setMessage(service, reply, message)
  prepareWriteAnswer(service, reply)
  return reply.code(303).header('location', path).send()
}

const cookieName = ({ publicUrl }: MessageSettings): string => `${cookiePrefix(publicUrl)}_message`
const cookie = (service: MessageSettings, value: string, maxAge: number): string =>
  stringifySetCookie({
    name: cookieName(service),
    value,
    path: '/',
    maxAge,
    httpOnly: true,
    sameSite: 'lax',
    secure: service.publicUrl.startsWith('https:'),
  })
const sign = ({ formSecret }: MessageSettings, content: string): string =>
  createHmac('sha256', formSecret).update(`message:${content}`).digest('base64url')
