// Turns the problems that an operation found in the values of a form into sentences that name the fields by their labels.
import type { Failure } from '../../../../kernel/errors.ts'
import { type Problem, sentencesOf } from '../../../../kernel/problem.ts'
import type { Flash } from '../flash.ts'
import type { Markup } from '../markup.ts'

/** The labels of a form by the path of the field in the body; '' stands for the body itself. */
type FieldLabels = Readonly<Record<string, string>>

/** Why a form was refused: the text above the form, and in `marked` the problem of each field. */
export interface Refusal {
  text: Markup | string
  marked: Readonly<Record<string, string>>
}

/** The failure of an operation as the texts for its form. */
export const refusalOf = (failure: Failure, labels: FieldLabels): Refusal & { text: string } => ({
  text: failureText(failure, labels),
  marked: problemsByField(failure.problems, labels).marked,
})

/** The message above a form that was refused; none if it was not. */
export const refusalFlash = (refusal: Pick<Refusal, 'text'> | undefined): readonly Flash[] =>
  refusal ? [{ kind: 'danger', text: refusal.text, isPermanent: true }] : []

/** All problems of the failure as one text; its message if it has none. */
export const failureText = ({ problems, message }: Failure, labels: FieldLabels): string =>
  problems.length > 0 ? sentencesOf(problems, (field) => labelFor(field, labels)) : message

/** In `marked` the problems of each labelled field, and in `others` those of fields without a label. */
export function problemsByField(
  problems: readonly Problem[],
  labels: FieldLabels,
): { marked: Record<string, string>; others: string } {
  const nameOf = (field: string) => labelFor(field, labels)
  const groups = Map.groupBy(problems, ({ field }) => labelledField(field, labels))
  const marked: Record<string, string> = {}
  for (const [field, found] of groups) if (field !== undefined) marked[field] = sentencesOf(found, nameOf)
  return { marked, others: sentencesOf(groups.get(undefined) ?? [], nameOf) }
}

/** The label of a field, or of the labelled field that contains it with the rest of the path: "Questions.0.answer". */
const labelFor = (field: string, labels: FieldLabels): string => {
  const part = labelledField(field, labels)
  return part === undefined ? field || 'The body' : `${labels[part]}${field.slice(part.length)}`
}

/** The labelled field that is this field or contains it. */
const labelledField = (field: string, labels: FieldLabels): string | undefined =>
  Object.keys(labels).find((name) => name === field || (name !== '' && field.startsWith(`${name}.`)))
