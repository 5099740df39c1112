// /.well-known/security.txt (RFC 9116): where to report a vulnerability. It is made for each request, because it says when it expires.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasPage } from '../../../../features/site/rules.ts'
import type { SiteFields } from '../../../../features/site/schema.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { DAY_MS, dayOf } from '../../../../kernel/values/days.ts'
import type { Service } from '../../../http/service.ts'
import { publicBody, sendPublic } from '../../kit/sending/answers.ts'

export const SECURITY_TXT = '/.well-known/security.txt'

// The RFC asks for less than a year.
const VALID_DAYS = 180

/** Null when the operator has named no contact. */
export function securityTxt(site: SiteFields, publicUrl: string, now: Date): string | null {
  const contacts = [
    ...(site.contactEmail ? [`mailto:${encodeURI(site.contactEmail)}`] : []),
    ...(hasPage(site, 'contact') ? [`${publicUrl}/contact`] : []),
  ]
  if (contacts.length === 0) return null
  const expires = `${dayOf(now.getTime() + VALID_DAYS * DAY_MS)}T00:00:00.000Z`
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}${SECURITY_TXT}`,
  ]
  return `${lines.join('\n')}\n`
}

export const sendSecurityTxt = (service: Service) => async (request: FastifyRequest, reply: FastifyReply) => {
  const text = securityTxt(service.site.fields(), service.publicUrl, new Date())
  if (text === null) throw notFound('A contact for this service')
  return sendPublic(request, reply, 'text/plain; charset=utf-8', publicBody(Buffer.from(text)))
}
