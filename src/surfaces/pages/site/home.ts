import type { Directory, Tool } from '../../../features/catalog/schema.ts'
import type { Snapshot } from '../../../features/catalog/snapshot.ts'
import { MCP_PATH, REST_BASE } from '../../http/addresses.ts'
import { DESCRIPTION, NAME } from '../../rest/discovery.ts'
import type { Page } from '../document.ts'
import { html, type Markup } from '../markup.ts'
import { linkList, note, number } from './listing.ts'

const SHOWN = 10

export function homePage(snapshot: Snapshot, publicUrl: string): Page {
  const tools = snapshot.tools.index.find({ none: ['adult'], offset: 0, limit: SHOWN })
  const directories = snapshot.directories.index.find({ offset: 0, limit: SHOWN })
  return {
    title: NAME,
    description: DESCRIPTION,
    url: `${publicUrl}/`,
    facts: { '@type': 'WebSite', name: NAME, description: DESCRIPTION, url: `${publicUrl}/` },
    body: html`<h1>${NAME}</h1>
<p>${DESCRIPTION} It holds ${amount(tools.total, 'tool', 'tools')} and ${amount(directories.total, 'directory', 'directories')}, each with a page of its own.</p>
<h2>For programs</h2>
<dl class="facts">
<div><dt>REST</dt><dd><a href="${REST_BASE}/">${publicUrl}${REST_BASE}</a></dd></div>
<div><dt>MCP</dt><dd><code>${publicUrl}${MCP_PATH}</code></dd></div>
<div><dt>OpenAPI</dt><dd><a href="${REST_BASE}/openapi.json">${publicUrl}${REST_BASE}/openapi.json</a></dd></div>
</dl>
${linkList(
  'Newest tools',
  tools.items.map(({ json }) => {
    const { slug, name, tagline } = JSON.parse(json.toString()) as Tool
    return entry(`/tools/${slug}`, name, tagline)
  }),
)}
${linkList(
  'Strongest directories',
  directories.items.map(({ json }) => {
    const { slug, name, domainRating } = JSON.parse(json.toString()) as Directory
    return entry(
      `/directories/${slug}`,
      name,
      domainRating === null ? 'Domain Rating not known' : `Domain Rating ${number(domainRating)}`,
    )
  }),
)}`,
  }
}

const amount = (count: number, one: string, many: string): string => `${number(count)} ${count === 1 ? one : many}`

const entry = (path: string, name: string, text: string): Markup =>
  html`<li><a href="${path}"><bdi>${name}</bdi></a>${note(text)}</li>\n`
