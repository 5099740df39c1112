// Changes the submissions that were chosen in the table. The answer says how many were changed, and names some of those that were not.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { changeSubmissions } from '../../../../features/submissions/bench.operations.ts'
import { getSubmission } from '../../../../features/submissions/read.operations.ts'
import type { Service } from '../../../http/service.ts'
import { signedInUser } from '../../../http/sessions.ts'
import { formOf } from '../../kit/forms.ts'
import { oneLine } from '../../kit/markup.ts'
import { redirectWith } from '../../kit/messages.ts'
import { performAs } from '../../kit/private-pages.ts'
import { redirectIfRefused } from '../redirect-if-refused.ts'
import { SUBMISSIONS } from './list.ts'
import { ownAddress } from './own-address.ts'
import { PICK } from './queue-table.ts'

// The message is kept in a cookie, which must stay small.
const NAMED = 3

/** The name of its tool; the id when there is no such submission any more. */
const nameOf = (service: Service, request: FastifyRequest, id: string): Promise<string> =>
  performAs(service, request, getSubmission, { id }).then(
    ({ tool }) => oneLine(tool.name, 60),
    () => id.slice(0, 60),
  )

export async function changeChosen(service: Service, request: FastifyRequest, reply: FastifyReply) {
  const form = formOf(request)
  const back = ownAddress(form.back) ?? `${SUBMISSIONS}?view=table`
  const submissions = Object.entries(form).flatMap(([name, version]) =>
    name.startsWith(PICK) ? [{ id: name.slice(PICK.length), version: Number(version) }] : [],
  )
  if (submissions.length === 0)
    return redirectWith(service, reply, back, { kind: 'notice', text: 'Choose at least one submission.' })
  const assignee = form.assignee?.trim()
  const body = {
    submissions,
    ...(assignee ? { assignee: assignee.toLowerCase() === 'me' ? signedInUser(request).email : assignee } : {}),
    ...(form.state ? { state: form.state } : {}),
    ...(form.paymentType ? { paymentType: form.paymentType } : {}),
  }
  const answer = await redirectIfRefused(service, reply, back, () =>
    performAs(service, request, changeSubmissions, {}, body),
  )
  if ('refused' in answer) return answer.refused
  const refused = answer.done.filter(({ error }) => error !== null)
  const changed = `${answer.done.length - refused.length} of ${answer.done.length} changed.`
  if (refused.length === 0) return redirectWith(service, reply, back, { kind: 'good', text: changed })
  const reasons: string[] = []
  for (const { id, error } of refused.slice(0, NAMED))
    reasons.push(`${await nameOf(service, request, id)}: ${(error ?? '').slice(0, 200)}`)
  const more = refused.length > NAMED ? [`And ${refused.length - NAMED} more.`] : []
  return redirectWith(service, reply, back, { kind: 'danger', text: [changed, ...reasons, ...more].join(' ') })
}
