// Problems in a caller's input as data: forms mark the field, and answers join the problems to sentences.

export interface Problem {
  /** Path such as `faq.0.answer`; empty for the whole body. */
  field: string
  /** Follows the name of the field: `must not be empty.` */
  sentence: string
  /** The name of a property inside the field is wrong, not a value. */
  isName?: true
  /** The sentence does not follow the name of the field, because it is about several fields. */
  isWhole?: true
}

export const problem = (field: string, sentence: string): Problem => ({ field, sentence })
export const nameProblem = (field: string, sentence: string): Problem => ({ field, sentence, isName: true })
export const missing = (field: string): Problem => problem(field, REQUIRED)

const REQUIRED = 'is required.'

/** The name of a field as the client sent it. */
const asSent = (field: string): string => field || 'The body'

/** Joins the problems to one text. `nameOf` gives the name that the reader knows a field by; for programs that is its path. */
export function sentencesOf(problems: readonly Problem[], nameOf = asSent): string {
  const sentences: string[] = []
  let next = 0
  for (const [i, first] of problems.entries()) {
    if (i < next) continue
    if (first.isWhole) {
      if (!sentences.includes(first.sentence)) sentences.push(first.sentence)
      continue
    }
    const together = missingTogether(problems, i, first)
    const names = together.map(({ field }) => nameOf(field))
    sentences.push(names.length > 1 ? `${names.join(', ')} are required.` : sentenceOf(first, nameOf))
    next = i + Math.max(1, names.length)
  }
  return sentences.join(' ')
}

/** The problems as programs get them, by the path of the field. */
export const fieldProblems = (problems: readonly Problem[]): { field: string; problem: string }[] =>
  problems.map(({ field, sentence, isName }) => ({ field, problem: isName ? `A name in it ${sentence}` : sentence }))

const sentenceOf = ({ field, sentence, isName }: Problem, nameOf: (field: string) => string): string =>
  isName ? `A name in ${field === '' ? 'the body' : nameOf(field)} ${sentence}` : `${nameOf(field)} ${sentence}`

/** The missing fields of one object that follow each other from `start` on; one sentence names them all. */
function missingTogether(problems: readonly Problem[], start: number, first: Problem): readonly Problem[] {
  const belongs = (one: Problem | undefined) => one?.sentence === REQUIRED && parentOf(one) === parentOf(first)
  let end = start
  while (belongs(problems[end])) end++
  return problems.slice(start, end)
}

const parentOf = ({ field }: Problem): string => field.slice(0, Math.max(0, field.lastIndexOf('.')))
