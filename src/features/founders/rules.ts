/** The values of FOUNDERS: listings of founders wait for an administrator, are public at once unless suspicious, or are not taken. */
export const FOUNDER_MODES = ['review', 'open', 'off'] as const
export type FounderMode = (typeof FOUNDER_MODES)[number]
