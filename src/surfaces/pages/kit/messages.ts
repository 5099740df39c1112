// A message that one page sets for the next, in a cookie that is read once: this works without a script and across processes.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiePrefix } from '../../../kernel/cookies.ts'
import type { Service } from '../../http/service.ts'
import { prepareWriteAnswer } from '../../http/write-answers.ts'
import type { Flash } from './flash.ts'

type MessageSettings = Pick<Service, 'formSecret' | 'publicUrl' | 'log'>
export type PageMessage = { kind: NonNullable<Flash['kind']>; text: string }

/** Only for plain text without secrets, because the message passes through the browser. */
export function setMessage(service: MessageSettings, reply: FastifyReply, message: PageMessage): void {
  const content = Buffer.from(JSON.stringify(message)).toString('base64url')
  reply.header('set-cookie', cookie(service, `${content}.${sign(service, content)}`, 60))
}

/** Reads the message and deletes its cookie. */
export function readMessageOnce(
  service: MessageSettings,
  request: FastifyRequest,
  reply: FastifyReply,
): PageMessage | null {
  const value = cookieOf(request, cookieName(service))
  if (value === null) return null
  reply.header('set-cookie', cookie(service, '', 0))
  const [content = '', signature = ''] = value.split('.')
  const given = Buffer.from(signature)
  const expected = Buffer.from(sign(service, content))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  return JSON.parse(Buffer.from(content, 'base64url').toString())
}

/** Redirects to a page that shows the message. */
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

const isSecure = ({ publicUrl }: MessageSettings): boolean => publicUrl.startsWith('https:')
const cookieName = ({ publicUrl }: MessageSettings): string => `${cookiePrefix(publicUrl)}_message`
const cookie = (service: MessageSettings, value: string, seconds: number): string =>
  `${cookieName(service)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(service) ? '; Secure' : ''}`
const sign = ({ formSecret }: MessageSettings, content: string): string =>
  createHmac('sha256', formSecret).update(`message:${content}`).digest('base64url')

function cookieOf(request: FastifyRequest, name: string): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, ...value] = pair.trim().split('=')
    if (key === name) return value.join('=')
  }
  return null
}
