// One request to an operation, as fast-check makes and shrinks it, and the bytes that are sent for it.
import fc from 'fast-check'
import type { DescribedOperation, Parameter, Schema } from './document.ts'
import { encode } from './encode.ts'
import { anything, invalidValue, isPlaceholder, nearlyValid, strangeText, validValue } from './values.ts'

export interface Case {
  path: Record<string, Written>
  query: [name: string, value: Written][]
  headers: [name: string, value: unknown][]
  key: { who: string; how: KeyForm }
  body: { json: unknown } | { text: string } | null
  /** null: no Content-Type. */
  type: string | null
}

interface Written {
  value: unknown
  /** Bytes at the end of the path that are no valid percent-encoding. */
  tail: string
}

const KEY_FORMS = ['bearer', 'x-api-key', 'BEARER  ', 'both', 'differing', 'twice', 'basic', 'query'] as const
type KeyForm = (typeof KEY_FORMS)[number]

export interface Request {
  method: string
  path: string
  /** Name, value, name, value …: a header may appear twice. */
  headers: string[]
  body: string | null
}

const TAILS = ['%', '%zz', '%c3%28', '%00', '%ff', '%ed%a0%80', '%e0%a4%a', '%2', '%u0041']
const tail = fc.oneof({ weight: 20, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom(...TAILS) })
const written = (value: fc.Arbitrary<unknown>, ending = tail): fc.Arbitrary<Written> =>
  fc.record({ value, tail: ending })

/** `who`: the names of the keys; those that fit are chosen more often. */
export function caseOf(operation: DescribedOperation, who: { fitting: string[]; all: string[] }): fc.Arbitrary<Case> {
  const key = fc.record({
    who: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...who.fitting) },
      { weight: 1, arbitrary: fc.constantFrom(...who.all) },
    ),
    how: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom<KeyForm>('bearer', 'x-api-key') },
      { weight: 1, arbitrary: fc.constantFrom(...KEY_FORMS) },
    ),
  })
  const rest = { key, body: bodyOf(operation), type: typeOf(operation) }
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ ...parametersOf(operation, 'valid'), ...rest }) },
    { weight: 3, arbitrary: fc.record({ ...parametersOf(operation, 'nearly'), ...rest }) },
    { weight: 2, arbitrary: fc.record({ ...parametersOf(operation, 'garbage'), ...rest }) },
  )
}

type Validity = 'valid' | 'nearly' | 'garbage'

function parametersOf(operation: DescribedOperation, validity: Validity) {
  const inside = (where: Parameter['in']) => operation.parameters.filter((one) => one.in === where)
  const value = ({ schema, name }: Parameter) =>
    validity === 'garbage'
      ? strangeText
      : validity === 'valid'
        ? validValue(schema, name)
        : fc.oneof(validValue(schema, name), invalidValue(schema, name))
  const noTail = validity === 'valid' ? fc.constant('') : tail
  const pairs = inside('query').map((one) =>
    fc.tuple(validity === 'valid' ? fc.constant(one.name) : spelling(one.name), written(value(one), noTail)),
  )
  const unknownPair = fc.tuple(strangeText, written(strangeText, noTail))
  const given = pairs.length > 0 ? fc.oneof(...pairs, ...(validity === 'garbage' ? [unknownPair] : [])) : unknownPair
  return {
    path: fc.record(Object.fromEntries(inside('path').map((one) => [one.name, written(value(one), noTail)]))),
    // A name may appear twice: an array in the query.
    query: validity === 'valid' ? fc.oneof(once(given, 1), once(given, 4)) : fc.array(given, { maxLength: 6 }),
    headers: fc.array(
      fc.oneof(...inside('header').map((one) => fc.tuple(fc.constant(one.name), value(one))), strangeHeader),
      {
        maxLength: 2,
      },
    ),
  }
}

const once = (given: fc.Arbitrary<[string, Written]>, maxLength: number) =>
  fc.uniqueArray(given, { maxLength, selector: ([name]) => name })

const spelling = (name: string) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(name) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(`${name}[]`, `${name}[a]`, `${name}.length`, name.toUpperCase(), '__proto__'),
    },
  )

