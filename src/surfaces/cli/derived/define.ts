// Functions that declare the commands of a group. The name of the operation determines the type of the answer.
import type { Command } from 'commander'
import type { OperatorAnswers } from '../../../features.ts'
import { addCommand } from './command.ts'
import type { Declared, DeclaredList, GroupCommand } from './declared.ts'
import { printRows } from './print-answer.ts'

export const byHand = (add: (group: Command) => void): GroupCommand => ({ add })

export const command = <N extends keyof OperatorAnswers>(name: N, declared: Declared<OperatorAnswers[N]> = {}) =>
  commandOf<OperatorAnswers[N]>(name, declared)

/** Like `command`, for a computed name such as `put_${kind}`: the caller gives the type of the answer. */
export const commandOf = <T>(operation: string, declared: Declared<T> = {}): GroupCommand => ({
  operation,
  add: (group, operationNamed, pathArguments) => addCommand(group, operationNamed(operation), declared, pathArguments),
})

type ListName = {
  [N in keyof OperatorAnswers]: OperatorAnswers[N] extends readonly object[] ? N : never
}[keyof OperatorAnswers]

export const list = <N extends ListName>(name: N, declared: DeclaredList<OperatorAnswers[N][number]>) =>
  listCommand<OperatorAnswers[N][number]>(name, declared)

/** Like `list`, for a computed name. */
export const listCommand = <Row>(operation: string, { columns, empty, none = empty, ...declared }: DeclaredList<Row>) =>
  commandOf<readonly Row[]>(operation, {
    ...declared,
    prints: (rows, given) => printRows(rows, columns, given, { empty, none }),
  })
