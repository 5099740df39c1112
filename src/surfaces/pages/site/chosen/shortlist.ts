// Listings that a visitor has put aside. The list is in the address, so it can be shared and "Back" keeps it; the script also keeps it in
// the browser and adds the buttons that put a listing on it.
import { MOST_SAVED } from '../../../../features/saved/schema.ts'
import type { Context } from '../../../../kernel/context.ts'
import { SAVED } from '../../addresses.ts'
import { linkButton } from '../../kit/button.ts'
import { copyableValue, countedTitle, emptyState, sectionHead } from '../../kit/components.ts'
import { type AddressQuery, addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { amount } from '../../kit/values.ts'
import { findDirectory, findTool, slugsIn } from '../catalog-reads.ts'
import { toolRows } from '../entries.ts'
import { directoryTable } from '../lists/directory-table.ts'
import { PLAN } from '../plan/plan.ts'
import { compareAddress, MOST_COMPARED_TOOLS } from './compare.ts'

export const SHORTLIST = '/shortlist'

export function shortlistPage(ctx: Context, query: AddressQuery): Page {
  const asked = { tools: slugsIn(query, 'tools', MOST_SAVED), directories: slugsIn(query, 'directories', MOST_SAVED) }
  const tools = asked.tools.flatMap((slug) => findTool(ctx, slug) ?? [])
  const directories = asked.directories.flatMap((slug) => findDirectory(ctx, slug) ?? [])
  const missing = asked.tools.length + asked.directories.length - tools.length - directories.length
  const slugs = (listings: readonly { slug: string }[]) => listings.map(({ slug }) => slug)
  const address = addressWith(SHORTLIST, {
    tools: slugs(tools).join(','),
    directories: slugs(directories).join(','),
  }).replaceAll('%2C', ',')
  const isEmpty = tools.length + directories.length === 0
  return {
    title: 'Shortlist',
    description: 'Tools and directories put aside to look at again.',
    path: SHORTLIST,
    body: html`<div class="flow" data-shortlist="${isEmpty ? 'empty' : 'filled'}">
<h1>Shortlist</h1>
${
  isEmpty
    ? emptyState({
        title: 'Nothing on it yet',
        text: 'Put tools and directories on it with the bookmark beside their names. It stays in this browser, and in your account while you are signed in.',
        action: html`<div class="row">${linkButton('/tools', 'All tools')}${linkButton('/directories', 'All directories', { kind: 'plain' })}</div>`,
      })
    : html`<p class="lead">${[tools.length > 0 && amount(tools.length, 'tool', 'tools'), directories.length > 0 && amount(directories.length, 'directory', 'directories')].filter(Boolean).join(' and ')}. Everyone with this address sees this list:</p>
${copyableValue(ctx.publicUrl + address, 'Copy the address')}
<div class="row">${tools.length > 1 && linkButton(compareAddress(slugs(tools).slice(0, MOST_COMPARED_TOOLS)), `Compare ${tools.length > MOST_COMPARED_TOOLS ? `the first ${MOST_COMPARED_TOOLS} tools` : 'the tools'}`)}${directories.length > 0 && linkButton(`${PLAN}?directories=${slugs(directories).join(',')}`, 'Make a plan of them', tools.length > 1 ? { kind: 'plain' } : {})}${linkButton(address.replace(SHORTLIST, SAVED), 'Keep it in my account', { kind: 'plain', rel: 'nofollow' })}</div>`
}
${missing > 0 && html`<p class="note">${amount(missing, 'listing is', 'listings are')} no longer there.</p>`}
${tools.length > 0 && section('Tools', tools.length, toolRows(tools, { isAlone: true, now: ctx.now() }))}
${directories.length > 0 && section('Directories', directories.length, directoryTable(directories, ctx.site.fields().currency))}
</div>`,
  }
}

const section = (title: string, count: number, list: Markup): Markup =>
  html`<section class="flow">${sectionHead(countedTitle(title, count))}${list}</section>`
