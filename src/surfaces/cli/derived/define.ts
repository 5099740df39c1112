// Declares the commands of a group. Their answers are typed by the operations.
import type { Command } from 'commander'
import type { OperatorAnswers } from '../../../features.ts'
import { addCommand } from './command.ts'
import type { Declared, DeclaredList, GroupCommand } from './declared.ts'
import { printRows } from './defaults.ts'

export const byHand = (add: (group: Command) => void): GroupCommand => ({ add })

export const command = <N extends keyof OperatorAnswers>(name: N, declared: Declared<OperatorAnswers[N]> = {}) =>
  commandOf<OperatorAnswers[N]>(name, declared)

/** The same for an operation whose name is put together, such as one of each kind of listing. */
export const commandOf = <T>(operation: string, declared: Declared<T> = {}): GroupCommand => ({
  operation,
  add: (group, operationNamed, shared) => addCommand(group, operationNamed(operation), declared, shared),
})

/** The names of operations that answer with a list. */
type ListName = {
  [N in keyof OperatorAnswers]: OperatorAnswers[N] extends readonly object[] ? N : never
}[keyof OperatorAnswers]

export const list = <N extends ListName>(name: N, declared: DeclaredList<OperatorAnswers[N][number]>) =>
  listCommand<OperatorAnswers[N][number]>(name, declared)

export const listCommand = <Row>(operation: string, { columns, empty, none = empty, ...declared }: DeclaredList<Row>) =>
  commandOf<readonly Row[]>(operation, {
    ...declared,
    prints: (rows, given) => printRows(rows, columns, given, { empty, none }),
  })
