// Rows that the service never writes but that its columns allow, for every table. The tables are read from the database's own catalog, so
// that a new table or column is tried too. Most rows are copies of valid rows with a few corrupt columns: in a row that is all wrong, one
// column would hide what another can do.
import fc from 'fast-check'
import { HOSTILE_STRINGS } from '../hostile-strings.ts'
import type { TestService } from '../service.ts'

interface TableColumn {
  name: string
  type: string
  required: boolean
  /** The table and column that a foreign key refers to. */
  refers: { table: string; column: string } | null
  isUnique: boolean
}

export interface Table {
  name: string
  columns: TableColumn[]
  /** Valid rows, each value as text. */
  samples: Record<string, string | null>[]
}

// These record the applied migrations and the pepper of the keys. With wrong values the service must not start.
const OTHERS = ['__drizzle_migrations', 'key_settings']

export async function readTables(service: TestService): Promise<Table[]> {
  const rows = await service.sql(`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
      (select json_build_object('table', r.relname, 'column', ra.attname) from pg_constraint f
        join pg_class r on r.oid = f.confrelid join pg_attribute ra on ra.attrelid = r.oid and ra.attnum = f.confkey[1]
        where f.contype = 'f' and f.conrelid = c.oid and f.conkey[1] = a.attnum limit 1) as refers,
      exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = any(i.indkey)) as "isUnique"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname = 'public' and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    order by 1, a.attnum`)
  const tables: Table[] = []
  for (const [name, columns] of Map.groupBy(rows as (TableColumn & { table: string })[], ({ table }) => table)) {
    if (OTHERS.includes(name)) continue
    const texts = columns.map((column) => `"${column.name}"::text as "${column.name}"`)
    tables.push({ name, columns, samples: await service.sql(`select ${texts.join(', ')} from "${name}" limit 20`) })
  }
  return tables
}

/**
 * How to corrupt a row, with columns by index. The values are filled in when the row is written, because foreign keys are known only then.
 */
interface CorruptRow {
  table: number
  sample: number
  /** Every column is random. */
  isRandom: boolean
  corruptions: { column: number; value: number }[]
  /** Random numbers that choose among the possible values. */
  choices: number[]
}

export const corruptRow = (tables: readonly Table[]): fc.Arbitrary<CorruptRow> =>
  fc.record({
    // Tables that the service caches in memory are tried more often.
    table: fc.oneof(
      fc.nat(tables.length - 1),
      fc.constantFrom(...tables.flatMap(({ name }, i) => (IN_MEMORY.includes(name) ? [i] : []))),
    ),
    sample: fc.nat(1000),
    isRandom: fc.integer({ min: 1, max: 10 }).map((one) => one > 8),
    corruptions: fc.array(fc.record({ column: fc.nat(1000), value: fc.nat(1_000_000) }), {
      minLength: 1,
      maxLength: 3,
    }),
    choices: fc.array(fc.nat(1_000_000), { minLength: 60, maxLength: 60 }),
  })

const IN_MEMORY = ['tools', 'directories', 'categories', 'tags', 'directory_categories', 'keys', 'support_articles']

const LONG = 'long '.repeat(2_000)
const TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    'x',
    LONG,
    'a'.repeat(70_000),
    '\u202e',
    '\ufeff',
    '\t\r\n',
    '😀',
    'é',
    '\u0001',
    '../../x',
    '<b>',
    '"',
    "'",
  ],
  ...[
    'FREE',
    'free',
    'Paid',
    'premium',
    'hybrid',
    'DONE',
    'done',
    'pending',
    'admin',
    'human',
    'ADMIN',
    'rest',
    'null',
  ],
  ...[
    'https://x.example',
    'javascript:alert(1)',
    'http://[',
    'https://x.example/'.padEnd(3_000, 'y'),
    '//x',
    'ftp://x',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '2026-03-01',
    'infinity',
    'NaN',
    '1e999',
    '0',
    '-1',
    '{}',
    '[]',
    'not json',
  ],
  ...['a@b', '?","answer":"t@c.de', 'UPPER', 'with space', 'a/b', 'a?b', 'a#b', '%', '%2e%2e', 'top', '-', '.'],
  ...HOSTILE_STRINGS.filter((text) => text.isWellFormed() && !text.includes('\0')),
]

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
export const JSONS: readonly string[] = [
  ...[
    'null',
    'true',
    '0',
    '-1',
    '1e999',
    '""',
    '"text"',
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '[]',
    '{}',
    '[null]',
  ],
  ...['[[]]', '[{}]', '[1]', '["a"]', '["a", null, 1]', '[{"question":"q"}]', '[{"question":1,"answer":2}]', '{"a":1}'],
  ...[
    '{"a":null}',
    '{"a":{}}',
    '{"a":["b"]}',
    '{"__proto__":"x"}',
    '{"__proto__":null}',
    '{"constructor":{"prototype":1}}',
  ],
  ...[
    '{"toString":"x","hasOwnProperty":1}',
    '{"":""}',
    '{"a":"b","a":"c"}',
    '{"\\ud800":"x"}',
    '{"question":"q","answer":"a"}',
  ],
  ...[
    '[{"part":1}]',
    '[{"part":"page","outcome":"x","note":null}]',
    '{"text":1,"code":null}',
    '{"text":"t"}',
    deep(60),
    deep(400),
  ],
  ...[
    '{"length":5}',
    '{"0":"a","1":"b","length":2}',
    '[{"articleId":1}]',
    '{"name":{},"email":[],"id":1e999}',
    '{"toolId":7}',
  ],
  `[${Array(3_000).fill('"x"').join(',')}]`,
  `[${Array(3_000).fill('null').join(',')}]`,
  JSON.stringify('long '.repeat(20_000)),
  JSON.stringify({ a: 'x'.repeat(50_000) }),
]

