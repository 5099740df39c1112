// An order as founders and operators see it.
import { packageOf } from '../../submissions/rules.ts'
import { moneyText } from '../rules.ts'
import type { OrderWithWork } from './queries.ts'

export const shownOrder = ({ order, tool, submission, submittedCount }: OrderWithWork) => {
  const { id, state, paymentType, amount, currency, refundedAmount, disputed, createdAt, paidAt } = order
  const inWords = (value: number | null) => (value === null || !currency ? null : moneyText(value, currency))
  return {
    ...{ id, state, paymentType, tool, disputed, submittedCount, createdAt, paidAt },
    price: inWords(amount),
    refunded: refundedAmount > 0 ? inWords(refundedAmount) : null,
    submissionState: submission?.state ?? null,
    targetDirectoriesCount: packageOf(paymentType).targetDirectoriesCount,
  }
}
