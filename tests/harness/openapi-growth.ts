// What a client of one OpenAPI document would notice of the next one. A document may only grow: more paths, more optional parameters, more
// fields in answers, wider bodies.

type Json = Record<string, any>

/** Sentences, each with the place: what was taken away, narrowed or is newly required. */
export function breakingChanges(before: Json, after: Json): string[] {
  const found: string[] = []
  const compare = comparer(before, after, found)
  for (const [path, methods] of Object.entries<Json>(before.paths))
    for (const [method, operation] of Object.entries<Json>(methods)) {
      const place = `${method.toUpperCase()} ${path}`
      const next = after.paths[path]?.[method]
      if (!next) found.push(`${place} is gone.`)
      else compare.operation(place, operation, next)
    }
  return found
}

function comparer(before: Json, after: Json, found: string[]) {
  const resolve = (document: Json, value: Json | undefined): Json | undefined => {
    if (typeof value?.$ref !== 'string') return value
    return value.$ref
      .slice(2)
      .split('/')
      .reduce((at: Json, name: string) => at?.[name], document)
  }

  function operation(place: string, old: Json, next: Json): void {
    if (old.operationId !== next.operationId) found.push(`${place} has another operationId.`)
    parameters(place, old.parameters ?? [], next.parameters ?? [])
    const bodyOf = (one: Json) => one.requestBody?.content?.['application/json']?.schema
    if (bodyOf(old) && !bodyOf(next)) found.push(`${place} takes no body any more.`)
    if (bodyOf(next)) accepted(`${place} body`, bodyOf(old) ?? {}, bodyOf(next))
    for (const [status, answer] of Object.entries<Json>(old.responses)) {
      const nextAnswer = resolve(after, next.responses[status])
      const at = `${place} ${status}`
      if (!nextAnswer) found.push(`${at} is gone.`)
      else answered(at, resolve(before, answer) ?? {}, nextAnswer)
    }
  }

  function parameters(place: string, old: Json[], next: Json[]): void {
    const named = (list: Json[], one: Json) => list.find(({ name, in: where }) => name === one.name && where === one.in)
    for (const one of old) {
      const same = named(next, one)
      if (same) accepted(`${place} ${one.name}`, one.schema, same.schema)
      else found.push(`${place} takes no ${one.name} any more.`)
    }
    for (const one of next) if (one.required && !named(old, one)?.required) found.push(`${place} requires ${one.name}.`)
  }

  function answered(place: string, old: Json, next: Json): void {
    for (const name of Object.keys(old.headers ?? {}))
      if (!next.headers?.[name]) found.push(`${place} has no header ${name} any more.`)
    for (const [type, { schema }] of Object.entries<Json>(old.content ?? {})) {
      const nextSchema = next.content?.[type]?.schema
      if (nextSchema) sent(place, schema, nextSchema)
      else found.push(`${place} is not ${type} any more.`)
    }
  }

  const typesOf = (schema: Json): string[] => {
    const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
    const inside = choices?.flatMap((choice) => typesOf(choice.$ref ? { type: 'object' } : choice))
    return (inside ?? [schema.type].flat().filter(Boolean)).map((type) => (type === 'integer' ? 'number' : type))
  }

  /** What a client sends: everything that was accepted still is. */
  function accepted(place: string, oldRef: Json, nextRef: Json): void {
    const [old, next] = [resolve(before, oldRef) ?? {}, resolve(after, nextRef) ?? {}]
    const narrower = typesOf(old).filter((type) => typesOf(next).length > 0 && !typesOf(next).includes(type))
    if (narrower.length > 0) found.push(`${place} may not be ${narrower.join(', ')} any more.`)
    for (const value of old.enum ?? [])
      if (next.enum && !next.enum.includes(value)) found.push(`${place} may not be ${value} any more.`)
    if (!old.enum && next.enum && Object.keys(old).length > 0) found.push(`${place} may only be one of a list now.`)
    for (const [bound, isNarrower] of Object.entries(BOUNDS))
      if (next[bound] !== undefined && Object.keys(old).length > 0 && isNarrower(old[bound], next[bound]))
        found.push(`${place} has a narrower ${bound}.`)
    for (const [name, property] of Object.entries<Json>(old.properties ?? {}))
      if (next.properties?.[name]) accepted(`${place}.${name}`, property, next.properties[name])
      else if (next.properties) found.push(`${place}.${name} is not taken any more.`)
    if (!next.anyOf && !next.oneOf)
      for (const name of next.required ?? [])
        if (!(old.required ?? []).includes(name)) found.push(`${place} requires ${name}.`)
    if (old.items && next.items) accepted(`${place}[]`, old.items, next.items)
  }

  /** What a client reads: everything that it relied on is still there. */
  function sent(place: string, oldRef: Json, nextRef: Json): void {
    const [old, next] = [resolve(before, oldRef) ?? {}, resolve(after, nextRef) ?? {}]
    const wider = typesOf(next).filter((type) => typesOf(old).length > 0 && !typesOf(old).includes(type))
    if (wider.length > 0) found.push(`${place} may be ${wider.join(', ')} now.`)
    for (const value of next.enum ?? [])
      if (old.enum && !old.enum.includes(value)) found.push(`${place} may be ${value} now.`)
    for (const [name, property] of Object.entries<Json>(old.properties ?? {}))
      if (next.properties?.[name]) sent(`${place}.${name}`, property, next.properties[name])
      else if (next.properties) found.push(`${place}.${name} is gone.`)
    if (next.properties)
      for (const name of old.required ?? [])
        if (!(next.required ?? []).includes(name)) found.push(`${place}.${name} may be missing now.`)
    if (old.items && next.items) sent(`${place}[]`, old.items, next.items)
  }
  return { operation }
}

const smaller = (old: number | undefined, next: number) => old === undefined || next < old
const larger = (old: number | undefined, next: number) => old === undefined || next > old
const BOUNDS: Record<string, (old: any, next: any) => boolean> = {
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  maximum: smaller,
  minLength: larger,
  minItems: larger,
  minimum: larger,
  pattern: (old, next) => old !== next,
}
