// The suggestions that the search in the masthead shows while a visitor types, as a fragment of HTML. They come from the same search as
// /search, with fewer listings and without products that have ended.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type FoundInBoth, searchBoth } from '../../../../features/catalog/site/search-both.ts'
import { SUGGESTION_BUDGETS } from '../../../../features/keys/budgets.rules.ts'
import { readParameters } from '../../../../kernel/input.ts'
import { identifiedCaller, visitorGate } from '../../../http/gate.ts'
import type { Service } from '../../../http/service.ts'
import { tile } from '../../kit/components.ts'
import { icon } from '../../kit/icon.ts'
import { type AddressQuery, addressWith, queryText } from '../../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { HTML_TYPE, publicBody, sendPublic } from '../../kit/sending/answers.ts'
import { addPublicPages } from '../../kit/sending/public-pages.ts'
import { amount } from '../../kit/values.ts'

const parameters = Type.Object({ q: Type.String({ maxLength: 500 }) })

/** How many listings of each catalog are shown. */
const SHOWN_OF_EACH = 4

const SUGGESTIONS = '/search/suggestions'

/** Suggestions have a budget of their own, because a visitor who types would otherwise spend the budget of pages. */
export function addSuggestions(server: FastifyInstance, service: Service): void {
  const gate = visitorGate(service, 'suggestions', service.scale(SUGGESTION_BUDGETS))
  addPublicPages(server, service, { [SUGGESTIONS]: sendSuggestions(service) }, { gate })
}

const sendSuggestions = (service: Service) => async (request: FastifyRequest, reply: FastifyReply) => {
  const { q } = readParameters(parameters, { q: queryText(request.query as AddressQuery, 'q') })
  const found = await searchBoth(service.context(identifiedCaller(request)), {
    q,
    limit: SHOWN_OF_EACH,
    isUnfinished: true,
  })
  reply.header('x-robots-tag', 'noindex')
  return sendPublic(request, reply, HTML_TYPE, publicBody(Buffer.from(String(suggestionList(q, found)))))
}

/** A list of links with the roles of a list box; the script gives each an id. The script announces `data-count` to screen readers. */
function suggestionList(q: string, { tools, directories, first }: FoundInBoth): Markup {
  const groups = [
    group(
      'Tools',
      tools.listings.map(({ slug, name, tagline, icon }) => option(`/tools/${slug}`, name, tagline, tile(name, icon))),
    ),
    group(
      'Directories',
      directories.listings.map(({ slug, name, smallDescription, icon }) =>
        option(`/directories/${slug}`, name, smallDescription ?? '', tile(name, icon)),
      ),
    ),
  ]
  if (first === 'directories') groups.reverse()
  const count = `${amount(tools.total, 'tool', 'tools')} and ${amount(directories.total, 'directory', 'directories')}`
  return html`<div data-count="${count} found">${groups}<a role="option" class="all" tabindex="-1" href="${addressWith('/search', { q })}">${icon('search', 'small')}<span>${tools.total + directories.total > 0 ? `All results: ${count}` : 'Nothing found. Search with other words.'}</span></a></div>
`
}

const group = (label: string, options: readonly Markup[]): Markup | null =>
  options.length === 0
    ? null
    : html`<div role="group" aria-label="${label}"><div class="label" aria-hidden="true">${label}</div>${options}</div>`

const option = (href: string, name: string, text: string, logo: Markup): Markup =>
  html`<a role="option" tabindex="-1" href="${href}">${logo}<span><bdi>${oneLine(name, 60)}</bdi><span class="quiet" dir="auto">${oneLine(text, 70)}</span></span></a>`
