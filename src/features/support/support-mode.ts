import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import type { SupportMode } from '../partners/schema.ts'
import { findSupportMode } from './queries.ts'

/** Who answers the questions of the partner; a 404 when there is no such partner. */
export async function supportModeOf(ctx: Pick<Context, 'db'>, partnerId: string): Promise<SupportMode> {
  const mode = await findSupportMode(ctx.db, partnerId)
  if (mode === undefined) throw notFound('Partner')
  return mode
}
