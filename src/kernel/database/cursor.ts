// Cursors that clients keep and send back. A cursor contains the position in a list and a hash of the list's name; clients do not read it.
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Failure } from '../errors.ts'
import { problem } from '../problem.ts'
import { stringType } from '../schema.ts'

const MAX_LENGTH = 100

export const cursorParameter = (description: string) =>
  Type.Optional(stringType(description, 'OWYyYzFhLjQy', { maxLength: MAX_LENGTH }))

/** The schema of `next`. */
export const nextCursor = (description: string) => stringType(description, 'OWYyYzFhLjQy')

/** Tells the cursors of one list from those of another. */
const markOf = (list: string): string => createHash('sha256').update(list).digest('hex').slice(0, 12)

export const cursorAt = (list: string, position: number): string =>
  Buffer.from(`${markOf(list)}.${position}`).toString('base64url')

/** Whether the cursor is of this list, at whatever position. */
export const isCursorOf = (list: string, cursor: string): boolean =>
  Buffer.from(cursor, 'base64url')
    .toString('latin1')
    .startsWith(`${markOf(list)}.`)

/** The 400 for a wrong cursor in this parameter. `sentence` follows "This cursor". */
export const wrongCursor = (parameter: string, sentence: string): Failure =>
  new Failure(400, `This cursor ${sentence}`, { code: 'invalid_cursor', problems: [problem(parameter, sentence)] })

/** The position in the cursor. Throws a 400 unless it is a cursor of this list with a position within `kept`. */
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
