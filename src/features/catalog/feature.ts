import type { Feature } from '../../kernel/feature.ts'
import { createCatalogFile } from './catalog-file.ts'
import { catalogMetrics } from './metrics.ts'
import { catalogOperations } from './operations.ts'
import { createCatalog } from './snapshot.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    CATALOG_FILE: 'on' | 'off'
  }
}

export const catalog = {
  operations: catalogOperations,
  create(parts) {
    const { settings, servesRequests, catalogPath: path, times, isReady } = parts
    const { brokenRows } = parts.shared
    const keepsFile = settings.CATALOG_FILE === 'on' && servesRequests
    const file = keepsFile ? createCatalogFile({ ...parts, path, checkMs: times.catalogFileMs }) : null
    const catalog = createCatalog({ ...parts, brokenRows, file, isHidden: () => !isReady() })
    return { context: { catalog }, views: [catalog], metrics: catalogMetrics(catalog, brokenRows) }
  },
} satisfies Feature
