// `catalog submissions`: the queue of directory work, plans and reports. `catalog links`: whether listings link to the tool.
import { Option } from 'commander'
import type { Static } from 'typebox'
import type { queueItemSchema } from '../../../features/submissions/schema.ts'
import type { OperatorAnswers } from '../../../features.ts'
import { command, type Group, list } from '../derived/declared.ts'
import { counted, printTable, say } from '../kit/output.ts'
import type { Columns } from '../kit/table.ts'
import { planLimits } from './partners.ts'

const workText = ({
  state,
  paymentType,
  assignee,
}: Pick<Static<typeof queueItemSchema>, 'state' | 'paymentType' | 'assignee'>): string =>
  [state ?? 'waiting for a package', paymentType && `package ${paymentType}`, assignee].filter(Boolean).join(', ')

const CHECK_COLUMNS: Columns<OperatorAnswers['check_listings'][number]> = {
  WHEN: { time: 'checkedAt' },
  DIRECTORY: 'directory',
  LINK: 'state',
  STATUS: 'status',
  REL: { cut: 'rel' },
  TEXT: { cut: 'anchorText' },
  LISTING: { cut: 'listingUrl' },
}

export const submissionsCommands: Group = {
  examples: ['submissions list --state IN_QUEUE', 'submissions done acme-writer --notes "All entered."'],
  arguments: {
    id: ['<id>', 'Identifier of the submission, or id or slug of its tool when it has only one.'],
    slug: ['<directory>', 'Slug of the directory.'],
  },
  commands: [
    list('list_submissions', {
      description: 'List submissions, newest first.',
      empty: 'No submissions yet. Partners make them.',
      none: 'No such submissions.',
      columns: {
        ID: 'id',
        TOOL: { cut: ({ tool }) => tool.slug },
        STATE: 'state',
        PACKAGE: ({ paymentType }) => paymentType ?? 'waiting',
        ENTERED: ({ submittedCount, targetDirectoriesCount }) => `${submittedCount}/${targetDirectoriesCount}`,
        ASSIGNEE: { cut: 'assignee' },
        PARTNER: { cut: ({ client }) => client.name },
        MADE: { day: 'createdAt' },
        NOTES: { cut: 'notes' },
      },
      examples: ['submissions list', 'submissions list --state REVIEW --json'],
    }),
    command('get_submission', {
      description: 'Show a submission: the tool, and the directories on record.',
      examples: ['submissions show acme-writer'],
      says: (work) =>
        [
          `${work.tool.name} (${work.tool.website}), submitted by ${work.client.name}`,
          `${workText(work)}; ${work.submittedCount} of ${work.targetDirectoriesCount} entered`,
          ...(work.notes ? [`Notes: ${work.notes}`] : []),
          ...(work.internalNotes ? [`Internal notes: ${work.internalNotes}`] : []),
          ...work.flaggedTexts.map(({ field, reason, excerpt }) => `To review: ${field} ${reason}: ${excerpt}`),
          '',
        ].join('\n'),
      prints: ({ submissions: rows }) => {
        if (rows.length === 0) return say('No directory is on record yet.')
        const WHEN = { day: 'submittedAt' } as const
        printTable(rows, {
          DIRECTORY: 'slug',
          DR: 'domainRating',
          ENTERED: 'isSubmitted',
          WHEN,
          WAITS: 'waitingFor',
          WHY: 'reason',
          LISTING: { cut: 'listingUrl' },
        })
      },
    }),
    command('change_submission', {
      description: 'Change a submission. What is not given stays as it is.',
      fields: { plan: planLimits({ isOwn: true }) },
      examples: [
        'submissions change acme-writer --state ASSIGNED --assignee op@example.com',
        'submissions change acme-writer --payment-type starter',
      ],
      says: (item) => `Changed ${item.tool.slug}: ${workText(item)}.`,
    }),
    command('change_submissions', {
      description:
        'Assign, move or set the package of many submissions. The exit status is 1 when one was not changed.',
      arguments: { ids: ['<ids...>', 'Identifiers of the submissions, or ids or slugs of their tools.'] },
      fields: { submissions: false },
      isChange: true,
      examples: [
        'submissions bulk acme-writer acme-mail --assignee op@example.com --state ASSIGNED',
        'submissions bulk acme-writer acme-mail --payment-type starter',
      ],
      prepare: ({ body, texts }) => ({ body: { submissions: texts('ids').map((id) => ({ id })), ...body } }),
      says: (results) => `${results.filter(({ error }) => error === null).length} of ${results.length} changed.`,
      prints: (results) => {
        const refused = results.filter(({ error }) => error !== null)
        if (refused.length > 0) printTable(refused, { 'NOT CHANGED': 'id', WHY: { cut: 'error' } })
      },
      fails: (results) => results.some(({ error }) => error !== null),
    }),
    command('record_directory', {
      name: 'record',
      description:
        'Record one directory of a submission, in place of what is on record. What is not given is empty afterwards.',
      fields: {
        isSubmitted: {
          flags: { submitted: ['The tool was entered.', true], 'not-submitted': ['The tool was not entered.', false] },
        },
      },
      examples: [
        'submissions record acme-writer launch-list --submitted --listing-url https://launch-list.example.org/a',
      ],
      says: ({ name, isSubmitted }) => `Recorded ${name}: ${isSubmitted ? '' : 'not '}submitted.`,
    }),
    command('complete_submission', {
      description: 'Mark the work Done, which is final and tells the partner.',
      examples: ['submissions done acme-writer --notes "All entered."'],
      says: ({ tool, submittedCount }) =>
        `Done: ${tool.slug}, ${counted(submittedCount, 'directory', 'directories')} entered.`,
    }),
    command('get_submission_plan', {
      description: 'Show which directories fit the product of a submission, and why.',
      options: [new Option('--left', 'Also show why the others are left out.')],
      examples: ['submissions plan acme-writer', 'submissions plan acme-writer --count 10 --left'],
      says: ({ count, shortBy, chosen }) =>
        `${chosen.length} of ${count} directories.${shortBy > 0 ? ' No others fit.' : ''}`,
      prints: ({ chosen, left }, { command }) => {
        const SHOWN = { DIRECTORY: 'slug', SCORE: 'score', DR: 'domainRating', RECORDED: 'recorded' } as const
        if (chosen.length > 0) printTable(chosen, { ...SHOWN, WHY: { cut: ({ reasons }) => reasons.join('; ') } })
        if (!command.opts().left || left.length === 0) return
        say('\nLeft out:')
        printTable(left, { DIRECTORY: 'slug', WHY: { cut: 'reason' } })
      },
    }),
    command('decide_plan_directory', {
      name: 'decide',
      description: 'Pin a directory to the plan of a submission, skip it, or withdraw that.',
      fields: {
        decision: {
          flags: {
            pin: ['It stays in the plan.', 'pinned'],
            skip: ['It is never in the plan.', 'skipped'],
            withdraw: ['No decision any more.', null],
          },
        },
      },
      examples: ['submissions decide acme-writer launch-list --skip --reason refused'],
      says: ({ name, decision }) => `${name}: ${decision ?? 'no decision'}.`,
    }),
    list('list_plan_decisions', {
      description: 'List the directories that were pinned or skipped in a plan.',
      empty: 'Nothing was pinned or skipped.',
      columns: {
        DIRECTORY: 'slug',
        DECISION: 'decision',
        REASON: { cut: 'reason' },
        WHEN: { day: 'updatedAt' },
        VERSION: 'version',
      },
      examples: ['submissions decisions acme-writer'],
    }),
    list('check_listings', {
      description: 'Look at the listings of a submission now.',
      empty: 'No listing could be looked at now.',
      columns: CHECK_COLUMNS,
      examples: ['submissions check acme-writer'],
    }),
    list('list_link_checks', {
      description: 'List the looks at the listings, newest first.',
      empty: 'Not looked at yet.',
      columns: CHECK_COLUMNS,
      examples: ['submissions checks acme-writer --json'],
    }),
    command('replace_report', {
      description: 'Give the report of a submission another address.',
      examples: ['submissions report acme-writer'],
      says: ({ reportUrl }) => `The report is at ${reportUrl}; its old address no longer works.`,
    }),
    command('next_submission'),
    list('list_waiting', {
      description: 'List the directories on record that wait, those that have waited longest first.',
      empty: 'Nothing waits.',
      none: 'Nothing such waits.',
      columns: {
        TOOL: { cut: ({ tool }) => tool.slug },
        DIRECTORY: 'directory',
        FOR: 'waitingFor',
        WHY: 'reason',
        SINCE: { day: 'since' },
        'WHAT TO DO': { cut: 'action' },
      },
      examples: ['submissions waiting --waiting-for us', 'submissions waiting --reason overdue'],
    }),
    command('list_queue_views'),
    command('put_queue_view', { name: 'put-view' }),
    command('delete_queue_view', {
      name: 'delete-view',
      asks: ({ text }) => `Delete the view ${text('name')} for good?`,
    }),
  ],
}

