// The partner that the signed-in user works for.
import type { FastifyRequest } from 'fastify'
import { getAccount } from '../../../features/keys/account.operations.ts'
import { forbidden } from '../../../kernel/errors.ts'
import type { Service } from '../../http/service.ts'
import { performAs } from '../kit/private-pages.ts'
import type { OwnPartner } from './partner.ts'

/** Throws a 403 for a user who works for none. */
export async function ownPartnerOf(service: Service, request: FastifyRequest): Promise<OwnPartner> {
  const { partner } = await performAs(service, request, getAccount, {})
  if (!partner) throw forbidden('This is for the people of a partner.')
  return partner
}
