// Reading and searching the catalog: tools, directories, categories and tags. Operators write it in features/listings.
import { BROKEN_KINDS, type BrokenRows } from '../../kernel/checks/broken-rows.ts'
import type { Feature, LoadedRows } from '../../kernel/feature.ts'
import type { MetricSource } from '../../kernel/interfaces/metrics.ts'
import { createCatalogFile } from './memory/catalog-file.ts'
import { type Catalog, createCatalog } from './memory/snapshot.ts'
import { catalogOperations } from './operations.ts'
import { type RowKind, rowProblem } from './rules.ts'
import { exampleOperations, getSearchLearning } from './site/examples.operations.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    CATALOG_FILE: 'on' | 'off'
  }
}

const loadedRows = (kind: RowKind, select: string): LoadedRows => ({
  kind,
  select,
  problem: (row) => rowProblem(kind, row),
})

export const catalogFeature = {
  operations: catalogOperations,
  operatorOperations: [...exampleOperations, getSearchLearning],
  personalData: {
    keptAtDeletion: [
      {
        table: 'tools',
        reason: 'What the catalog publishes about a product. Change or delete the listing.',
        countedAtDeletion: true,
      },
      { table: 'directories', reason: 'What the catalog publishes about a directory.', countedAtDeletion: true },
      { table: 'categories', reason: 'A name that the operator gave.' },
      { table: 'tags', reason: 'A name that the operator or a partner gave.', countedAtDeletion: true },
      { table: 'directory_categories', reason: 'A name that the operator gave.' },
    ],
  },
  loadedRows: [
    loadedRows('tool', 'select * from tools where published'),
    loadedRows('directory', 'select * from directories where published'),
    loadedRows('category', 'select *, slug as id from categories'),
    loadedRows('tag', 'select *, slug as id from tags'),
    loadedRows('directoryCategory', 'select *, slug as id from directory_categories'),
  ],
  create(parts) {
    const { settings, servesRequests, catalogPath: path, times, isReady } = parts
    const { brokenRows, learned } = parts.shared
    const keepsFile = settings.CATALOG_FILE === 'on' && servesRequests
    const file = keepsFile ? createCatalogFile({ ...parts, path, checkMs: times.catalogFileMs }) : null
    const catalog = createCatalog({ ...parts, brokenRows, learned, file, isStarting: () => !isReady() })
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
