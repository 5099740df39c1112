// What the signed-in user has put aside: the shortlist and launch plans. Public pages link here with what is to be added, which works
// without a script and for a visitor who has to sign in first.
import type { Static } from 'typebox'
import * as own from '../../../features/saved/account.operations.ts'
import { MOST_QUERY, MOST_SAVED, type savedSchema } from '../../../features/saved/schema.ts'
import type { Context } from '../../../kernel/context.ts'
import { SAVED } from '../addresses.ts'
import { actionForm, button, linkButton } from '../kit/button.ts'
import { card, emptyState, sectionHead } from '../kit/components.ts'
import { action } from '../kit/forms/actions.ts'
import { field, hiddenField } from '../kit/forms/field.ts'
import { type AddressQuery, addressWith } from '../kit/lists/address-query.ts'
import { html, type Markup } from '../kit/markup.ts'
import type { Visit, VisitPages } from '../kit/sending/private-pages.ts'
import { amount, shortDay } from '../kit/values.ts'
import { findDirectory, findTool, slugsIn } from '../site/catalog-reads.ts'
import { SHORTLIST } from '../site/chosen/shortlist.ts'
import { directoryLines, toolLines } from '../site/entries.ts'
import { PLAN } from '../site/plan/plan.ts'

type Saved = Static<typeof savedSchema>
type Listings = Pick<Saved, 'tools' | 'directories'>

const saved = ({ perform }: Visit): Promise<Saved> => perform(own.getOwnSaved, {})

export const savedPages: VisitPages = {
  [SAVED]: { GET: async (visit) => visit.send(savedPage(visit, await saved(visit))) },
  // The script of public pages reads and changes the shortlist here.
  [`${SAVED}/shortlist.json`]: {
    GET: async (visit) => {
      const { tools, directories } = await saved(visit)
      return visit.reply.send({ tools, directories, ...visit.values })
    },
  },
  [`${SAVED}/shortlist`]: {
    POST: action({
      operation: own.changeOwnShortlist,
      body: ({ form }) => ({ add: listingsIn(form), remove: listingsIn({ [form.remove ?? '']: form.slug }) }),
      back: SAVED,
      text: 'Your shortlist is saved.',
    }),
  },
  [`${SAVED}/plans`]: {
    POST: action({
      operation: own.saveOwnPlan,
      body: ({ form: { name = '', query = '' } }) => ({ name, query }),
      back: ({ form: { query = '' } }) => {
        const again = addressWith(SAVED, { plan: query })
        // A longer address might not be opened by a browser.
        return again.length > MOST_QUERY ? SAVED : again
      },
      done: SAVED,
      text: 'The plan is saved.',
    }),
  },
  [`${SAVED}/plans/delete`]: {
    POST: action({
      operation: own.deleteOwnPlan,
      parameters: ({ form: { name = '' } }) => ({ name }),
      back: SAVED,
      text: 'The plan is deleted.',
    }),
  },
}

const listingsIn = (query: AddressQuery): Listings => ({
  tools: slugsIn(query, 'tools', MOST_SAVED),
  directories: slugsIn(query, 'directories', MOST_SAVED),
})

const countOf = ({ tools, directories }: Listings): number => tools.length + directories.length

const addressOf = (path: string, { tools, directories }: Listings): string =>
  addressWith(path, { tools: tools.join(','), directories: directories.join(',') }).replaceAll('%2C', ',')

function savedPage(visit: Visit, saved: Saved) {
  const offered = listingsIn(visit.request.query as AddressQuery)
  const added = {
    tools: offered.tools.filter((slug) => !saved.tools.includes(slug)),
    directories: offered.directories.filter((slug) => !saved.directories.includes(slug)),
  }
  const { plan } = visit.query(['plan'])
  return {
    title: 'Saved',
    body: html`<div class="flow">
<h1>Saved</h1>
${countOf(added) > 0 && addListings(added, visit)}
${plan && addPlan(plan, visit)}
${shortlistSection(visit.ctx, saved)}
${plansSection(saved, visit)}
</div>`,
  }
}

const addListings = (added: Listings, visit: Visit): Markup =>
  card(
    `Keep ${amount(countOf(added), 'more listing', 'more listings')} in your account?`,
    html`<p>They join your shortlist, which then is the same in every browser in which you are signed in.</p>
${actionForm({ action: `${SAVED}/shortlist`, label: 'Keep them', values: { ...visit.values, tools: added.tools.join(','), directories: added.directories.join(',') } })}`,
    { accent: true, level: 2 },
  )

const addPlan = (query: string, visit: Visit): Markup =>
  card(
    'Keep this launch plan?',
    html`<form class="form" method="post" action="${SAVED}/plans">${visit.token}${hiddenField('query', query)}
${field({ name: 'name', label: 'What do you call it?', required: true, maxLength: 80, value: 'My launch', hint: 'A plan of the same name is replaced, with what you have ticked off.' })}
<div class="row">${button('Keep the plan')}${linkButton(`${PLAN}?${query}`, 'Back to the plan', { kind: 'plain' })}</div></form>`,
    { accent: true, level: 2 },
  )

/** How many listings of each catalog are shown here; the page of the shortlist shows all. */
const SHOWN = 6

function shortlistSection(ctx: Context, saved: Saved): Markup {
  const newest = (slugs: readonly string[]) => slugs.slice(-SHOWN).toReversed()
  const tools = newest(saved.tools).flatMap((slug) => findTool(ctx, slug) ?? [])
  const directories = newest(saved.directories).flatMap((slug) => findDirectory(ctx, slug) ?? [])
  return html`<section class="flow">${sectionHead('Shortlist')}
${
  countOf(saved) === 0
    ? emptyState({
        title: 'Nothing on it yet',
        text: 'Put tools and directories on it with the bookmark beside their names.',
        action: html`<div class="row">${linkButton('/tools', 'Find tools')}${linkButton('/directories', 'Find directories', { kind: 'plain' })}</div>`,
      })
    : html`<div class="row">${linkButton(addressOf(SHORTLIST, saved), `Open the shortlist (${countOf(saved)})`)}${saved.directories.length > 0 && linkButton(`${PLAN}?directories=${saved.directories.join(',')}`, 'Make a plan of its directories', { kind: 'plain' })}</div>
<div class="halves">${tools.length > 0 && toolLines(tools)}${directories.length > 0 && directoryLines(directories)}</div>`
}</section>`
}

const plansSection = ({ plans }: Saved, visit: Visit): Markup =>
  html`<section class="flow">${sectionHead('Launch plans')}
${
  plans.length === 0
    ? emptyState({
        title: 'No plan yet',
        text: 'A plan lists the directories to enter a product into, in order, with the reason for each.',
        action: linkButton(PLAN, 'Make a launch plan', { kind: 'plain' }),
      })
    : html`<div class="panel"><ul class="links">${plans.map(({ name, query, createdAt }) => html`<li class="row apart"><span><a href="${PLAN}?${query}"><bdi>${name}</bdi></a> <span class="note">${shortDay(new Date(createdAt).toISOString())}</span></span>${actionForm({ action: `${SAVED}/plans/delete`, label: html`Delete<span class="visually-hidden"> ${name}</span>`, kind: 'plain', slim: true, values: { ...visit.values, name } })}</li>\n`)}</ul></div>`
}</section>`
