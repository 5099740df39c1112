// The shapes of subscriptions and plans: what operators see of all, and what users see of their own.
import { Type } from 'typebox'
import { SUBSCRIPTION_STATUSES } from '../../kernel/interfaces/payments.ts'
import { booleanType, nullable, objectType, oneOf, stringType, timestamp, titledObject } from '../../kernel/schema.ts'
import { plan } from '../accounts/schema.ts'

const status = oneOf(SUBSCRIPTION_STATUSES, 'The state of the subscription at the payment service.', 'active')

const subscriptionFields = {
  id: stringType('Identifier of the subscription at the payment service.', 'sub_1PgafTB7WZ01zgkW'),
  status,
  since: nullable(timestamp('When its first invoice was paid; null while none is.')),
  paidUntil: nullable(timestamp('The end of the last period that is paid.')),
  endsAt: nullable(timestamp('When it ends or ended; null while it goes on.')),
  premiumUntil: nullable(timestamp('Until when it gives Premium, as far as is known now; null when it does not.')),
  failing: booleanType('Whether payments fail at present.', false),
}

export const subscriptionSchema = titledObject('Subscription', 'A subscription to the paid plan.', {
  ...subscriptionFields,
  userId: nullable(
    stringType('Identifier of the user; null after the account was deleted.', '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'),
  ),
  owner: nullable(stringType('E-mail address of the user.', 'ada@example.com')),
  customerId: stringType('Identifier of the customer at the payment service.', 'cus_QXg1o8vcGmoR32'),
  priceId: stringType('Identifier of the price at the payment service.', 'price_1PgafmB7WZ01zgkW'),
  url: nullable(
    stringType(
      'The page of the customer at the payment service; null when the paid plan is not set up.',
      'https://dashboard.stripe.com/customers/cus_QXg1o8vcGmoR32',
    ),
  ),
  comparedAt: nullable(timestamp('When it was last compared with the payment service.')),
})

export const subscriptionFilters = {
  user: Type.Optional(stringType('Only those of this user.', '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10')),
  paying: Type.Optional(booleanType('Only those that give Premium at present, or with false only others.', true)),
}

export const ownPlanSchema = objectType('The plan of the signed-in user.', {
  plan,
  grantedPlan: { ...plan, description: 'The plan that an administrator granted.' },
  paidPlan: { ...plan, description: 'The plan that the user pays for.' },
  price: nullable(stringType('The price in words; null while it cannot be read.', '$9 a month')),
  subscriptions: Type.Array(Type.Object(subscriptionFields, { description: 'A subscription of the user.' }), {
    description: 'The subscriptions of the user, those that end last first.',
  }),
  canManage: booleanType('Whether the user has a subscription to manage at the payment service.', true),
})

export const addressSchema = objectType('An address at the payment service.', {
  url: stringType('Where the browser is sent.', 'https://checkout.stripe.com/c/pay/cs_test_1'),
})
