import { randomBytes } from 'node:crypto'

/** The limits of plans as operators see them. */
export const planTermsOf = ({ planBudget, planBadges }: { planBudget: number; planBadges: boolean }) => ({
  budget: planBudget,
  badges: planBadges,
})

export const NEW_PARTNER_TERMS = { planBudget: 0, planBadges: true }

/** A change of the limits as columns. */
export const planColumns = <B, G>({ budget, badges }: { budget?: B; badges?: G } = {}) => ({
  ...(budget === undefined ? {} : { planBudget: budget }),
  ...(badges === undefined ? {} : { planBadges: badges }),
})

/** A signing secret, in the form that Standard Webhooks prescribes. */
export const generateSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`
