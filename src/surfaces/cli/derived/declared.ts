// What a command declares in addition to its operation, and the functions that declare the commands of a group. Everything that a command
// leaves out is derived from the operation, whose name determines the type of the answer.
import type { Command, Option } from 'commander'
import type { OperatorAnswers } from '../../../features.ts'
import type { RoutedOperation } from '../../../kernel/operation.ts'
import type { CallOptions } from '../kit/client.ts'
import type { Columns } from '../kit/table.ts'
import { addCommand } from './command.ts'
import { printRows } from './print-answer.ts'

/**
 * Positional arguments in order. An argument with the name of a parameter or body property sets that one. Any other argument is read by
 * the functions of the command.
 */
export type Arguments = Readonly<Record<string, readonly [syntax: string, description: string]>>

/**
 * The options for a body property. false: none. A text: one option with this description. `flags`: one flag for each value. `options`:
 * these options, from whose values `read` makes the value of the property (undefined: not given).
 */
export type FieldForm =
  | false
  | string
  | { flags: Readonly<Record<string, readonly [description: string, value: unknown]>> }
  | { options: readonly Option[]; read(options: Record<string, unknown>): unknown }

/** What the operator gave on the command line, as the parts of the call that is sent. */
export interface Given extends Required<Pick<CallOptions, 'params' | 'query'>> {
  command: Command
  operation: RoutedOperation
  body: Record<string, unknown>
  /** The value of the positional argument with this name; '' if it was not given. */
  text(name: string): string
  /** The values of the positional argument with this name, which may be repeated. */
  texts(name: string): string[]
}

export interface Declared<T> {
  /** The command's name in its group; '': the group itself is the command. By default made from the operation's path and method. */
  name?: string
  alias?: string
  /** The command that runs if the command line names only the group. */
  isDefault?: boolean
  description?: string
  examples?: readonly string[]
  /** Printed in the help below the examples. */
  note?: string
  arguments?: Arguments
  /** Options for body properties by name; false instead of the object: none. A query parameter named here can only be left out (false). */
  fields?: Readonly<Record<string, FieldForm>> | false
  /** Options that are no part of the call; the functions below read them from `command.opts()`. */
  options?: readonly Option[]
  /** Whether the command fails if no body property was given; true by default for PATCH. */
  isChange?: boolean
  /** The confirmation question before the call; `--yes` skips it. */
  asks?(given: Given): string
  /** Parts of the call that replace those from the command line, such as a body that is read from a file. */
  prepare?(given: Given): Partial<CallOptions> | Promise<Partial<CallOptions>>
  /** Runs instead of the single call of the operation. */
  perform?(given: Given): Promise<T>
  /** The text that is printed after the call. Without `says` and `prints` the answer is printed by its schema. */
  says?(answer: T, given: Given): string
  /** Prints what comes below that text. */
  prints?(answer: T, given: Given): void
  /** Whether the exit status is 1 although the call succeeded. */
  fails?(answer: T): boolean
}

interface DeclaredList<Row> extends Omit<Declared<readonly Row[]>, 'says' | 'prints'> {
  columns: Columns<Row>
  /** Printed when the list is empty; it says what to do next. */
  empty: string
  /** Printed when nothing matches the filters; `empty` by default. */
  none?: string
}

/** A command of a group. One without an operation is written by hand. */
export interface GroupCommand {
  operation?: string
  add(group: Command, operationNamed: (name: string) => RoutedOperation, pathArguments: Arguments): void
}

export interface Group {
  examples?: readonly string[]
  /** The first part of its operations' paths, if it is not the name of the group. */
  path?: string
  /** Syntax and description of the parameters in the paths of its operations. */
  arguments?: Arguments
  commands: readonly GroupCommand[]
}

/** A command that is written by hand: `add` adds it to its group. */
export const byHand = (add: (group: Command) => void): GroupCommand => ({ add })

export const command = <N extends keyof OperatorAnswers>(name: N, declared: Declared<OperatorAnswers[N]> = {}) =>
  commandNamed<OperatorAnswers[N]>(name, declared)

/** Like `command`, for a computed name such as `put_${kind}`: the caller gives the type of the answer. */
export const commandNamed = <T>(operation: string, declared: Declared<T> = {}): GroupCommand => ({
  operation,
  add: (group, operationNamed, pathArguments) => addCommand(group, operationNamed(operation), declared, pathArguments),
})

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
