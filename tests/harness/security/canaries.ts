// Puts something recognisable into every private column of what belongs to one partner and its people, and says what to look for.
import type { TestService } from '../service.ts'
import { CLASSES, type Class } from './columns.ts'

export interface Canary {
  column: string
  kind: Exclude<Class, 'public' | 'reference' | 'word'>
  /** Any of these gives it away. */
  texts: string[]
}

interface Column {
  table: string
  name: string
  type: string
}

export const columnsOf = (service: TestService): Promise<Column[]> =>
  service.sql(
    `select table_name as table, column_name as name, data_type as type from information_schema.columns
     where table_schema = 'public' order by 1, 2`,
  ) as Promise<Column[]>

/** The rows that get canaries, by table. */
export type Owned = Readonly<Record<string, string>>

/** What the API left empty, and every time and number, is filled in; then whatever stands in a private column is a canary. */
export async function plant(service: TestService, owned: Owned): Promise<Canary[]> {
  const canaries: Canary[] = []
  // The token's own name is a word that many pages say; with the name of an administrator the column can be recognised.
  await service.sql(`update keys set policy_vouched_by = null where policy_vouched_by = 'operator'`)
  for (const { table, name, type } of await columnsOf(service)) {
    const column = `${table}.${name}`
    const kind = CLASSES.get(column)
    if (!kind || kind === 'public' || kind === 'reference' || kind === 'word') continue
    const where = owned[table]
    if (where === undefined) throw new Error(`Which rows of ${table} get canaries?`)
    const read = async () =>
      (
        await service.sql(`select ${name}::text as value from ${table} where (${where}) and ${name} is not null`)
      ).flatMap(({ value }) => textsOf(value, type))
    let texts = await read()
    if (texts.length === 0) {
      const planted = plantedValue(column, type, canaries.length)
      await service.sql(`update ${table} set ${name} = ${planted} where (${where}) and ${onlyIf(name)}`)
      texts = await read()
    }
    if (texts.length === 0) throw new Error(`There is no canary in ${column}.`)
    canaries.push({ column, kind, texts: [...new Set(texts)] })
  }
  return canaries
}

const isTime = (type: string) => type.startsWith('timestamp') || type === 'date'
const isNumber = (type: string) => type === 'integer' || type === 'bigint'

/** A day and a number of its own for each column. */
const dayOf = (number: number) => new Date(Date.UTC(2031, 0, 1 + number)).toISOString().slice(0, 10)
const numberOf = (number: number) => 71_300_000 + number

function plantedValue(column: string, type: string, number: number): string {
  if (isTime(type)) return `'${dayOf(number)}T03:04:05.678Z'`
  return isNumber(type) ? String(numberOf(number)) : `'zq${column.replaceAll(/\W|_/g, '')}'`
}

// A key that works must go on working.
const onlyIf = (name: string): string => (name === 'revoked_at' ? 'revoked_at is not null' : 'true')

function textsOf(value: string, type: string): string[] {
  if (isTime(type)) return value.startsWith('2031') ? [value.slice(0, 10)] : []
  if (isNumber(type)) return Number(value) > 1e6 ? [value, Number(value).toLocaleString('en')] : []
  const marked = value.match(/zq[a-z0-9]+/g)
  if (marked) return marked
  // Where it stands in a page or in JSON, only letters and digits stay what they are.
  const plain = value.match(/[\w-]{8,}/g)?.sort((a, b) => b.length - a.length)[0]
  return plain ? [plain] : []
}

/** Which canaries stand in a text that only others may see. */
export function foundIn(text: string, canaries: readonly Canary[]): string[] {
  const plain = `${text}\n${unescaped(text)}`.toLowerCase()
  return canaries
    .filter(({ texts }) => texts.some((one) => plain.includes(one.toLowerCase())))
    .map(({ column, texts }) => `${column} (${texts[0]})`)
}

function unescaped(text: string): string {
  const entities = text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
  return entities.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
