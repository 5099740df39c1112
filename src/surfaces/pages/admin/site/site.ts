// The page on which administrators set the site's name, words, colours, logo and pages, with a preview of each change. Also the switch that
// stops all agents.
import type { FastifyReply } from 'fastify'
import { listSiteExamples } from '../../../../features/catalog/site/site.operations.ts'
import { isColour } from '../../../../features/site/colours.rules.ts'
import { checkSite, getAgents, getSite, putAgents, putSite } from '../../../../features/site/operations.ts'
import type { SiteFields } from '../../../../features/site/schema.ts'
import { badRequest, type Failure } from '../../../../kernel/errors.ts'
import { actionForm, button, saveBar } from '../../kit/button.ts'
import { action } from '../../kit/forms/actions.ts'
import { formContents } from '../../kit/forms/field.ts'
import { expectedVersionOf, refusalFlash, refusalOf, storedValuesSection, versionField } from '../../kit/forms/forms.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'
import { storePicture } from '../listings/uploads.ts'
import * as siteForm from './site-form.ts'
import { sendSharePreview, sitePreview } from './site-preview.ts'

const PATH = '/admin/site'
const AGENTS = `${PATH}/agents`
const SHARE_PREVIEW = `${PATH}/share.png`

export const agentPages: VisitPages = {
  [AGENTS]: {
    POST: action({
      operation: putAgents,
      body: ({ form }) => ({ stopped: form.stopped === 'true' }),
      back: PATH,
      text: ({ form }) => (form.stopped === 'true' ? 'All agents are stopped.' : 'Agents may work again.'),
    }),
  },
}

/** Their forms may contain pictures. */
export const sitePages: VisitPages = {
  [PATH]: { GET: (visit) => show(visit), POST: save },
  [SHARE_PREVIEW]: { GET: sendSharePreview },
}

async function show(
  visit: Visit,
  typed?: SiteFields,
  failure?: Failure,
  refusedFiles: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  const stored = await visit.perform(getSite, {})
  // After a conflict the form gets the stored version, and the page shows the stored values. Saving again then overwrites them.
  const isConflict = failure?.status === 409
  const version = typed && !isConflict ? Number(expectedVersionOf(visit).ifVersion ?? stored.version) : stored.version
  const site = { ...stored, ...typed, version }
  const refusal = failure && refusalOf(failure, siteForm.FIELD_LABELS)
  const page = sitePage({
    site,
    examples: await visit.perform(listSiteExamples, {}),
    marked: { ...refusal?.marked, ...refusedFiles },
    preview: await sitePreview(visit.service, site, SHARE_PREVIEW),
    token: visit.token,
    agents: agentsPart(await visit.perform(getAgents, {}), visit.values),
    isPreview: typed !== undefined && !failure,
    stored: typed && isConflict ? storedValuesSection(siteForm.comparedFields(typed, stored)) : undefined,
  })
  return visit.send({ ...page, flash: refusalFlash(refusal) }, failure?.status)
}

/** Saves the form, or only shows a preview of it. The script asks for a preview while the form is filled in. */
async function save(visit: Visit): Promise<FastifyReply> {
  const given = visit.form
  const { typed, refused } = await withUploads(visit)
  const problems = Object.values(refused)
  if (problems.length > 0) return show(visit, typed, badRequest(problems.join(' ')), refused)
  try {
    if (given.preview !== undefined || given.palette !== undefined) {
      await visit.perform(checkSite, {}, typed)
      return await show(visit, typed)
    }
    await visit.perform(putSite, expectedVersionOf(visit), typed)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return show(visit, typed, error)
  }
  return visit.redirect(PATH, { kind: 'good', text: 'Saved. Every page shows it now.' })
}

/** What was typed, with the addresses of uploaded pictures. `refused`: what is wrong with pictures that could not be stored, by field. */
async function withUploads(visit: Visit) {
  let given = visit.form
  const refused: Record<string, string> = {}
  for (const [name, [file]] of visit.request.uploads ?? []) {
    if (!file) continue
    const stored = await storePicture(visit, file, 'picture')
    if ('problem' in stored) refused[siteForm.fieldOfFile(name)] = stored.problem
    else given = siteForm.withPicture(given, name, stored.url)
  }
  return { typed: siteForm.typedSite(given), refused }
}

/** The switch that stops every agent that works as an operator. */
const agentsPart = ({ stopped }: { stopped: boolean }, values: Readonly<Record<string, string>>): Markup =>
  html`<section class="card"><h2>Agents</h2>
<p>${stopped ? 'All agents are stopped: each call at /mcp/operator is refused.' : 'Agents with the operator token, and those that administrators let work as operators, may work at /mcp/operator.'} The <a href="/admin/audit?action=agent">audit log</a> has their calls.</p>
${actionForm({ action: AGENTS, label: stopped ? 'Let agents work again' : 'Stop all agents', kind: stopped ? 'main' : 'danger', values: { ...values, stopped: String(!stopped) } })}</section>`

interface SitePage extends siteForm.SiteForm {
  preview: Markup
  token: Markup
  agents: Markup
  isPreview: boolean
  /** After a conflict: the stored values of the fields in which the user typed others. */
  stored?: Markup
}

function sitePage(given: SitePage): Pick<Page, 'title' | 'body' | 'accentColor'> {
  const { site, preview, token, agents, isPreview, stored } = given
  const groups = siteForm.siteGroups(given)
  return {
    title: 'Site',
    // While the typed text is no colour, the page keeps the stored one.
    accentColor: isColour(site.accentColor) ? site.accentColor : undefined,
    body: html`<div class="flow">
<h1>Site</h1>
<p class="lead">The name, words and colours that visitors and programs see.</p>
${isPreview && html`<p class="flash notice" role="status">This is a preview. Press Save to show it to everybody.</p>`}
${formContents(groups)}
<div class="beside wide-side">
<form class="form wide" method="post" action="${PATH}" enctype="multipart/form-data" data-site-form>
${token}${versionField(site)}
${stored}
<button type="submit" class="visually-hidden" tabindex="-1" aria-hidden="true">Save</button>
${groups.map(({ content }) => content)}
${saveBar(button('Save'), button('Preview', { kind: 'plain', name: 'preview', value: 'true' }))}
</form>
<aside class="flow previews" aria-label="Preview" tabindex="0" data-preview>${preview}</aside>
</div>
${agents}
</div>`,
  }
}
