// What waits for an administrator: counts for the home page and the menu of the console.
import type { Feature } from '../../kernel/feature.ts'
import { getMenuCounts, getOverview, listBrokenRows } from './operations.ts'

export const overviewFeature = { operatorOperations: [getOverview, getMenuCounts, listBrokenRows] } satisfies Feature
