// What the metrics say of the service besides its requests.
import type { Catalog } from './features/catalog/snapshot.ts'
import { SHOWN_STATE } from './features/webhooks/queries.ts'
import { BROKEN_KINDS, type BrokenRows } from './kernel/broken-rows.ts'
import type { Figure, Value } from './kernel/metrics.ts'

// Whoever asks every few seconds must not keep the database busy.
const KEPT_MS = 5_000

type Store = { query(statement: string): Promise<{ rows: unknown[] }> }

export function figuresOf({
  store,
  catalog,
  brokenRows,
}: {
  store: Store
  catalog: Catalog
  brokenRows: BrokenRows
}): Figure[] {
  const counted = (statement: string, labels: readonly string[]) => {
    let kept: { at: number; values: Value[] } = { at: Number.NEGATIVE_INFINITY, values: [] }
    return async (): Promise<Value[]> => {
      if (performance.now() - kept.at < KEPT_MS) return kept.values
      const { rows } = await store.query(statement).catch(() => ({ rows: [] as unknown[] }))
      const values = (rows as Record<string, unknown>[]).map((row) => ({
        value: Number(row.value),
        labels: Object.fromEntries(labels.map((label) => [label, String(row[label])])),
      }))
      kept = { at: performance.now(), values }
      return values
    }
  }
  return [
    {
      name: 'catalog_listings',
      help: 'Published listings in memory.',
      labels: ['kind'],
      together: 'max',
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
      help: 'Since the catalog in memory last changed, or was last found to be as the database has it.',
      together: 'max',
      read: () => [{ value: (Date.now() - catalog.changedAt()) / 1000 }],
    },
    {
      name: 'catalog_broken_rows',
      help: 'Stored rows that are not as they must be and are left out, by kind.',
      labels: ['kind'],
      together: 'max',
      read: () => {
        const rows = brokenRows.list()
        return BROKEN_KINDS.map((kind) => ({ value: rows.filter((row) => row.kind === kind).length, labels: { kind } }))
      },
    },
    {
      name: 'catalog_database_up',
      help: '1 while the database answers.',
      together: 'min',
      read: async () => [
        {
          value: await store.query('select 1').then(
            () => 1,
            () => 0,
          ),
        },
      ],
    },
    {
      name: 'catalog_jobs',
      help: 'Background jobs by queue and state.',
      labels: ['queue', 'state'],
      together: 'max',
      read: counted('select name as queue, state, count(*) as value from jobs.job group by 1, 2', ['queue', 'state']),
    },
    {
      name: 'catalog_webhook_deliveries',
      help: 'Deliveries of events by state.',
      labels: ['state'],
      together: 'max',
      read: counted(`select ${SHOWN_STATE} as state, count(*) as value from webhook_deliveries group by 1`, ['state']),
    },
    {
      name: 'catalog_support_conversations',
      help: 'Support conversations by status.',
      labels: ['status'],
      together: 'max',
      read: counted('select status, count(*) as value from support_conversations group by 1', ['status']),
    },
  ]
}
