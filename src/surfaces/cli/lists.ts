// The list command that every noun has.
import type { Command } from 'commander'
import { call } from './client.ts'
import { answer, printTable, remark, say } from './output.ts'
import { addPaging, PAGE_SIZE, pagingGiven } from './schema-options.ts'
import type { Column, Row } from './table.ts'

interface List {
  operation: string
  description: string
  /** Said when there is nothing at all: what to do next. */
  empty: string
  columns: readonly Column[]
  examples: string
}

export function addList(parent: Command, list: List, options: { isDefault?: boolean } = {}): Command {
  const command = addPaging(parent.command('list', options).description(list.description))
  return command.addHelpText('after', list.examples).action(async () => {
    const query = pagingGiven(command)
    const rows = await call<Row[]>(command, list.operation, { query })
    const { page = 1, limit = PAGE_SIZE } = query as { page?: number; limit?: number }
    answer(command, rows, () => {
      if (rows.length === 0) return say(page > 1 ? `Nothing on page ${page}.` : list.empty)
      printTable(rows, list.columns)
      if (rows.length === limit) remark(`\nThere may be more: --page ${page + 1}`)
    })
  })
}

export const examples = (...lines: string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  catalog ${line}`).join('\n')}`
