// `catalog unfound`: what people look for and do not find.
import type { Command } from 'commander'
import { unfoundFilters } from '../../../features/unfound/operations.ts'
import { exportTo } from '../by-hand/export.ts'
import { addList, examples } from '../kit/lists.ts'

export function addUnfound(program: Command): void {
  const unfound = program.command('unfound').description('Show what people look for and do not find.')
  unfound.addHelpText('after', examples('unfound', 'unfound list --searched tools', 'unfound export questions.ndjson'))
  addList(
    unfound,
    {
      operation: 'list_unfound_questions',
      description: 'List the questions that found nothing, or only partial matches, the most asked first.',
      empty: 'No question was asked by five different callers on one day and not found.',
      filters: unfoundFilters,
      none: 'There is no such question.',
      columns: [
        { title: 'WORDS', value: (row) => row.words, cuttable: true },
        { title: 'SEARCHED', value: (row) => row.searched },
        { title: 'ASKED', value: (row) => row.times },
        { title: 'NOTHING', value: (row) => row.nothing },
        { title: 'PARTIAL', value: (row) => row.partial },
        { title: 'LAST', value: (row) => row.lastDay },
      ],
      examples: examples('unfound list', 'unfound list --searched directories'),
    },
    { isDefault: true },
  )
  const command = unfound
    .command('export')
    .description('Export all of them as lines of JSON.')
    .argument('[file]', 'File to write; standard output by default.')
    .addHelpText('after', examples('unfound export questions.ndjson'))
  command.action((file = '-') => exportTo(command, 'export_unfound_questions', file, ['question', 'questions']))
}
