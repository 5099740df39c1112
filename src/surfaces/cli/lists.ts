// The list command that every noun has.
import type { Command } from 'commander'
import type { TProperties } from 'typebox'
import { call } from './client.ts'
import { answer, printTable, remark, say } from './output.ts'
import { addFilters, addPaging, given, PAGE_SIZE, pagingGiven } from './schema-options.ts'
import type { Column, Row } from './table.ts'

interface List {
  operation: string
  description: string
  /** Said when there is nothing at all: what to do next. */
  empty: string
  /** What the list can be narrowed by, and what is said when nothing is left then. */
  filters?: TProperties
  none?: string
  columns: readonly Column[]
  examples: string
}

export function addList(parent: Command, list: List, options: { isDefault?: boolean } = {}): Command {
  const { filters = {} } = list
  const command = addPaging(addFilters(parent.command('list', options).description(list.description), filters))
  return command.addHelpText('after', list.examples).action(async () => {
    const narrowed = given(command, Object.keys(filters))
    const paging = pagingGiven(command)
    const rows = await call<Row[]>(command, list.operation, { query: { ...narrowed, ...paging } })
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