const ARRAYS: readonly string[] = [
  ...['{}', '{NULL}', '{"",NULL,x}', '{{a,b},{c,d}}', '{{{a}}}', '[2:3]={a,b}', '{api,api,api}', '{writing,NULL}'],
  ...['{"with space","a\\"b","{"}', `{${Array(3_000).fill('x').join(',')}}`, '{__proto__,constructor}', '{red}'],
]

export const VALUES: Record<string, readonly string[]> = {
  text: TEXTS,
  'text[]': ARRAYS,
  json: JSONS,
  jsonb: JSONS,
  boolean: ['true', 'false'],
  bytea: ['', '\\x00', '\\xff7f80', `\\x${'81'.repeat(5_000)}`],
  smallint: ['0', '-1', '1', '32767', '-32768', '999'],
  real: ['NaN', 'Infinity', '-Infinity', '-0', '1e38', '-1', '0.1'],
  integer: ['0', '-1', '1', '2147483647', '-2147483648', '201', '99999'],
  bigint: ['0', '-1', '1', '9223372036854775807', '-9223372036854775808', '9007199254740993'],
  'double precision': ['NaN', 'Infinity', '-Infinity', '-0', '5e-324', '1e308', '-1e308', '-1', '101', '0.1'],
  'timestamp with time zone': [
    ...['infinity', '-infinity', '0001-01-01 00:00:00+00 BC', '4713-01-01 00:00:00+00 BC', '0001-01-01', '0044-03-15'],
    ...[
      '9999-12-31 23:59:59+00',
      '10000-01-01',
      '294276-12-31',
      '1970-01-01',
      '1969-12-31',
      'now',
      '2100-01-01',
      'epoch',
    ],
  ],
  date: [
    'infinity',
    '-infinity',
    '0001-01-01 BC',
    '4713-01-01 BC',
    '5874897-12-31',
    '0001-01-01',
    'today',
    '1969-12-31',
  ],
  xid8: ['1', '18446744073709551615'],
}

export interface Written {
  table: string
  values: Record<string, string | null>
}

/** Writes rows and remembers the values that later rows may refer to. */
export function createRowWriter(service: () => TestService, tables: readonly Table[]) {
  const known = new Map<string, string[]>()
  const note = (table: string, values: Record<string, string | null>) => {
    for (const [column, value] of Object.entries(values)) {
      if (value === null) continue
      const key = `${table}.${column}`
      const list = known.get(key) ?? []
      if (list.length < 400) list.push(value)
      known.set(key, list)
    }
  }
  for (const { name, samples } of tables) for (const sample of samples) note(name, sample)
  let serial = 0

  return async (corrupt: CorruptRow): Promise<Written | null> => {
    const table = tables[corrupt.table]!
    const sample = table.samples[corrupt.sample % Math.max(1, table.samples.length)]
    const isRandom = corrupt.isRandom || sample === undefined
    const wrong = new Map(corrupt.corruptions.map(({ column, value }) => [column % table.columns.length, value]))
    const number = ++serial
    const values: Record<string, string | null> = {}
    for (const [i, column] of table.columns.entries()) {
      const choice = corrupt.choices[i % corrupt.choices.length]!
      const corruptValue = wrong.get(i) ?? (isRandom ? choice : undefined)
      values[column.name] = columnValue(column, sample?.[column.name] ?? null, corruptValue, choice, number, known)
    }
    const names = table.columns.map(({ name }) => `"${name}"`)
    const literals = table.columns.map(({ name, type }) => literal(values[name]!, type))
    try {
      const made = await service().sql(
        `insert into "${table.name}" (${names.join(', ')}) overriding system value values (${literals.join(', ')})
         on conflict do nothing returning 1`,
      )
      if (made.length === 0) return null
    } catch (error) {
      // A type or a constraint of the column refuses the value.
      if (/^(22|23)/.test(String(((error as Error).cause as { code?: string })?.code))) return null
      throw error
    }
    note(table.name, values)
    return { table: table.name, values }
  }
}

function columnValue(
  { name, type, required, refers, isUnique }: TableColumn,
  sound: string | null,
  corruptValue: number | undefined,
  choice: number,
  number: number,
  known: ReadonlyMap<string, string[]>,
): string | null {
  if (refers) {
    const there = known.get(`${refers.table}.${refers.column}`) ?? []
    if (there.length === 0 || (!required && sound === null)) return null
    return there[choice % there.length]!
  }
  const values = VALUES[type]
  if (!values) throw new Error(`What is there to write into ${name}, which is ${type}?`)
  if (corruptValue !== undefined && !required && corruptValue % 5 === 0) return null
  const value = corruptValue === undefined ? sound : values[corruptValue % values.length]!
  if (!isUnique || type === 'date' || value === null) return value
  if (type === 'bigint') return String(7_000_000 + number)
  if (type !== 'text') return value
  // A unique value: mostly in a form that a path can have, sometimes anything.
  return corruptValue !== undefined && corruptValue % 2 === 0 ? `${value.slice(0, 300)}${number}` : `row-${number}`
}

const literal = (value: string | null, type: string): string =>
  value === null ? 'null' : `'${value.replaceAll("'", "''")}'::${type}`
