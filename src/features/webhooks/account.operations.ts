// Deliveries to a partner, for the users who work for it.
import { Type } from 'typebox'
import { pageOperation } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/paging.ts'
import { partnerOfCaller } from '../partners/account.operations.ts'
import { listDeliveries } from './queries.ts'
import { deliveryFilters, deliverySchema } from './schema.ts'

const { clientId: _, test: __, ...fields } = deliverySchema.properties

export const listOwnDeliveries = pageOperation({
  name: 'list_own_deliveries',
  summary: "Deliveries to the user's partner",
  access: 'account',
  parameters: Type.Object({ state: deliveryFilters.state, ...listPage }),
  data: Type.Array(Type.Object(fields, { description: 'An attempt to deliver an event.' })),
  run: async (ctx, input) => {
    const partner = await partnerOfCaller(ctx)
    return {
      data: await listDeliveries(ctx.db, { client: partner.id, state: input.state }, input.limit, offsetOf(input)),
    }
  },
})

export const ownDeliveryOperations = [listOwnDeliveries]
