import type { Feature } from '../../kernel/feature.ts'
import { benchListOperations } from './bench.operations.ts'
import { planOperations } from './operations.ts'

export const planFeature = { operatorOperations: [...planOperations, ...benchListOperations] } satisfies Feature
