import type { Feature } from '../../kernel/feature.ts'
import { getOverview, getWaiting, listBrokenRows } from './operations.ts'

export const overviewFeature = { operatorOperations: [getOverview, getWaiting, listBrokenRows] } satisfies Feature
