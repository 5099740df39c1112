// What an operation found wrong with what a form sent, in the words of the form.
import type { Failure } from '../../../kernel/errors.ts'
import { type Problem, sentencesOf } from '../../../kernel/problem.ts'

/** How a form calls the fields of a body: by their paths, and '' for the body itself. */
export type Labels = Readonly<Record<string, string>>

/** Everything that is wrong, as one text. */
export const inWords = ({ problems, message }: Failure, labels: Labels): string =>
  problems.length > 0 ? sentencesOf(problems, (field) => named(field, labels)) : message

/** What is wrong with each labelled field, and what belongs to none of them. */
export function byField(
  problems: readonly Problem[],
  labels: Labels,
): { marked: Record<string, string>; others: string } {
  const nameOf = (field: string) => named(field, labels)
  const groups = Map.groupBy(problems, ({ field }) => labelledPart(field, labels))
  const others = sentencesOf(groups.get(undefined) ?? [], nameOf)
  groups.delete(undefined)
  return {
    marked: Object.fromEntries([...groups].map(([field, found]) => [field!, sentencesOf(found, nameOf)])),
    others,
  }
}

const named = (field: string, labels: Labels): string => {
  const part = labelledPart(field, labels)
  return part === undefined ? field || 'The body' : `${labels[part]}${field.slice(part.length)}`
}

/** The field itself, or the one that it is inside of. */
const labelledPart = (field: string, labels: Labels): string | undefined =>
  Object.keys(labels).find((name) => name === field || (name !== '' && field.startsWith(`${name}.`)))
