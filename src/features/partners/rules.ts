import { randomBytes } from 'node:crypto'

/** A signing secret, in the form that Standard Webhooks prescribes. */
export const generateSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`
