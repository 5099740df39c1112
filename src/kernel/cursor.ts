// Cursors that clients keep and send back: a position in a list, and which list it is. Clients do not read them.
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Failure } from './errors.ts'
import { problem } from './problem.ts'
import { stringType } from './schema.ts'

const LONGEST = 100

export const cursorParameter = (description: string) =>
  Type.Optional(stringType(description, 'OWYyYzFhLjQy', { maxLength: LONGEST }))

/** The schema of `next`. */
export const nextCursor = (description: string) => stringType(description, 'OWYyYzFhLjQy')

const markOf = (list: string): string => createHash('sha256').update(list).digest('hex').slice(0, 12)

export const cursorAt = (list: string, position: number): string =>
  Buffer.from(`${markOf(list)}.${position}`).toString('base64url')

/** A cursor in this parameter that leads nowhere. `sentence` follows "This cursor". */
export const wrongCursor = (parameter: string, sentence: string): Failure =>
  new Failure(400, `This cursor ${sentence}`, { code: 'invalid_cursor', problems: [problem(parameter, sentence)] })

/** The position of the cursor in this parameter, or a 400 if it is not one of this list. `kept` are the positions that it may have. */
export function positionOf(
  list: string,
  parameter: string,
  cursor: string,
  kept: { least: number; most: number },
): number {
  const [mark, digits = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('.')
  const position = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN
  if (mark !== markOf(list) || cursorAt(list, position) !== cursor || !(position <= kept.most))
    throw wrongCursor(
      parameter,
      'is not one that this service gave to this caller. Send the cursor of an earlier answer as it was, or none to begin with the oldest.',
    )
  if (position < kept.least)
    throw wrongCursor(
      parameter,
      'is too old: what followed it is no longer kept. Ask without a cursor to begin with the oldest that is kept, and read anew what you have stored.',
    )
  return position
}
