// Functions that declare the commands of a group. The name of the operation determines the type of the answer.
import type { Command } from 'commander'
import type { OperatorAnswers } from '../../../features.ts'
import { addCommand } from './command.ts'
import type { Declared, DeclaredList, GroupCommand } from './declared.ts'
import { printRows } from './print-answer.ts'

/** A command that is written by hand: `add` adds it to its group. */
export const byHand = (add: (group: Command) => void): GroupCommand => ({ add })

export const command = <N extends keyof OperatorAnswers>(name: N, declared: Declared<OperatorAnswers[N]> = {}) =>
  commandNamed<OperatorAnswers[N]>(name, declared)

/** Like `command`, for a computed name such as `put_${kind}`: the caller gives the type of the answer. */
export const commandNamed = <T>(operation: string, declared: Declared<T> = {}): GroupCommand => ({
  operation,
  add: (group, operationNamed, pathArguments) => addCommand(group, operationNamed(operation), declared, pathArguments),
})

/** The names of the operations whose answer is a list of objects. */
type ListName = {
  [N in keyof OperatorAnswers]: OperatorAnswers[N] extends readonly object[] ? N : never
}[keyof OperatorAnswers]

export const list = <N extends ListName>(name: N, declared: DeclaredList<OperatorAnswers[N][number]>) =>
  listNamed<OperatorAnswers[N][number]>(name, declared)

/** Like `list`, for a computed name: the caller gives the type of a row. */
export const listNamed = <Row>(operation: string, { columns, empty, none = empty, ...declared }: DeclaredList<Row>) =>
  commandNamed<readonly Row[]>(operation, {
    ...declared,
    prints: (rows, given) => printRows(rows, columns, given, { empty, none }),
  })
