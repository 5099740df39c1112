import type { Feature } from '../../kernel/feature.ts'
import { collectionOperations } from './collections.operations.ts'
import { createCurrentSite } from './current-site.ts'
import { siteOperations } from './operations.ts'

export const siteFeature = {
  operatorOperations: [...siteOperations, ...collectionOperations],
  create(parts) {
    const site = createCurrentSite(parts)
    return { context: { site }, views: [site] }
  },
} satisfies Feature
