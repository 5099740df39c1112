// Bodies and parameters at their greatest accepted size, made from the schemas that the operations declare: a new field needs no edit here.
import { Compile } from 'typebox/compile'
import type { Content } from './contents.ts'
import type { Schema } from './fuzz/document.ts'

/** What one collection holds: as many entries as are allowed, or as few as the bytes allow with entries of the greatest length. */
export type Shape = 'many' | 'long'

const BLANK = /^\s*$/
const fits = new Map<number, (text: string) => boolean>()

/** Whether the validator counts at most so many characters in the text; some characters have several UTF-16 units. */
function isWithin(text: string, maxLength: number): boolean {
  let check = fits.get(maxLength)
  if (!check) {
    const validator = Compile({ type: 'string', maxLength } as never)
    fits.set(maxLength, (check = (given) => validator.Check(given)))
  }
  return check(text)
}

/** The longest text of this content that a field of `maxLength` characters takes: up to two UTF-16 units a character. */
export function greatestText(content: Content, maxLength: number, from = 0): string {
  const twice = content.text(2 * maxLength, from)
  const text = isWithin(twice, maxLength) ? twice : content.text(maxLength, from)
  const trimmed = text.trim()
  return BLANK.test(trimmed) ? 'x' : trimmed
}

/** Addresses are the base and the content in the path, cut to the length that is allowed after encoding. */
export function address(base: string, content: Content, maxLength: number, from = 0): string {
  const encoded = encodeURI(content.text(maxLength, from).replace(/\s/g, '+'))
  const cut = `${base}/${encoded.replaceAll('?', '%3F').replaceAll('#', '%23')}`.slice(0, maxLength)
  return cut.replace(/%.?$/, '')
}

export interface Maker {
  content: Content
  shape: Shape
  /** Where addresses lead. */
  site: string
  /** A number that no other call has. */
  serial: number
  /** What all fields together may take in JSON. */
  bytes: number
}

const typeOf = ({ type }: Schema): string =>
  Array.isArray(type) ? type.find((one: string) => one !== 'null') : (type as string)

const firstExample = (schema: Schema): unknown => schema.examples?.[0]
const isAddress = (schema: Schema, name: string): boolean =>
  /^https?:/.test(String([firstExample(schema)].flat()[0] ?? '')) || /(?:Url|website|href)$/.test(name)

/** Whether a text of any content may be put in. */
const isFree = (schema: Schema): boolean =>
  typeOf(schema) === 'string' && !schema.enum && schema.const === undefined && schema.format === undefined

/** Websites and pictures are fetched, so they are on the site of the test; other addresses are beside that of the example. */
function baseOf(schema: Schema, name: string, unique: string, site: string): string {
  const example = String([firstExample(schema)].flat()[0] ?? '')
  if (name === 'website') return `${site}/page/${unique}`
  return /\.(?:png|webp)$/.test(example) || !example.startsWith('http') ? `${site}/picture/${unique}` : example
}

/** One text for a field, in the form that its pattern asks for. */
function textFor(schema: Schema, name: string, maker: Maker, length: number, from = 0): string {
  const { content, site, serial } = maker
  const most = Math.max(1, Math.min(length, schema.maxLength ?? 200))
  if (isAddress(schema, name)) return address(baseOf(schema, name, `${serial}-${from}`, site), content, most, from)
  const free = greatestText(content, most, from)
  const { pattern } = schema
  if (!pattern || new RegExp(pattern, 'u').test(free)) return free
  const ascii = content.text(400, from).replace(/[^A-Za-z0-9]/g, '') || 'a'
  const candidates = [
    encodeURIComponent(free).slice(0, most).replace(/%.?$/, ''),
    `${ascii.slice(0, 60)}@${'a.'.repeat(Math.max(0, Math.floor((Math.min(most, 254) - 66) / 2)))}example`,
    `${serial}-${ascii.toLowerCase().replace(/(.)/g, '$1-')}x`.slice(0, most).replace(/-$/, ''),
    `${serial}${ascii.toLowerCase()}`.slice(0, most),
  ]
  return candidates.find((one) => new RegExp(pattern).test(one)) ?? String(firstExample(schema) ?? free)
}

/** Bytes that a unit of the content takes in JSON. */
function bytesPerUnit({ text }: Content): number {
  const sample = text(1_000)
  return Buffer.byteLength(JSON.stringify(sample)) / sample.length
}

function leaves(schema: Schema): number {
  const type = typeOf(schema)
  if (type === 'array') return leaves(schema.items)
  if (schema.properties) return Object.values<Schema>(schema.properties).reduce((sum, part) => sum + leaves(part), 0)
  return 1
}

