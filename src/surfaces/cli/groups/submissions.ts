// `catalog submissions`: the queue of directory work.
import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import * as schema from '../../../features/submissions/queue.schema.ts'
import type { queueItemSchema } from '../../../features/submissions/schema.ts'
import { addFields, addVersionGuard, changesGiven, givenOptions, guardGiven } from '../derived/schema-options.ts'
import { call } from '../kit/client.ts'
import { addList, examples } from '../kit/lists.ts'
import { answer, printTable, say } from '../kit/output.ts'
import { counted } from '../kit/progress.ts'
import { type PrintedColumn, shortDay } from '../kit/table.ts'
import { addBulk } from './bulk.ts'
import { addSubmissionLinks } from './links.ts'
import { addPlan, addPlanLimits, planLimitsGiven } from './plan.ts'

type Item = Static<typeof queueItemSchema>

const ID_MEANS = 'Identifier of the submission, or id or slug of its tool when it has only one.'

export function addSubmissions(program: Command): void {
  const submissions = program.command('submissions').description('Work the queue of submitted tools.')
  submissions.addHelpText(
    'after',
    examples('submissions list --state IN_QUEUE', 'submissions done acme-writer --notes "All entered."'),
  )
  addQueue(submissions)
  addShow(submissions)
  addChange(submissions)
  addBulk(submissions)
  addRecord(submissions)
  addDone(submissions)
  addPlan(submissions, ID_MEANS)
  addSubmissionLinks(submissions)
}

const COLUMNS: readonly PrintedColumn[] = [
  { title: 'ID', value: (item) => item.id },
  { title: 'TOOL', value: (item) => (item as Item).tool.slug, cuttable: true },
  { title: 'STATE', value: (item) => item.state },
  { title: 'PACKAGE', value: (item) => item.paymentType ?? 'waiting' },
  {
    title: 'ENTERED',
    value: ({ submittedCount, targetDirectoriesCount }) => `${submittedCount}/${targetDirectoriesCount}`,
  },
  { title: 'ASSIGNEE', value: (item) => item.assignee, cuttable: true },
  { title: 'PARTNER', value: (item) => (item as Item).client.name, cuttable: true },
  { title: 'MADE', value: (item) => shortDay(item.createdAt) },
  { title: 'NOTES', value: (item) => item.notes, cuttable: true },
]

const addQueue = (submissions: Command): Command =>
  addList(submissions, {
    operation: 'list_submissions',
    description: 'List submissions, newest first.',
    empty: 'No submissions yet. Partners make them.',
    filters: schema.queueFilters,
    none: 'No such submissions.',
    columns: COLUMNS,
    examples: examples('submissions list', 'submissions list --state REVIEW --json'),
  })

function addShow(submissions: Command): void {
  const show = submissions.command('show').description('Show a submission: the tool, and the directories on record.')
  show
    .argument('<id>', ID_MEANS)
    .addHelpText('after', examples('submissions show acme-writer'))
    .action(async (id: string) => {
      const work = await call(show, 'get_submission', { params: { id } })
      answer(show, work, () => {
        const { tool, client, notes, internalNotes, submittedCount, targetDirectoriesCount } = work
        say(
          [
            `${tool.name} (${tool.website}), submitted by ${client.name}`,
            `${inWords(work)}; ${submittedCount} of ${targetDirectoriesCount} entered`,
            ...(notes ? [`Notes: ${notes}`] : []),
            ...(internalNotes ? [`Internal notes: ${internalNotes}`] : []),
            ...work.flaggedTexts.map(({ field, reason, excerpt }) => `To review: ${field} ${reason}: ${excerpt}`),
            '',
          ].join('\n'),
        )
        if (work.submissions.length > 0) printTable(work.submissions, ROWS)
        else say('No directory is on record yet.')
      })
    })
}

const ROWS: readonly PrintedColumn[] = [
  { title: 'DIRECTORY', value: (row) => row.slug },
  { title: 'DR', value: (row) => row.domainRating },
  { title: 'ENTERED', value: (row) => row.isSubmitted },
  { title: 'WHEN', value: (row) => shortDay(row.submittedAt) },
  { title: 'LISTING', value: (row) => row.listingUrl, cuttable: true },
]

function addChange(submissions: Command): void {
  const { plan: _, ...properties } = schema.changeBody.properties
  const change = submissions.command('change').description('Change a submission. What is not given stays as it is.')
  addVersionGuard(addPlanLimits(addFields(change.argument('<id>', ID_MEANS), properties), true))
    .addHelpText(
      'after',
      examples(
        'submissions change acme-writer --state ASSIGNED --assignee op@example.com',
        'submissions change acme-writer --payment-type starter',
      ),
    )
    .action(async (id: string) => {
      const body = changesGiven(change, Object.keys(properties), planLimitsGiven(change))
      const item = await call(change, 'change_submission', { params: { id }, query: guardGiven(change), body })
      answer(change, item, () => say(`Changed ${item.tool.slug}: ${inWords(item)}.`))
    })
}

function addRecord(submissions: Command): void {
  const { isSubmitted: _, ...fields } = schema.recordBody.properties
  const record = submissions
    .command('record')
    .description(
      'Record one directory of a submission, in place of what is on record. What is not given is empty afterwards.',
    )
    .argument('<id>', ID_MEANS)
    .argument('<directory>', 'Slug of the directory.')
    .addOption(new Option('--submitted', 'The tool was entered.').implies({ isSubmitted: true }))
    .addOption(
      new Option('--not-submitted', 'The tool was not entered.').implies({ isSubmitted: false }).conflicts('submitted'),
    )
  addVersionGuard(addFields(record, fields))
    .addHelpText(
      'after',
      examples(
        'submissions record acme-writer launch-list --submitted --listing-url https://launch-list.example.org/a',
      ),
    )
    .action(async (id: string, slug: string) => {
      const body = givenOptions(record, ['isSubmitted', ...Object.keys(fields)])
      if (body.isSubmitted === undefined) record.error('error: give --submitted or --not-submitted')
      const row = await call(record, 'record_directory', {
        params: { id, slug },
        query: guardGiven(record),
        body,
      })
      answer(record, row, () => say(`Recorded ${row.name}: ${row.isSubmitted ? '' : 'not '}submitted.`))
    })
}

function addDone(submissions: Command): void {
  const { properties } = schema.doneBody
  const done = submissions.command('done').description('Mark the work Done, which is final and tells the partner.')
  addVersionGuard(addFields(done.argument('<id>', ID_MEANS), properties))
    .addHelpText('after', examples('submissions done acme-writer --notes "All entered."'))
    .action(async (id: string) => {
      const body = givenOptions(done, Object.keys(properties))
      const item = await call(done, 'complete_submission', { params: { id }, query: guardGiven(done), body })
      answer(done, item, () =>
        say(`Done: ${item.tool.slug}, ${counted(item.submittedCount, 'directory', 'directories')} entered.`),
      )
    })
}

const inWords = ({ state, paymentType, assignee }: Pick<Item, 'state' | 'paymentType' | 'assignee'>): string =>
  [
    state ?? 'waiting for a package',
    ...(paymentType ? [`package ${paymentType}`] : []),
    ...(assignee ? [assignee] : []),
  ].join(', ')
