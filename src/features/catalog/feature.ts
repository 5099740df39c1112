import { BROKEN_KINDS, type BrokenRows } from '../../kernel/broken-rows.ts'
import type { Feature } from '../../kernel/feature.ts'
import type { MetricSource } from '../../kernel/metrics.ts'
import { createCatalogFile } from './catalog-file.ts'
import { exampleOperations } from './examples.operations.ts'
import { catalogOperations } from './operations.ts'
import { type Catalog, createCatalog } from './snapshot.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    CATALOG_FILE: 'on' | 'off'
  }
}

export const catalogFeature = {
  operations: catalogOperations,
  operatorOperations: exampleOperations,
  create(parts) {
    const { settings, servesRequests, catalogPath: path, times, isReady } = parts
    const { brokenRows } = parts.shared
    const keepsFile = settings.CATALOG_FILE === 'on' && servesRequests
    const file = keepsFile ? createCatalogFile({ ...parts, path, checkMs: times.catalogFileMs }) : null
    const catalog = createCatalog({ ...parts, brokenRows, file, isStarting: () => !isReady() })
    return { context: { catalog }, views: [catalog], metrics: catalogMetrics(catalog, brokenRows) }
  },
} satisfies Feature

const catalogMetrics = (catalog: Catalog, brokenRows: BrokenRows): MetricSource[] => [
  {
    name: 'catalog_listings',
    help: 'Published listings in memory.',
    labels: ['kind'],
    combine: 'max',
    read: () => {
      if (!catalog.isReady()) return []
      const { tools, directories } = catalog.snapshot()
      return [
        { value: tools.index.size, labels: { kind: 'tool' } },
        { value: directories.index.size, labels: { kind: 'directory' } },
      ]
    },
  },
  {
    name: 'catalog_snapshot_age_seconds',
    help: 'Seconds since the catalog in memory last changed or was last found equal to the database.',
    combine: 'max',
    read: () => [{ value: (Date.now() - catalog.changedAt()) / 1000 }],
  },
  {
    name: 'catalog_broken_rows',
    help: 'Stored rows that are invalid and therefore left out, by kind.',
    labels: ['kind'],
    combine: 'max',
    read: () => {
      const rows = brokenRows.list()
      return BROKEN_KINDS.map((kind) => ({ value: rows.filter((row) => row.kind === kind).length, labels: { kind } }))
    },
  },
]
