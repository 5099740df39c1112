// The packages of directory work. This file has no imports, because the settings name the packages too.

/** `target`: how many directories the package promises. */
export const PACKAGES = {
  starter: { target: 30, label: 'Starter (30+ directories)' },
  pro: { target: 60, label: 'Pro (60+ directories)' },
  premium: { target: 100, label: 'Premium (100+ directories)' },
} as const
export type PaymentType = keyof typeof PACKAGES
export const PAYMENT_TYPES = Object.keys(PACKAGES) as [PaymentType, ...PaymentType[]]
