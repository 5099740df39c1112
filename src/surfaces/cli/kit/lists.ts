// The `list` command of every group of commands.
import type { Command } from 'commander'
import type { TProperties, TUnsafe } from 'typebox'
import type { OperatorAnswers } from '../../../features.ts'
import type { RoutedOperation } from '../../../kernel/operation.ts'
import { addFilters, addPaging, givenOptions, PAGE_SIZE, pagingGiven } from '../derived/schema-options.ts'
import { callOperation } from './client.ts'
import { answer, printTable, remark, say } from './output.ts'
import type { PrintedColumn } from './table.ts'

interface ListCommand<Row> {
  description: string
  /** Printed when the list is empty; it says what to do next. */
  empty: string
  filters?: TProperties
  /** Printed when nothing matches the filters. */
  none?: string
  columns: readonly PrintedColumn<Row>[]
  examples: string
}

/** The names of operations that answer with a list. */
type ListName = {
  [N in keyof OperatorAnswers]: OperatorAnswers[N] extends readonly object[] ? N : never
}[keyof OperatorAnswers]

export const addList = <N extends ListName>(
  parent: Command,
  list: ListCommand<OperatorAnswers[N][number]> & { operation: N },
  options?: { isDefault?: boolean },
): Command => addListOf<OperatorAnswers[N][number]>(parent, list, options)

/** The same for an operation whose name is put together. */
export function addListOf<Row>(
  parent: Command,
  list: ListCommand<Row> & { operation: string },
  options: { isDefault?: boolean } = {},
): Command {
  const { filters = {} } = list
  const command = addPaging(addFilters(parent.command('list', options).description(list.description), filters))
  return command.addHelpText('after', list.examples).action(async () => {
    const narrowed = givenOptions(command, Object.keys(filters))
    const paging = pagingGiven(command)
    const rows = await callOperation<RoutedOperation & { data: TUnsafe<Row[]> }>(command, list.operation, {
      query: { ...narrowed, ...paging },
    })
    const { page = 1, limit = PAGE_SIZE } = paging as { page?: number; limit?: number }
    const nothing = Object.keys(narrowed).length > 0 ? (list.none ?? list.empty) : list.empty
    answer(command, rows, () => {
      if (rows.length === 0) return say(page > 1 ? `Nothing on page ${page}.` : nothing)
      printTable(rows, list.columns)
      if (rows.length === limit) remark(`\nThere may be more: --page ${page + 1}`)
    })
  })
}

export const examples = (...lines: string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  catalog ${line}`).join('\n')}`
