// Texts for programs that read the site: robots.txt, llms.txt and security.txt.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Snapshot } from '../../../../features/catalog/memory/snapshot.ts'
import { hasPage } from '../../../../features/site/rules.ts'
import type { SiteFields } from '../../../../features/site/schema.ts'
import { notFound } from '../../../../kernel/errors.ts'
import type { RoutedOperation } from '../../../../kernel/operation.ts'
import { DAY_MS, dayOf } from '../../../../kernel/values/days.ts'
import { AI_CATALOG, API_CATALOG, MCP_PATH, RESEARCH_PATH, REST_BASE, SERVER_CATALOG } from '../../../http/addresses.ts'
import type { Service } from '../../../http/service.ts'
import { SKILL_PATH } from '../../../http/skill.ts'
import { oneLine } from '../../kit/markup.ts'
import { publicBody, sendPublic } from '../../kit/sending/answers.ts'

/** `contentSignal`: what the operator allows programs to do with the content (contentsignals.org); empty says nothing. */
export const robots = (publicUrl: string, contentSignal: string): string =>
  `User-agent: *
${contentSignal && `Content-Signal: ${contentSignal}\n`}Allow: /
Disallow: /api/
Disallow: /mcp
Disallow: /dashboard
Disallow: /admin
Disallow: /sign-in
Disallow: /tools/*/visit
Disallow: /*adult=true

Sitemap: ${publicUrl}/sitemap.xml
`

/** llms.txt: what an agent finds on this site, and that it should call MCP or REST instead of reading pages. */
export function llms(
  snapshot: Snapshot,
  operations: readonly RoutedOperation[],
  publicUrl: string,
  site: Pick<SiteFields, 'name' | 'description'>,
): string {
  const total = (listings: Snapshot['tools']) => listings.index.find({ none: ['adult'], offset: 0, limit: 0 }).total
  const categories = [...snapshot.taxonomy.categories.values()].filter(({ adult }) => !adult)
  const mcpTools = operations.filter(({ tool }) => tool)
  return `# ${plain(site.name)}

> ${plain(site.description)}

${total(snapshot.tools)} AI tools and ${total(snapshot.directories)} submission directories. Agents should use MCP or REST with an API key rather than read the pages: pages are limited by address. Every page is Markdown with the header Accept: text/markdown.

## For agents

- [MCP endpoint](${publicUrl}${MCP_PATH}): Streamable HTTP, key as a Bearer token. Tools: ${mcpTools.map(({ name }) => name).join(', ')}
- [MCP endpoint for research](${publicUrl}${RESEARCH_PATH}): the two tools search and fetch, for hosts that expect them
- [MCP servers](${publicUrl}${SERVER_CATALOG}): the same two addresses for programs, also as an [AI catalog](${publicUrl}${AI_CATALOG})
- [APIs](${publicUrl}${API_CATALOG}): REST and MCP with their descriptions, for programs
- [Skill: launch a product](${publicUrl}${SKILL_PATH}): how to choose directories for a product and enter it there
- [REST](${publicUrl}${REST_BASE}/): start here; it names every endpoint
- [OpenAPI document](${publicUrl}${REST_BASE}/openapi.json): the whole contract
- [API reference](${publicUrl}/docs): the same for people
- [Developers](${publicUrl}/developers): keys, snippets, limits and prices
- [Webhooks](${publicUrl}/developers/webhooks): events for partners, with receivers in Node, Python and PHP
- [Acceptable-use policy](${publicUrl}/policy): no competing directory, no bulk export

## Browse

- [Tools](${publicUrl}/tools): search with ?q=, narrow with category, tag and pricing
- [Directories](${publicUrl}/directories): by Domain Rating, cost, badge and category
- [Launch plan](${publicUrl}/plan): which directories fit a product, with reasons
- [Sitemap](${publicUrl}/sitemap.xml)

## Categories

${categories.map(({ slug, name, description }) => `- [${plain(name)}](${publicUrl}/categories/${slug})${description ? `: ${plain(description)}` : ''}`).join('\n')}
`
}

/** Removes the characters that could end a Markdown link or begin another one. */
const plain = (text: string): string => oneLine(text, 300).replace(/[[\]<>`*_\\]/g, ' ')

export const SECURITY_TXT = '/.well-known/security.txt'

// The RFC asks for less than a year.
const VALID_DAYS = 180

/** Null when the operator has named no contact. */
function securityTxt(site: SiteFields, publicUrl: string, now: Date): string | null {
  const contacts = [
    ...(site.contactEmail ? [`mailto:${encodeURI(site.contactEmail)}`] : []),
    ...(hasPage(site, 'contact') ? [`${publicUrl}/contact`] : []),
  ]
  if (contacts.length === 0) return null
  const expires = `${dayOf(now.getTime() + VALID_DAYS * DAY_MS)}T00:00:00.000Z`
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}${SECURITY_TXT}`,
  ]
  return `${lines.join('\n')}\n`
}

/** Where to report a vulnerability (RFC 9116). The text is made for each request, because it says when it expires. */
export const sendSecurityTxt = (service: Service) => async (request: FastifyRequest, reply: FastifyReply) => {
  const text = securityTxt(service.site.fields(), service.publicUrl, new Date())
  if (text === null) throw notFound('A contact for this service')
  return sendPublic(request, reply, 'text/plain; charset=utf-8', publicBody(Buffer.from(text)))
}
