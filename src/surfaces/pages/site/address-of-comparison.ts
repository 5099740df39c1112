export const COMPARE = '/compare'
export const MOST_COMPARED_TOOLS = 4

export const compareAddress = (slugs: readonly string[]): string => `${COMPARE}?tools=${slugs.join(',')}`
