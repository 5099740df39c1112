// `catalog submissions plan`, `decide` and `decisions`: which directories fit a product. Also the options for the limits of plans.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { getPlan } from '../../../features/plan/operations.ts'
import { decisionBody, type PlanAnswer } from '../../../features/plan/schema.ts'
import { addFields, addVersionGuard, givenOptions, guardGiven } from '../derived/schema-options.ts'
import { call } from '../kit/client.ts'
import { examples } from '../kit/lists.ts'
import { answer, printTable, say } from '../kit/output.ts'
import { shortDay } from '../kit/table.ts'

export function addPlan(submissions: Command, idMeans: string): void {
  const { count } = getPlan.parameters.properties
  const plan = addFields(
    submissions
      .command('plan')
      .description('Show which directories fit the product of a submission, and why.')
      .argument('<id>', idMeans),
    { count },
  ).option('--left', 'Also show why the others are left out.')
  plan.addHelpText('after', examples('submissions plan acme-writer', 'submissions plan acme-writer --count 10 --left'))
  plan.action(async (id: string) => {
    const made = await call(plan, 'get_submission_plan', {
      params: { id },
      query: givenOptions(plan, ['count']),
    })
    answer(plan, made, () => print(made, plan.opts().left === true))
  })
  addDecide(submissions, idMeans)
  addDecisions(submissions, idMeans)
}

function print({ count, shortBy, chosen, left }: PlanAnswer, withLeft: boolean): void {
  say(
    `${chosen.length} of ${count} directories.${shortBy > 0 ? ` ${shortBy} are missing, because no others fit.` : ''}`,
  )
  if (chosen.length > 0)
    printTable(chosen, [
      { title: 'DIRECTORY', value: ({ slug }) => slug },
      { title: 'SCORE', value: ({ score }) => score },
      { title: 'DR', value: ({ domainRating }) => domainRating },
      { title: 'RECORDED', value: ({ recorded }) => recorded },
      { title: 'WHY', value: ({ reasons }) => reasons.join('; '), cuttable: true },
    ])
  if (!withLeft || left.length === 0) return
  say('\nLeft out:')
  printTable(left, [
    { title: 'DIRECTORY', value: ({ slug }) => slug },
    { title: 'WHY', value: ({ reason }) => reason, cuttable: true },
  ])
}

function addDecide(submissions: Command, idMeans: string): void {
  const { reason } = decisionBody.properties
  const decide = submissions
    .command('decide')
    .description('Pin a directory to the plan of a submission, skip it, or withdraw that.')
    .argument('<id>', idMeans)
    .argument('<directory>', 'Slug of the directory.')
    .addOption(new Option('--pin', 'It stays in the plan.').implies({ decision: 'pinned' }))
    .addOption(new Option('--skip', 'It is never in the plan.').implies({ decision: 'skipped' }).conflicts('pin'))
    .addOption(new Option('--withdraw', 'No decision any more.').implies({ decision: null }).conflicts(['pin', 'skip']))
  addVersionGuard(addFields(decide, { reason }))
    .addHelpText('after', examples('submissions decide acme-writer launch-list --skip --reason refused'))
    .action(async (id: string, slug: string) => {
      const { decision, withdraw } = decide.opts()
      if (decision === undefined && !withdraw) decide.error('error: give --pin, --skip or --withdraw')
      const made = await call(decide, 'decide_plan_directory', {
        params: { id, slug },
        query: guardGiven(decide),
        body: { decision: decision ?? null, ...givenOptions(decide, ['reason']) },
      })
      answer(decide, made, () => say(`${made.name}: ${made.decision ?? 'no decision'}.`))
    })
}

function addDecisions(submissions: Command, idMeans: string): void {
  const decisions = submissions
    .command('decisions')
    .description('List the directories that were pinned or skipped in a plan.')
    .argument('<id>', idMeans)
  decisions.addHelpText('after', examples('submissions decisions acme-writer')).action(async (id: string) => {
    const rows = await call(decisions, 'list_plan_decisions', { params: { id } })
    answer(decisions, rows, () => {
      if (rows.length === 0) return say('Nothing was pinned or skipped.')
      printTable(rows, [
        { title: 'DIRECTORY', value: ({ slug }) => slug },
        { title: 'DECISION', value: ({ decision }) => decision },
        { title: 'REASON', value: ({ reason }) => reason, cuttable: true },
        { title: 'WHEN', value: ({ updatedAt }) => shortDay(updatedAt) },
        { title: 'VERSION', value: ({ version }) => version },
      ])
    })
  })
}

/** Stands for the value of the partner. */
const OF_PARTNER = 'partner'

/** `--budget` and `--badges`; with `isOwn`, for a submission, also `partner`: the limits of the partner hold again. */
export function addPlanLimits(command: Command, isOwn = false): Command {
  const more = isOwn ? ` ${OF_PARTNER}: as for the partner.` : ''
  const amount = (text: string): number | null => {
    if (isOwn && text === OF_PARTNER) return null
    if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be an amount such as 50.')
    return Number(text)
  }
  return command
    .addOption(
      new Option(
        '--budget <amount>',
        `The highest least price of a directory in plans; 0: free ones only.${more}`,
      ).argParser((text) => ({ value: amount(text) })),
    )
    .addOption(
      new Option('--badges <choice>', `Whether directories that demand a badge are proposed.${more}`).choices([
        'yes',
        'no',
        ...(isOwn ? [OF_PARTNER] : []),
      ]),
    )
}

/** The limits that were given, as a part of the body. */
export function planLimitsGiven(command: Command): { plan?: Record<string, number | boolean | null> } {
  const { budget, badges } = command.opts<{ budget?: { value: number | null }; badges?: string }>()
  if (budget === undefined && badges === undefined) return {}
  return {
    plan: {
      ...(budget === undefined ? {} : { budget: budget.value }),
      ...(badges === undefined ? {} : { badges: badges === OF_PARTNER ? null : badges === 'yes' }),
    },
  }
}
