// A message that one page leaves for the next, in a cookie that is read once: it works without a script and in every process.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiePrefix } from '../../../kernel/cookies.ts'
import type { Service } from '../../http/service.ts'
import { prepareWriteAnswer } from '../../http/write-answers.ts'
import type { Flash } from './flash.ts'

type Signing = Pick<Service, 'formSecret' | 'publicUrl' | 'log'>
export type Message = { kind: NonNullable<Flash['kind']>; text: string }

/** Plain text and never a secret: it passes through the browser. */
export function leaveMessage(service: Signing, reply: FastifyReply, message: Message): void {
  const content = Buffer.from(JSON.stringify(message)).toString('base64url')
  reply.header('set-cookie', cookie(service, `${content}.${sign(service, content)}`, 60))
}

/** The message that was left, which is gone with this. */
export function takeMessage(service: Signing, request: FastifyRequest, reply: FastifyReply): Message | null {
  const value = cookieOf(request, cookieName(service))
  if (value === null) return null
  reply.header('set-cookie', cookie(service, '', 0))
  const [content = '', signature = ''] = value.split('.')
  const given = Buffer.from(signature)
  const expected = Buffer.from(sign(service, content))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  return JSON.parse(Buffer.from(content, 'base64url').toString())
}

/** Says it on the page that comes next. */
export function redirectWith(
  service: Signing,
  reply: FastifyReply,
  path: string,
  message: Message | null = null,
): FastifyReply {
  if (message) leaveMessage(service, reply, message)
  prepareWriteAnswer(service, reply)
  return reply.code(303).header('location', path).send()
}

const isSecure = ({ publicUrl }: Signing): boolean => publicUrl.startsWith('https:')
const cookieName = ({ publicUrl }: Signing): string => `${cookiePrefix(publicUrl)}_message`
const cookie = (service: Signing, value: string, seconds: number): string =>
  `${cookieName(service)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(service) ? '; Secure' : ''}`
const sign = ({ formSecret }: Signing, content: string): string =>
  createHmac('sha256', formSecret).update(`message:${content}`).digest('base64url')

function cookieOf(request: FastifyRequest, name: string): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, ...value] = pair.trim().split('=')
    if (key === name) return value.join('=')
  }
  return null
}
