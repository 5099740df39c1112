// Handles forms: performs an operation, and then redirects with a message or shows a secret once. `action` is for forms with a single
// button, `save` for forms with fields.
import type { FastifyReply } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import { Failure } from '../../../../kernel/errors.ts'
import type { Operation, Unread, UnreadBody } from '../../../../kernel/operation.ts'
import { linkButton } from '../button.ts'
import { copyableValue, sectionHead } from '../components.ts'
import { html, type Markup } from '../markup.ts'
import { isCorrectable, type Visit, type VisitHandler } from '../sending/private-pages.ts'
import { type DeclaredForm, type Refused, SLUG_LABEL } from './declared-form.ts'
import { expectedVersionOf, type Refusal, refusalOf } from './forms.ts'

interface PerformedForm<I extends TObject, B extends TSchema, D extends TSchema, Found> {
  operation: Operation<I, B, D>
  /** Loads what the other functions get as `found`. It throws a 404 if that does not exist. */
  find?: (visit: Visit) => Promise<Found>
  /** By default the parameters of the operation that are in the path. An operation with `ifVersion` also gets the version in the form. */
  parameters?: (visit: Visit) => Unread<Static<I>>
  body?: (visit: Visit, found: Found) => UnreadBody<B>
  /** The message after a success. */
  text?: string | ((visit: Visit, outcome: Static<D>) => string)
  /** A secret that this answer shows, on a page instead of a redirect, because no other answer contains it. */
  secret?: (outcome: Static<D>, found: Found, visit: Visit) => Secret
}

type Address<Outcome = unknown> = string | ((visit: Visit, outcome: Outcome) => string)

/** Handles a form with a single button. Redirects to the page `back`, and after a success to `done` if that is given. */
export const action =
  <I extends TObject, B extends TSchema, D extends TSchema, Found>(
    given: PerformedForm<I, B, D, Found> & { back: string | ((visit: Visit) => string); done?: Address<Static<D>> },
  ): VisitHandler =>
  async (visit) => {
    const back = typeof given.back === 'string' ? given.back : given.back(visit)
    const found = await foundFor(visit, given)
    try {
      return await finish(visit, given, found, given.done ?? back, await performOperation(visit, given, found))
    } catch (error) {
      if (!isCorrectable(error)) throw error
      return visit.redirect(back, { kind: 'danger', text: error.message })
    }
  }

/** Handles a form with fields. When it is refused, `page` shows it again with what was typed; after a success it redirects to `done`. */
export const save =
  <I extends TObject, B extends TSchema, D extends TSchema, Found, Name extends string>(
    given: PerformedForm<I, B, D, Found> & {
      form: DeclaredForm<Name>
      page: (visit: Visit, refused: Refused<Name>) => Promise<FastifyReply>
      /** Returns the message for a failure that needs its own, also for one that the form usually does not show; null: the usual message. */
      refuse?: (failure: Failure, visit: Visit) => (Refusal & { status: number }) | null
      done: Address<Static<D>>
    },
  ): VisitHandler =>
  async (visit) => {
    const typed = given.form.typed(visit.form)
    try {
      const found = await foundFor(visit, given)
      const outcome = await performOperation(visit, given, found, given.form.body(typed))
      return await finish(visit, given, found, given.done, outcome)
    } catch (error) {
      const ownRefusal = error instanceof Failure ? given.refuse?.(error, visit) : null
      if (ownRefusal) return given.page(visit, { typed, ...ownRefusal })
      if (!isCorrectable(error)) throw error
      return given.page(visit, {
        typed,
        ...refusalOf(error, { slug: SLUG_LABEL, ...given.form.labels }),
        status: error.status,
      })
    }
  }

async function foundFor<I extends TObject, B extends TSchema, D extends TSchema, Found>(
  visit: Visit,
  { find }: PerformedForm<I, B, D, Found>,
) {
  return (await find?.(visit)) as Found
}

function performOperation<I extends TObject, B extends TSchema, D extends TSchema, Found>(
  visit: Visit,
  { operation, parameters, body }: PerformedForm<I, B, D, Found>,
  found: Found,
  typed?: unknown,
): Promise<Static<D>> {
  const declared = operation.parameters.properties
  const guard = 'ifVersion' in declared ? expectedVersionOf(visit) : {}
  const values = parameters
    ? parameters(visit)
    : Object.fromEntries(
        Object.keys(declared).flatMap((name) => (visit.param(name) ? [[name, visit.param(name)]] : [])),
      )
  // The operation validates parameters and body by its schemas, so unchecked values of a form may be passed.
  return visit.perform<TObject, TSchema, D>(operation, { ...guard, ...values }, body ? body(visit, found) : typed)
}

async function finish<I extends TObject, B extends TSchema, D extends TSchema, Found>(
  visit: Visit,
  { text, secret }: PerformedForm<I, B, D, Found>,
  found: Found,
  done: Address<Static<D>>,
  outcome: Static<D>,
): Promise<FastifyReply> {
  const path = typeof done === 'string' ? done : done(visit, outcome)
  if (secret) return visit.send(secretPage(secret(outcome, found, visit), path), 201)
  const words = typeof text === 'function' ? text(visit, outcome) : text
  return visit.redirect(path, words === undefined ? undefined : { kind: 'good', text: words })
}

interface Secret {
  title: string
  intro: Markup | string
  values: readonly (readonly [label: string, value: string])[]
}

/** The page that shows a secret once. */
const secretPage = ({ title, intro, values }: Secret, back: string) => ({
  title,
  flash: [{ kind: 'notice' as const, text: 'This is the only time it is shown. Copy it now.', isPermanent: true }],
  body: html`<div class="flow">
<h1>${title}</h1>
<p>${intro}</p>
${values.map(([label, value]) => html`${sectionHead(label)}<p>${copyableValue(value, `Copy: ${label}`)}</p>`)}
<div class="row">${linkButton(back, 'I have copied it')}</div>
</div>`,
})
