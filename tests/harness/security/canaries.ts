// Puts a recognisable value (a canary) into every private column of the rows of one partner and its user, and lists what to search for.
import type { TestService } from '../service.ts'
import { CLASSES, type Class } from './columns.ts'

export interface Canary {
  column: string
  kind: Exclude<Class, 'public' | 'reference' | 'word'>
  /** Any of these texts gives the value away. */
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

/** The rows that get canaries: an SQL condition by table. */
export type OwnedRows = Readonly<Record<string, string>>

/**
 * Fills the columns that the API left empty, and every time and number, with recognisable values. Then every value of a private column is a
 * canary.
 */
export async function plantCanaries(service: TestService, owned: OwnedRows): Promise<Canary[]> {
  const canaries: Canary[] = []
  // The value `operator` is a word of many pages; with the name of an administrator the column can be recognised.
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

/** Each column gets its own day and its own number; days that rows are written with are in the year before. */
const dayOf = (number: number) => new Date(Date.UTC(2032, 0, 1 + number)).toISOString().slice(0, 10)
const numberOf = (number: number) => 71_300_000 + number

function plantedValue(column: string, type: string, number: number): string {
  if (isTime(type)) return `'${dayOf(number)}T03:04:05.678Z'`
  return isNumber(type) ? String(numberOf(number)) : `'zq${column.replaceAll(/\W|_/g, '')}'`
}

// A valid key must stay valid.
const onlyIf = (name: string): string => (name === 'revoked_at' ? 'revoked_at is not null' : 'true')

function textsOf(value: string, type: string): string[] {
  if (isTime(type)) return /^203[12]/.test(value) ? [value.slice(0, 10)] : []
  if (isNumber(type)) return Number(value) > 1e6 ? [value, Number(value).toLocaleString('en')] : []
  // The bytes as text, and as an answer could write them.
  if (type === 'bytea') {
    const bytes = Buffer.from(value.slice(2), 'hex')
    return [bytes.toString(), bytes.toString('hex'), bytes.toString('base64url'), bytes.join()]
  }
  // Not in the middle of a random text.
  const marked = value.match(/(?<![A-Za-z0-9_-])zq[a-z0-9]{3,}/g)
  if (marked) return marked
  // Pages and JSON escape other characters, so only letters, digits, `_` and `-` are searched for.
  const plain = value.match(/[\w-]{8,}/g)?.sort((a, b) => b.length - a.length)[0]
  return plain ? [plain] : []
}

/** The canaries that appear in a text. */
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
