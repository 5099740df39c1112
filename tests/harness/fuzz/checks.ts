// What must hold for every answer, whatever the request was.
import { trimmed } from '../../../src/kernel/values/text.ts'
import { type DeclaredAnswer, type DescribedOperation, operationAt } from './document.ts'
import type { Answer } from './fuzzer.ts'
import type { Request } from './requests.ts'

/** What is wrong with an answer according to the OpenAPI document; null when nothing is. */
export function problemOf(described: readonly DescribedOperation[], request: Request, answer: Answer): string | null {
  if (answer.status >= 500) return `answered ${answer.status}: ${answer.text.slice(0, 300)}`
  const operation = operationAt(described, request.method, request.path)
  // An incomplete percent-escape or a surplus slash: the address is of no operation. The type of a body is looked at before.
  if (!operation)
    return [400, 401, 404, 405, 415].includes(answer.status) ? null : `an unknown address answered ${answer.status}`
  const promised = operation.answers.get(answer.status)
  if (!promised)
    return `answered ${answer.status}, which ${operation.name} does not document: ${answer.text.slice(0, 300)}`
  return headerProblem(promised, answer) ?? bodyProblem(promised, answer, fieldsOf(operation, request))
}

export function headerProblem(
  { headers, type }: Pick<DeclaredAnswer, 'headers' | 'type'>,
  answer: Answer,
): string | null {
  for (const { name, isWhole } of headers) {
    const value = answer.headers[name.toLowerCase()]
    if (typeof value !== 'string' || value === '') return `${answer.status} without the header ${name}`
    if (isWhole && !/^\d+$/.test(value)) return `${name} is ${value}`
  }
  const given = answer.headers['content-type']
  if (type !== null && !String(given).startsWith(type)) return `${answer.status} with the type ${given}`
  return null
}

/** The fields that a request names; the document shows listings with all of them. */
function fieldsOf({ parameters }: DescribedOperation, { path }: Request): string[] | null {
  if (!parameters.some(({ name }) => name === 'fields')) return null
  // A value without a visible character is none.
  const given = trimmed(new URLSearchParams(path.split('?')[1]).get('fields') ?? '')
  return given === '' ? null : given.split(',').map((name) => name.trim())
}

/** Fields of listings that the request did not name. */
const surplusFields = (body: any, fields: readonly string[]): string[] =>
  [body?.data].flat().flatMap((item) => Object.keys(item ?? {}).filter((name) => ![...fields, 'slug'].includes(name)))

function bodyProblem(
  { type, problems }: DeclaredAnswer,
  { status, text }: Answer,
  fields: readonly string[] | null,
): string | null {
  if (type === null) return text === '' ? null : `${status} with a body: ${text.slice(0, 100)}`
  const body = parsed(text)
  if (body === undefined) return `${status} with a body that is no JSON: ${text.slice(0, 100)}`
  const isSelected = fields !== null && status === 200
  const surplus = isSelected ? surplusFields(body, fields) : []
  if (surplus.length > 0) return `fields that were not named: ${[...new Set(surplus)].join(', ')}`
  const found = problems(body).filter((one) => !(isSelected && /required/.test(one)))
  if (found.length > 0) return `${status} against its schema: ${found.slice(0, 5).join('; ')}\n${text.slice(0, 500)}`
  const { success } = body as { success?: unknown }
  // The OpenAPI document itself is the one answer without an envelope.
  if (success !== undefined && success !== status < 300) return `${status} with success: ${success}`
  return null
}

export function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
