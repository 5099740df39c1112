// What operators set for their own site: its name, texts, colour, logo, links and collections.
import type { Feature } from '../../kernel/feature.ts'
import { createCurrentSite } from './current-site.ts'
import { collectionOperations, siteOperations } from './operations.ts'

export const siteFeature = {
  operatorOperations: [...siteOperations, ...collectionOperations],
  personalData: {
    keptAtDeletion: [
      { table: 'collections', reason: 'Lists of products that the operator publishes.', countedAtDeletion: true },
      {
        table: 'site',
        reason: 'What the operator publishes about the service, such as its contact.',
        countedAtDeletion: true,
      },
    ],
  },
  create(parts) {
    const site = createCurrentSite(parts)
    return { context: { site }, views: [site] }
  },
} satisfies Feature
