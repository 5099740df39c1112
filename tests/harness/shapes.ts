// Fields and types copied from SPEC.md by hand, so that a test also notices a field that is missing in a schema.
import { Compile, type Validator } from 'typebox/compile'
import { expect } from 'vitest'
import { restOperations } from '../../src/features.ts'
import { ERROR_CODES } from '../../src/kernel/errors.ts'
import type { Operation } from '../../src/kernel/operation.ts'
import { envelope as envelopeSchema } from '../../src/kernel/output.ts'

type Kind = keyof typeof KINDS
export type Shape = Record<string, Kind>

const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isString = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
const has = (value: unknown, ...names: string[]) =>
  isObject(value) && Object.keys(value).sort().join() === names.sort().join() && Object.values(value).every(isString)
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value)
const listOf = (is: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(is)
const isTime = (value: unknown) => isString(value) && ISO_8601.test(value as string)
const isNamed = (value: unknown) => has(value, 'slug', 'name')

const KINDS = {
  string: isString,
  number: isNumber,
  boolean: (value: unknown) => typeof value === 'boolean',
  time: isTime,
  'string or null': orNull(isString),
  'number or null': orNull(isNumber),
  'time or null': orNull(isTime),
  'named or null': orNull(isNamed),
  'list of named': listOf(isNamed),
  'list of string': listOf(isString),
  'list of questions': listOf((value) => has(value, 'question', 'answer')),
  'map of string': (value: unknown) => isObject(value) && Object.values(value).every(isString),
  'deal or null': orNull((value) => has(value, 'text', 'code')),
  pricing: (value: unknown) => ['FREE', 'FREEMIUM', 'PAID'].includes(value as string),
  cost: (value: unknown) => ['Free', 'Paid', 'Freemium'].includes(value as string),
}

export const TOOL: Shape = {
  id: 'string',
  slug: 'string',
  name: 'string',
  tagline: 'string',
  description: 'string',
  url: 'string',
  website: 'string',
  category: 'named or null',
  tags: 'list of named',
  pricing: 'pricing',
  rating: 'number',
  opens: 'number',
  featured: 'boolean',
  icon: 'string or null',
  frame: 'string or null',
  founderName: 'string or null',
  location: 'string or null',
  domainRating: 'number or null',
  isForSale: 'boolean',
  askingPrice: 'number',
  discountCode: 'string',
  affiliate: 'boolean',
  createdAt: 'time or null',
  updatedAt: 'time or null',
}

export const TOOL_EXTRAS: Shape = {
  screenshots: 'list of string',
  video: 'string or null',
  socials: 'map of string',
  faqs: 'list of questions',
  features: 'map of string',
  affiliateLink: 'string or null',
}

export const CATEGORY: Shape = {
  slug: 'string',
  name: 'string',
  description: 'string',
  icon: 'string',
  toolsCount: 'number',
}

const TAG: Shape = { slug: 'string', name: 'string', toolsCount: 'number' }

export const DIRECTORY: Shape = {
  id: 'string',
  slug: 'string',
  name: 'string',
  url: 'string',
  website: 'string',
  icon: 'string or null',
  cost: 'cost',
  type: 'string',
  domainRating: 'number or null',
  monthlyVisits: 'number or null',
  requiresBadge: 'boolean',
  minimumPrice: 'number',
  submissionExperience: 'string or null',
  featured: 'boolean',
  categories: 'list of named',
  smallDescription: 'string or null',
  createdAt: 'time',
  updatedAt: 'time',
}

export const DIRECTORY_EXTRAS: Shape = {
  fullDescription: 'string or null',
  features: 'list of string',
  useCases: 'list of string',
  faq: 'list of questions',
  deal: 'deal or null',
  frame: 'string or null',
  socials: 'map of string',
}

const DIRECTORY_CATEGORY: Shape = { slug: 'string', name: 'string' }

const ANSWERS: Record<string, { item: Shape; list: boolean; paged?: boolean }> = {
  search_tools: { item: TOOL, list: true, paged: true },
  get_top_tools: { item: TOOL, list: true },
  get_tool: { item: { ...TOOL, ...TOOL_EXTRAS }, list: false },
  list_categories: { item: CATEGORY, list: true },
  list_tags: { item: TAG, list: true },
  search_directories: { item: DIRECTORY, list: true, paged: true },
  get_directory: { item: { ...DIRECTORY, ...DIRECTORY_EXTRAS }, list: false },
  list_directory_categories: { item: DIRECTORY_CATEGORY, list: true },
}

export function expectShape(item: Record<string, unknown>, shape: Shape): void {
  expect(Object.keys(item).sort()).toEqual(Object.keys(shape).sort())
  for (const [field, kind] of Object.entries(shape))
    expect(KINDS[kind](item[field]), `${field} is ${JSON.stringify(item[field])} and not ${kind}`).toBe(true)
}

/** The envelope of a success has exactly the fields of the specification, and `data` has those that the operation declares. */
export function expectEnvelope(name: string, body: any): void {
  const { item, list, paged = false } = ANSWERS[name]!
  expect(Object.keys(body).sort()).toEqual(['data', ...(paged ? ['pagination'] : []), 'success'])
  expect(body.success).toBe(true)
  expect(Array.isArray(body.data)).toBe(list)
  for (const entry of list ? body.data : [body.data]) expectShape(entry, item)
  if (paged) expectPagination(body.pagination)
  const validator = validatorOf(restOperations.find((operation) => operation.name === name)!)
  expect([...validator.Errors(body)]).toEqual([])
}

function expectPagination(pagination: Record<string, number>): void {
  expect(Object.keys(pagination).sort()).toEqual(['limit', 'page', 'pages', 'total'])
  for (const value of Object.values(pagination)) expect(Number.isInteger(value)).toBe(true)
  const { page, limit, total, pages } = pagination as { page: number; limit: number; total: number; pages: number }
  expect(page).toBeGreaterThanOrEqual(1)
  expect(limit).toBeGreaterThanOrEqual(1)
  expect(pages).toBe(total === 0 ? 0 : Math.ceil(total / limit))
}

/** Failure body: { success: false, error: <message string>, code }, and where fields are wrong what is wrong with each. */
export function expectFailure(body: any): string {
  const { fields, ...rest } = body
  expect(rest).toEqual({ success: false, error: expect.any(String), code: expect.any(String) })
  expect(Object.keys(ERROR_CODES)).toContain(rest.code)
  for (const one of fields ?? []) expect(one).toEqual({ field: expect.any(String), problem: expect.any(String) })
  expect(body.error).not.toBe('')
  return body.error
}

const validators = new WeakMap<Operation, Validator>()
export function validatorOf(operation: Operation): Validator {
  let validator = validators.get(operation)
  if (!validator) {
    validator = Compile(envelopeSchema(operation)) as unknown as Validator
    validators.set(operation, validator)
  }
  return validator
}
