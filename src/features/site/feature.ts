// What operators set for their own site: its name, texts, colour, logo, links and collections.
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