const strangeHeader = fc.constantFrom<[string, string][]>(
  ['If-None-Match', '*'],
  ['If-None-Match', '"x", W/"y"'],
  ['Accept', 'text/html'],
  ['Accept', ';;q=x'],
  ['Accept-Encoding', 'zip, br;q=2'],
  ['Origin', 'https://evil.example'],
  ['X-Forwarded-For', '"<\u00ff>, 10.0.0.1'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Content-Encoding', 'gzip'],
  ['Expect-CT', '\u00ff\u0080'],
  ['Cookie', '__Host-x=%; =;;; a=b=c'],
  ['Range', 'bytes=5-1'],
)

function bodyOf({ body }: DescribedOperation): fc.Arbitrary<Case['body']> {
  if (!body)
    return fc.oneof(
      { weight: 30, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: anything.map((json) => ({ json })) },
    )
  const json = (value: fc.Arbitrary<unknown>) => value.map((one) => ({ json: one }))
  return fc.oneof(
    { weight: 10, arbitrary: json(validValue(body)) },
    { weight: 8, arbitrary: json(nearlyValid(body)) },
    { weight: 3, arbitrary: json(garbled(body)) },
    { weight: 1, arbitrary: fc.constantFrom(...BROKEN_JSON).map((text) => ({ text })) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
}

const garbled = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof(
    anything,
    fc.dictionary(fc.constantFrom('__proto__', 'constructor', ...Object.keys(schema.properties ?? {})), anything),
  )

const BROKEN_JSON = [
  ...[
    '',
    ' ',
    '{',
    '{"name":',
    '[1,',
    '"',
    'nul',
    'NaN',
    '{"a":1}{"b":2}',
    "{'a':1}",
    '{"a":01}',
    '\ufeff{}',
    '\0',
    '{"a":"\u0001"}',
  ],
  ...[
    '{"name":1e400}',
    '{"name":-0}',
    '{"question":"x","question":{"a":1}}',
    '{"__proto__":{"name":"x"},"constructor":{"prototype":{}}}',
  ],
  `{"question":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
  `{"metadata":${'{"a":'.repeat(500)}1${'}'.repeat(500)},"question":"x"}`,
  `{"description":"${'x'.repeat(270_000)}"}`,
]

const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
  'application/json; charset=utf-16',
  'application/JSON;x',
  'application/jsonp',
  'json',
  '/',
  ';',
]

const typeOf = ({ body }: DescribedOperation): fc.Arbitrary<string | null> =>
  fc.oneof(
    { weight: body ? 30 : 1, arbitrary: fc.constant('application/json') },
    { weight: body ? 1 : 10, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...TYPES) },
  )

/** The request for a case. `look` returns the value for a placeholder. */
export function requestOf(
  operation: DescribedOperation,
  { path, query, headers, key, body, type }: Case,
  keys: Readonly<Record<string, string | null>>,
  look: (name: string, number: number) => string,
): Request {
  const whole = (value: unknown) => filled(value, look)
  const text = ({ value, tail }: Written) => encoded(textOf(whole(value))) + tail
  const address = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => text(path[name]!))
  const secret = keys[key.who] ?? null
  const parts = query.map(([name, value]) => `${encoded(name)}=${text(value)}`)
  if (secret !== null && key.how === 'query') parts.push(`key=${encode(secret)}&api_key=${encode(secret)}`)
  const sent = headers.flatMap(([name, value]) => [name, headerText(whole(value))])
  if (secret !== null) sent.push(...credentials(secret, key.how))
  if (type !== null) sent.push('Content-Type', type)
  const payload = body === null ? null : 'text' in body ? body.text : (JSON.stringify(whole(body.json)) ?? '')
  return {
    method: operation.method,
    path: parts.length > 0 ? `${address}?${parts.join('&')}` : address,
    headers: sent,
    body: payload,
  }
}

const filled = (value: unknown, look: (name: string, number: number) => string): unknown => {
  if (isPlaceholder(value)) return look(value.known, value.number)
  if (Array.isArray(value)) return value.map((item) => filled(item, look))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item, look)]))
}

const textOf = (value: unknown): string => (typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value))

// The header section of a request must stay within what Node reads.
const MOST = 1000

function encoded(text: string): string {
  for (let short = text; ; short = short.slice(0, short.length / 2)) {
    const code = encode(short)
    if (code.length <= MOST) return code
  }
}

/** Keeps the characters that a header may have. */
const headerText = (value: unknown): string =>
  textOf(value)
    .slice(0, MOST / 2)
    .replace(/[^\x20-\x7e\x80-\xff]/g, '?')

function credentials(secret: string, how: KeyForm): string[] {
  const bearer = ['Authorization', `Bearer ${secret}`]
  if (how === 'x-api-key') return ['X-API-Key', secret]
  if (how === 'both') return [...bearer, 'X-API-Key', secret]
  if (how === 'differing') return [...bearer, 'X-API-Key', `${secret}x`]
  if (how === 'twice') return [...bearer, ...bearer]
  if (how === 'basic') return ['Authorization', `Basic ${secret}`]
  if (how === 'query') return []
  return how === 'bearer' ? bearer : ['Authorization', `${how}${secret}`]
}
