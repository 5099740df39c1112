// What a command adds to its operation. Everything that is left out derives from the declaration of the operation.
import type { Command, Option } from 'commander'
import type { RoutedOperation } from '../../../kernel/operation.ts'
import type { CallOptions } from '../kit/client.ts'
import type { Columns } from '../kit/table.ts'

/** Arguments in their order, by the parameter or the property of the body that they give; a name of neither is the command's own. */
export type Arguments = Readonly<Record<string, readonly [form: string, means: string]>>

/** How a property of the body is given: not at all, with another description, with one of several flags, or with options of its own. */
export type FieldForm =
  | false
  | string
  | { flags: Readonly<Record<string, readonly [means: string, value: unknown]>> }
  | { options: readonly Option[]; read(options: Record<string, unknown>): unknown }

/** What was given to a command, and what is sent because of it. */
export interface Given extends Required<Pick<CallOptions, 'params' | 'query'>> {
  command: Command
  operation: RoutedOperation
  body: Record<string, unknown>
  /** The value of an argument by its name in `Arguments`; empty when it was not given. */
  text(name: string): string
  /** The same for an argument that may be repeated. */
  texts(name: string): string[]
}

export interface Declared<T> {
  /** Name in its group; empty: the group itself is the command. */
  name?: string
  alias?: string
  /** The group alone means this command. */
  isDefault?: boolean
  description?: string
  examples?: readonly string[]
  /** Printed below the examples. */
  note?: string
  arguments?: Arguments
  /** By property of the body, or of the query to leave it out; false: no property of the body is an option. */
  fields?: Readonly<Record<string, FieldForm>> | false
  /** Options of the command line alone. */
  options?: readonly Option[]
  /** The body must have a field, as with PATCH. */
  isChange?: boolean
  /** The question before it happens, unless there is `--yes`. */
  asks?(given: Given): string
  /** What is sent in place of what was given. */
  prepare?(given: Given): Partial<CallOptions> | Promise<Partial<CallOptions>>
  /** Performs it in place of one call of the operation. */
  perform?(given: Given): Promise<T>
  /** The sentences after it, and what is printed below them. Without both the answer is printed by its schema. */
  says?(answer: T, given: Given): string
  prints?(answer: T, given: Given): void
  /** The exit status is 1. */
  fails?(answer: T): boolean
}

export interface DeclaredList<Row> extends Omit<Declared<readonly Row[]>, 'says' | 'prints'> {
  columns: Columns<Row>
  /** Printed when the list is empty; it says what to do next. */
  empty: string
  /** Printed when nothing matches the filters. */
  none?: string
}

/** A command of a group. One without an operation is written by hand. */
export interface GroupCommand {
  operation?: string
  add(group: Command, operationNamed: (name: string) => RoutedOperation, shared: Arguments): void
}

export interface Group {
  examples?: readonly string[]
  /** The first part of its operations' paths, where it is not the name of the group. */
  path?: string
  /** What the parameters in the paths of its operations mean. */
  arguments?: Arguments
  commands: readonly GroupCommand[]
}
