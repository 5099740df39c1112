// The page that marks a submission Done. It says what will be sent to the partner and what is missing, and has the notes.
import type { FastifyReply } from 'fastify'
import { getBench } from '../../../../features/plan/operations.ts'
import type { BenchRow } from '../../../../features/plan/schema.ts'
import { nextSubmission } from '../../../../features/submissions/bench/bench.operations.ts'
import type { Failure } from '../../../../kernel/errors.ts'
import { button, linkButton } from '../../kit/button.ts'
import { breadcrumbs } from '../../kit/components.ts'
import { textarea } from '../../kit/forms/field.ts'
import { storedValuesSection, versionField } from '../../kit/forms/forms.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Visit } from '../../kit/sending/private-pages.ts'
import { amount, number } from '../../kit/values.ts'
import { eventLabel } from '../../webhook-parts.ts'
import { externalLink } from '../kit/list-pages.ts'
import { SUBMISSIONS } from './list.ts'
import type { SubmissionWork } from './work.ts'

export async function showDone(visit: Visit, work: SubmissionWork, refused: { notes?: string; error?: Failure } = {}) {
  const bench = await visit.perform(getBench, { id: work.id })
  const toDo = bench.rows.filter(({ isPlanned, state }) => isPlanned && (state === 'open' || state === 'planned'))
  const { notes, error } = refused
  const page = donePage(visit, work, toDo, notes)
  const flash = error ? [{ kind: 'danger' as const, text: error.message }, ...page.flash] : page.flash
  return visit.send({ ...page, flash }, error?.status)
}

function donePage(visit: Visit, work: SubmissionWork, toDo: readonly BenchRow[], typed?: string) {
  const { tool, client, submittedCount, recordedSubmissions, targetDirectoriesCount: target, notes } = work
  const path = `${SUBMISSIONS}/${work.id}`
  const submitted = work.submissions.filter(({ isSubmitted }) => isSubmitted)
  const planned = recordedSubmissions - submittedCount
  const flash = {
    kind: 'notice' as const,
    text: `The package promises ${target} directories, and ${submittedCount} ${submittedCount === 1 ? 'is' : 'are'} submitted.`,
    isPermanent: true,
  }
  return {
    title: `Done: ${tool.name}`,
    flash: submittedCount < target ? [flash] : [],
    body: html`<div class="flow prose">
${breadcrumbs([{ label: 'Submissions', href: SUBMISSIONS }, { label: tool.name, href: path }, { label: 'Done' }])}
<h1>Mark <bdi>${tool.name}</bdi> as done?</h1>
<p class="lead">Done is final: the state can no longer be changed.</p>
${
  client.webhookUrl
    ? html`<p><bdi>${client.name}</bdi> is told at once: the event “${eventLabel('directory_submissions.completed')}” goes to <code>${client.webhookUrl}</code>, with the notes below and ${amount(submittedCount, 'submitted directory', 'submitted directories')}${withoutListing(submitted)}.</p>`
    : html`<p><bdi>${client.name}</bdi> has no webhook URL: nothing is sent, and the partner sees it when it asks for the status: the notes below and ${amount(submittedCount, 'submitted directory', 'submitted directories')}${withoutListing(submitted)}.</p>`
}
${planned > 0 && html`<p>${amount(planned, 'directory is', 'directories are')} only planned and not part of it.</p>`}
${missingList(path, submitted, toDo)}
<form class="form" method="post" action="${path}/done">${visit.token}${versionField(work)}
${storedValuesSection([['Notes', typed, notes]])}
${textarea({ name: 'notes', label: 'Notes', value: typed ?? notes, maxLength: 10_000, rows: 4, hint: 'The partner sees them.' })}
<div class="row">${button('Mark as done')}${button('Finish and open the next', { kind: 'plain', name: 'after', value: 'next' })}${linkButton(path, 'Cancel', { kind: 'plain' })}</div></form>
${
  submitted.length > 0 &&
  html`<details><summary>The directories</summary><ul class="links">${submitted.map(({ name, listingUrl }) => html`<li><bdi>${name}</bdi><span class="note">${externalLink(listingUrl, 'Listing') ?? 'No listing'}</span></li>\n`)}</ul></details>`
}
</div>`,
  }
}

type Row = SubmissionWork['submissions'][number]

const withoutListing = (submitted: readonly Row[]): string => {
  const without = submitted.filter(({ listingUrl }) => !listingUrl).length
  return without > 0 ? `, ${without} of them without the address of a listing` : ''
}

/** What is missing; null if nothing is. Each directory links to the bench, where it can be entered. */
function missingList(path: string, submitted: readonly Row[], toDo: readonly BenchRow[]): Markup | null {
  const groups: [string, readonly { slug: string; name: string }[]][] = [
    ['In the plan and not submitted', toDo],
    ['Submitted without the address of a listing', submitted.filter(({ listingUrl }) => !listingUrl)],
    ['Submitted without proof', submitted.filter(({ proofUrl }) => !proofUrl)],
  ]
  const missing = groups.filter(([, rows]) => rows.length > 0)
  if (missing.length === 0) return null
  return html`<section aria-label="What is missing"><h2>What is missing</h2>${missing.map(
    ([title, rows]) =>
      html`<details><summary>${title}: ${number(rows.length)}</summary><ul class="links">${rows.map(({ slug, name }) => html`<li><a href="${addressWith(path, { directory: slug })}"><bdi>${name}</bdi></a></li>\n`)}</ul></details>`,
  )}</section>`
}

/** Redirects to the next submission in the queue. `said`: the message about this one, which the next page shows. */
export async function goToNext(visit: Visit, said = ''): Promise<FastifyReply> {
  const { next } = await visit.perform(nextSubmission, { after: visit.param('id') })
  if (!next) return visit.redirect(SUBMISSIONS, { kind: 'good', text: `${said} Nothing waits in the queue.`.trim() })
  return visit.redirect(`${SUBMISSIONS}/${next.id}`, said ? { kind: 'good', text: said } : undefined)
}
