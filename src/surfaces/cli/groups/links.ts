// `catalog links`, and the commands of `catalog submissions` that are about links and the report.
import type { Command } from 'commander'
import type { Static } from 'typebox'
import { type followUpSchema, linkFilters } from '../../../features/proof/schema.ts'
import { addPaging, pagingGiven } from '../derived/schema-options.ts'
import { call } from '../kit/client.ts'
import { addList, examples } from '../kit/lists.ts'
import { answer, printTable, say } from '../kit/output.ts'
import { type PrintedColumn, shortTime } from '../kit/table.ts'

type Link = Static<typeof followUpSchema>

const ID_MEANS = 'Identifier of the submission, or id or slug of its tool when it has only one.'

export function addLinks(program: Command): void {
  const links = program.command('links').description('See which listings have their link, and which lost it.')
  links.addHelpText('after', examples('links list --follow-up', 'links list --lost --json'))
  addList(links, {
    operation: 'list_links',
    description: 'List the links on recorded listings, the last looked at first.',
    empty: 'No listing is on record yet.',
    filters: linkFilters,
    none: 'No such links.',
    columns: [
      { title: 'TOOL', value: (row) => (row as Link).tool.slug, cuttable: true },
      { title: 'DIRECTORY', value: (row) => row.directory },
      { title: 'LINK', value: (row) => (row as Link).link.state },
      { title: 'LOOKED', value: (row) => shortTime((row as Link).link.checkedAt) },
      { title: 'LOST', value: (row) => shortTime(row.lostAt) },
      { title: 'LISTING', value: (row) => row.listingUrl, cuttable: true },
    ],
    examples: examples('links list --follow-up', 'links list --state blocked'),
  })
}

const CHECKS: readonly PrintedColumn[] = [
  { title: 'WHEN', value: (check) => shortTime(check.checkedAt) },
  { title: 'DIRECTORY', value: (check) => check.directory },
  { title: 'LINK', value: (check) => check.state },
  { title: 'STATUS', value: (check) => check.status },
  { title: 'REL', value: (check) => check.rel, cuttable: true },
  { title: 'TEXT', value: (check) => check.anchorText, cuttable: true },
  { title: 'LISTING', value: (check) => check.listingUrl, cuttable: true },
]

/** The commands of a submission. */
export function addSubmissionLinks(submissions: Command): void {
  const check = submissions.command('check').description('Look at the listings of a submission now.')
  check
    .argument('<id>', ID_MEANS)
    .addHelpText('after', examples('submissions check acme-writer'))
    .action(async (id: string) => {
      const checks = await call(check, 'check_listings', { params: { id } })
      answer(check, checks, () =>
        checks.length > 0 ? printTable(checks, CHECKS) : say('No listing could be looked at now.'),
      )
    })
  const history = addPaging(submissions.command('checks').description('List the looks at the listings, newest first.'))
  history
    .argument('<id>', ID_MEANS)
    .addHelpText('after', examples('submissions checks acme-writer --json'))
    .action(async (id: string) => {
      const checks = await call(history, 'list_link_checks', { params: { id }, query: pagingGiven(history) })
      answer(history, checks, () => (checks.length > 0 ? printTable(checks, CHECKS) : say('Not looked at yet.')))
    })
  const report = submissions.command('report').description('Give the report of a submission another address.')
  report
    .argument('<id>', ID_MEANS)
    .addHelpText('after', examples('submissions report acme-writer'))
    .action(async (id: string) => {
      const made = await call(report, 'replace_report', { params: { id } })
      answer(report, made, () => say(`The report is at ${made.reportUrl}; its old address no longer works.`))
    })
}
