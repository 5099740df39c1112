import { Type } from 'typebox'
import {
  booleanType,
  integerType,
  nullable,
  nullableObject,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../../kernel/schema.ts'
import { founder, namedTool } from '../../founders/claims/schema.ts'
import { planSchema } from '../../plan/schema.ts'
import { PAYMENT_TYPES } from '../../submissions/rules.ts'
import { statusSchema, submissionState } from '../../submissions/schema.ts'
import { ownThreadSchema } from '../../support/inbox/inbox.schema.ts'
import { ORDER_STATES } from './rules.ts'

export const ORDER_ID = '01a2f0de-b1c2-7e4f-9a63-5c3d1e8f4b33'

const text = (description: string, example: string) => stringType(description, example)
export const paymentType = oneOf(PAYMENT_TYPES, 'The package.', 'pro')
const orderFields = {
  id: text('Identifier of the order.', ORDER_ID),
  state: oneOf(
    ORDER_STATES,
    'open: it may be paid; processing: the payment is on its way; paid; refunded: the whole amount was given back; closed: it was not paid.',
    'paid',
  ),
  paymentType,
  tool: nullableObject(namedTool, 'The listing; null after it was deleted.'),
  price: nullable(text('What was paid, in words; null until it is.', '$179')),
  refunded: nullable(text('How much of it was given back, in words; null for nothing.', '$20')),
  disputed: booleanType('Whether the payment was disputed at the bank.', false),
  submissionState,
  submittedCount: integerType('Directories that the tool was entered into.', 12),
  targetDirectoriesCount: integerType('Directories that the package promises.', 60),
  createdAt: timestamp('When it was ordered.'),
  paidAt: nullable(timestamp('When the payment was first seen.')),
}

export const orderSchema = titledObject('Order', 'A package that a founder ordered.', {
  ...orderFields,
  waiting: booleanType(
    'Whether it is paid and its work has not begun. Without a submission none will begin: give the money back.',
    true,
  ),
  user: nullableObject(founder, 'The founder; null after the account was deleted.'),
  submissionId: nullable(text('Identifier of the submission; null when there is none.', '5b1d0c8e-0d4e-4f59-8c3b')),
  customerId: nullable(text('Identifier of the customer at the payment service.', 'cus_QXg1o8vcGmoR32')),
  paymentId: nullable(text('Identifier of the payment there; null until it is paid.', 'pi_3PgafTB7WZ01zgkW')),
  url: nullable(
    text(
      'The page of the customer at the payment service; null when payments are not set up.',
      'https://dashboard.stripe.com/customers/cus_QXg1o8vcGmoR32',
    ),
  ),
})

export const orderFilters = {
  state: Type.Optional({ ...orderFields.state, description: 'Only orders in this state.' }),
  waiting: Type.Optional(
    booleanType(
      'Only those that are paid and whose work has not begun, the oldest first; with false only others.',
      true,
    ),
  ),
}

export const ownOrderSchema = Type.Object(orderFields, { description: 'An order of the signed-in founder.' })

export const ownWorkSchema = objectType('An order of the signed-in founder, with its work.', {
  ...orderFields,
  work: nullableObject(
    Type.Object({ ...statusSchema.properties, plan: planSchema }, { description: 'The work.' }),
    'The work and its plan; null until the order is paid, and after it was withdrawn.',
  ),
  questions: nullableObject(ownThreadSchema, 'What was asked about the order; null for nothing.'),
  answersQuestions: booleanType('Whether this service answers questions about orders once they are paid.', true),
  mayAsk: booleanType(
    'Whether the founder may ask about this order now: it was paid, and questions are answered.',
    true,
  ),
})

export const listingWorkSchema = Type.Object({
  order: nullableObject(
    Type.Object(
      {
        ...orderFields,
        work: nullableObject(statusSchema, 'The work; null until the order is paid, and after it was withdrawn.'),
      },
      { description: 'The order.' },
    ),
    'The latest order of the founder for the listing; null for none.',
  ),
  mayOrder: booleanType('Whether a package can be ordered for it and no order waits for its payment.', false),
})

export const orderChoicesSchema = Type.Object({
  packages: Type.Array(
    Type.Object({
      name: paymentType,
      label: text('The package in words.', 'Pro (60+ directories)'),
      targetDirectoriesCount: orderFields.targetDirectoriesCount,
      price: nullable(text('The price in words; null while it cannot be read.', '$179')),
    }),
    { description: 'The packages that are sold.' },
  ),
  products: Type.Array(
    Type.Object({
      ...namedTool.properties,
      problem: nullable(text('Why no package can be ordered for it; null when one can.', 'The work is not done yet.')),
    }),
    { description: 'The products of the founder, and whether a package can be ordered for each.' },
  ),
})