/** A list or a map that takes `bytes` in JSON. */
function collection(schema: Schema, name: string, maker: Maker, room: number): unknown {
  const isList = typeOf(schema) === 'array'
  const isFreeJson = schema.additionalProperties === true
  const part: Schema = isList ? schema.items : isFreeJson ? FREE_JSON : schema.additionalProperties
  const bytes = isFreeJson ? Math.min(room, FREE_JSON.maxLength) : room
  const most: number = (isList ? schema.maxItems : schema.maxProperties) ?? 100
  const nameLength: number = isList ? 0 : (schema.propertyNames?.maxLength ?? 100)
  const example = [firstExample(schema)].flat()[0]
  const shown: Schema = {
    ...part,
    examples: part.examples ?? [isList ? example : Object.values(example ?? {})[0]],
  }
  const parts = leaves(part)
  const longest: number = Math.max(1, ...lengthsOf(part))
  const per = bytesPerUnit(maker.content)
  const count =
    maker.shape === 'many'
      ? most
      : Math.max(1, Math.min(most, Math.floor(bytes / (per * (longest * parts + nameLength)))))
  const length = Math.max(1, Math.min(longest, Math.floor((bytes / count / per - nameLength - 8) / parts)))
  const items = Array.from({ length: count }, (_, i) =>
    valueFor(shown, name, maker, { length, from: i * 400, number: i }),
  )
  if (isList) return items
  const short = Math.min(nameLength, maker.shape === 'many' ? 40 : nameLength)
  return Object.fromEntries(
    items.map((item, i) => [`${i} ${greatestText(maker.content, Math.max(1, short - 8), i)}`.trim(), item]),
  )
}

/** An object of any JSON may take 16 KiB. */
const FREE_JSON = { type: 'string', maxLength: 15_000 }

const lengthsOf = (schema: Schema): number[] =>
  schema.properties
    ? Object.values<Schema>(schema.properties).flatMap(lengthsOf)
    : [schema.maxLength ?? (typeOf(schema) === 'string' ? 200 : 1)]

interface Room {
  length: number
  from: number
  number: number
}

function valueFor(schema: Schema, name: string, maker: Maker, room: Room): unknown {
  if (schema.properties)
    return Object.fromEntries(
      Object.entries<Schema>(schema.properties).map(([part, one]) => [part, valueFor(one, part, maker, room)]),
    )
  if (!isFree(schema)) return schema.enum?.[0] ?? firstExample(schema) ?? null
  const text = textFor(schema, name, maker, room.length, room.from)
  // Entries of a list differ, because equal ones may count once.
  return isAddress(schema, name) || schema.pattern
    ? text
    : `${room.number} ${text}`.slice(0, Math.max(room.length, 4)).trim()
}

const isMap = (schema: Schema): boolean =>
  typeOf(schema) === 'object' && !schema.properties && Boolean(schema.additionalProperties)
const isCollection = (schema: Schema): boolean => typeOf(schema) === 'array' || isMap(schema)

/** The declared form of a body: of several, the first. */
export const chosen = (schema: Schema): Schema => schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema

export interface TextField {
  name: string
  isCollection: boolean
  isAddress: boolean
}

/** The fields of a body that a caller writes texts into, and whether one of them is a list or a map. */
export function textFields(schema: Schema): TextField[] {
  return Object.entries<Schema>(chosen(schema).properties ?? {}).flatMap(([name, declared]): TextField[] => {
    const part = chosen(declared)
    if (isCollection(part)) {
      const inner: Schema = part.items ?? part.additionalProperties
      return inner.enum || inner === null ? [] : [{ name, isCollection: true, isAddress: isAddress(part, name) }]
    }
    const isText = part.properties ? textFields(part).length > 0 : isFree(part)
    return isText ? [{ name, isCollection: false, isAddress: isAddress(part, name) }] : []
  })
}

/** The greatest value of each of the given fields; together they fit into one body. */
export function greatestFields(schema: Schema, names: readonly string[], maker: Maker): Record<string, unknown> {
  const declared = (name: string): Schema => chosen(chosen(schema).properties[name])
  const lists = names.filter((name) => isCollection(declared(name)))
  for (let scale = 1; ; scale *= 0.8) {
    const single = names.filter((name) => !lists.includes(name))
    const made = Object.fromEntries(single.map((name) => [name, singleOf(declared(name), name, maker, scale)]))
    const left = maker.bytes - 1_024 - Buffer.byteLength(JSON.stringify(made))
    for (const name of lists)
      made[name] = collection(declared(name), name, maker, Math.max(100, (scale * left) / lists.length))
    if (Buffer.byteLength(JSON.stringify(made)) <= maker.bytes) return made
  }
}

function singleOf(schema: Schema, name: string, maker: Maker, scale: number): unknown {
  if (!schema.properties) return textFor(schema, name, maker, Math.ceil((schema.maxLength ?? 200) * scale))
  const own = new Set(textFields(schema).map((field) => field.name))
  return Object.fromEntries(
    Object.entries<Schema>(schema.properties).map(([part, declared]) => [
      part,
      own.has(part) ? singleOf(chosen(declared), part, maker, scale) : (firstExample(declared) ?? null),
    ]),
  )
}
