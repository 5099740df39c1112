// Changes the submissions that were chosen in the table. The answer says how many were changed, and names some of those that were not.
import { changeSubmissions } from '../../../../features/submissions/bench.operations.ts'
import { getSubmission } from '../../../../features/submissions/read.operations.ts'
import { Failure } from '../../../../kernel/errors.ts'
import { oneLine } from '../../kit/markup.ts'
import { isCorrectable } from '../../kit/private-pages.ts'
import type { Visit } from '../visit.ts'
import { SUBMISSIONS } from './list.ts'
import { ownAddress } from './own-address.ts'
import { PICK } from './queue-table.ts'

// The message is kept in a cookie, which must stay small.
const NAMED = 3

/** The name of its tool; the id when there is no such submission any more. */
const nameOf = (visit: Visit, id: string): Promise<string> =>
  visit.perform(getSubmission, { id }).then(
    ({ tool }) => oneLine(tool.name, 60),
    () => id.slice(0, 60),
  )

export async function changeChosen(visit: Visit) {
  const form = visit.form
  const back = ownAddress(form.back) ?? `${SUBMISSIONS}?view=table`
  const submissions = Object.entries(form).flatMap(([name, version]) =>
    name.startsWith(PICK) ? [{ id: name.slice(PICK.length), version: Number(version) }] : [],
  )
  if (submissions.length === 0) return visit.redirect(back, { kind: 'notice', text: 'Choose at least one submission.' })
  const assignee = form.assignee?.trim()
  const body = {
    submissions,
    ...(assignee ? { assignee: assignee.toLowerCase() === 'me' ? visit.user.email : assignee } : {}),
    ...(form.state ? { state: form.state } : {}),
    ...(form.paymentType ? { paymentType: form.paymentType } : {}),
  }
  const changes = await visit.perform(changeSubmissions, {}, body).catch((error) => {
    if (!isCorrectable(error)) throw error
    return error
  })
  if (changes instanceof Failure) return visit.redirect(back, { kind: 'danger', text: changes.message })
  const refused = changes.filter(({ error }) => error !== null)
  const changed = `${changes.length - refused.length} of ${changes.length} changed.`
  if (refused.length === 0) return visit.redirect(back, { kind: 'good', text: changed })
  const reasons: string[] = []
  for (const { id, error } of refused.slice(0, NAMED))
    reasons.push(`${await nameOf(visit, id)}: ${(error ?? '').slice(0, 200)}`)
  const more = refused.length > NAMED ? [`And ${refused.length - NAMED} more.`] : []
  return visit.redirect(back, { kind: 'danger', text: [changed, ...reasons, ...more].join(' ') })
}