export const linksCommands: Group = {
  examples: ['links list --follow-up', 'links list --lost --json'],
  commands: [
    list('list_links', {
      description: 'List the links on recorded listings, the last looked at first.',
      empty: 'No listing is on record yet.',
      none: 'No such links.',
      columns: {
        TOOL: { cut: ({ tool }) => tool.slug },
        DIRECTORY: 'directory',
        LINK: ({ link }) => link.state,
        LOOKED: { time: ({ link }) => link.checkedAt },
        LOST: { time: 'lostAt' },
        DRIFT: { cut: ({ drift }) => drift.map(({ field }) => field).join(', ') },
        LISTING: { cut: 'listingUrl' },
      },
      examples: ['links list --follow-up', 'links list --state blocked', 'links list --drift --json'],
    }),
  ],
}

export const proposalsCommands: Group = {
  examples: ['proposals list --state waiting', 'proposals decide ID --decision accept'],
  arguments: { id: ['<id>', 'Identifier of the proposal.'] },
  commands: [
    list('list_proposals', {
      description:
        'List changes of listings that partners, owners, looks at directories and the language model propose, newest first.',
      empty: 'Nothing was proposed yet.',
      none: 'No proposal fits.',
      columns: {
        ID: 'id',
        LISTING: { cut: ({ tool, directory }) => (tool ?? directory)?.slug ?? '' },
        FIELD: 'field',
        NEW: { cut: 'new' },
        BY: { cut: ({ author }) => author.name },
        STATE: 'state',
        MADE: { time: 'createdAt' },
      },
      examples: ['proposals list --state waiting', 'proposals list --author model'],
    }),
    command('decide_proposal', {
      name: 'decide',
      description: 'Accept or refuse a proposal.',
      examples: ['proposals decide ID --decision accept', 'proposals decide ID --decision refuse --reason "Too long"'],
      says: ({ field, tool, directory, state }) => `${field} of ${(tool ?? directory)?.slug ?? 'a listing'}: ${state}.`,
    }),
  ],
}
