// The pages of the articles from which support questions are answered. The same pages exist for one partner, at
// /admin/partners/:id/knowledge, and for all partners, at /admin/knowledge.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { getPartner, listPartners } from '../../../../features/partners/operations.ts'
import {
  deleteKnowledgeArticle,
  editKnowledgeArticle,
  partnerKnowledge,
  searchKnowledge,
  sharedKnowledge,
} from '../../../../features/support/knowledge/knowledge.operations.ts'
import type { articleSchema, foundPassageSchema } from '../../../../features/support/knowledge/knowledge.schema.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { button, linkButton, saveBar } from '../../kit/button.ts'
import { badge, breadcrumbs, type Crumb, emptyState, sectionHead } from '../../kit/components.ts'
import { action, save } from '../../kit/forms/actions.ts'
import { declareForm, deleteForm, type Refused } from '../../kit/forms/declared-form.ts'
import { refusalFlash, versionField } from '../../kit/forms/forms.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Visit, VisitPages } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { PARTNERS, type Partner } from '../customers/partners.ts'

type Article = Static<typeof articleSchema>
interface KnowledgeOwner {
  /** null for the knowledge that all partners share. */
  partner: Pick<Partner, 'id' | 'name'> | null
  path: string
  articles(): Promise<Article[]>
}

const FORM = declareForm(editKnowledgeArticle, {
  title: { label: 'Title', hint: 'In the words that a customer would use.', keepsSpace: true },
  body: {
    label: 'Text',
    rows: 14,
    hint: 'Plain text or Markdown. A blank line ends a passage; an answer is one passage.',
    keepsSpace: true,
  },
})

const DELETED_MEANWHILE =
  'While you worked on it, this article was deleted. Nothing was saved. Look at the list first; saving here adds what you typed as a new article.'

export const knowledgePages: VisitPages = { ...pagesAt('/admin/knowledge'), ...pagesAt(`${PARTNERS}/:id/knowledge`) }

/** `base`: one of the two addresses above. */
function pagesAt(base: string): VisitPages {
  const isOfPartner = base.includes(':id')
  const { get, add } = isOfPartner ? partnerKnowledge : sharedKnowledge
  const ownerParameters = ({ param }: Visit) => (isOfPartner ? { id: param('id') } : {})

  async function ownerOf(visit: Visit): Promise<KnowledgeOwner> {
    const articles = async () => (await visit.perform(get, ownerParameters(visit))).articles
    if (!isOfPartner) return { partner: null, path: base, articles }
    const partner = await visit.perform(getPartner, ownerParameters(visit))
    return { partner, path: `${PARTNERS}/${partner.id}/knowledge`, articles }
  }

  /** Finds the article only among those of the owner that the address names. */
  async function find(visit: Visit): Promise<Article> {
    const { articles } = await visit.perform(get, ownerParameters(visit))
    const article = articles.find(({ id }) => id === visit.param('article'))
    if (!article) throw notFound('Article')
    return article
  }

  const pathOf = (visit: Visit) => base.replace(':id', encodeURIComponent(visit.param('id')))
  const showNew = async (visit: Visit, refused?: Refused) => showArticle(visit, await ownerOf(visit), null, refused)
  const show = async (visit: Visit, refused?: Refused) =>
    showArticle(visit, await ownerOf(visit), await find(visit), refused)

  return {
    [base]: {
      GET: async (visit) => showKnowledge(visit, await ownerOf(visit)),
      POST: save({
        form: FORM,
        page: showNew,
        operation: add,
        parameters: ownerParameters,
        done: pathOf,
        text: 'Added.',
      }),
    },
    [`${base}/-/new`]: { GET: (visit) => showNew(visit) },
    [`${base}/:article`]: {
      GET: (visit) => show(visit),
      POST: async (visit) => {
        await ownerOf(visit)
        return save({
          form: FORM,
          // If the article was deleted in the meantime, the form of a new one keeps what the user typed.
          page: (_, refused) => (refused.text === DELETED_MEANWHILE ? showNew : show)(visit, refused),
          find,
          operation: editKnowledgeArticle,
          parameters: () => ({ id: visit.param('article') }),
          refuse: ({ status }) => (status === 404 ? { text: DELETED_MEANWHILE, marked: {}, status: 409 } : null),
          done: pathOf,
          text: 'Saved.',
        })(visit)
      },
    },
    [`${base}/:article/delete`]: {
      POST: action({
        find,
        operation: deleteKnowledgeArticle,
        parameters: ({ param }) => ({ id: param('article') }),
        back: pathOf,
        text: 'The article is deleted.',
      }),
    },
  }
}

const crumbs = ({ partner, path }: KnowledgeOwner, ...more: Crumb[]): Markup =>
  breadcrumbs([
    ...(partner
      ? [
          { label: 'Partners', href: '/admin/partners' },
          { label: partner.name, href: `/admin/partners/${partner.id}` },
        ]
      : []),
    more.length > 0 ? { label: 'Knowledge', href: path } : { label: 'Knowledge' },
    ...more,
  ])

async function showKnowledge(visit: Visit, owner: KnowledgeOwner): Promise<FastifyReply> {
  const { partner, path } = owner
  const { q } = visit.query(['q'])
  const articles = await owner.articles()
  const passages = q && (await visit.perform(searchKnowledge, { q, ...(partner && { client: partner.id }) }))
  const partners = partner ? [] : await visit.perform(listPartners, { limit: 200, builtIn: true })
  return visit.send({
    title: partner ? `Knowledge: ${partner.name}` : 'Knowledge',
    body: html`<div class="flow">
${partner && crumbs(owner)}
<h1>Knowledge${partner && html`: <bdi>${partner.name}</bdi>`}</h1>
<p class="lead">${partner ? html`What only this partner’s customers are answered from, before that <a href="/admin/knowledge">for all partners</a>.` : 'What the customers of every partner are answered from.'}</p>
${sectionHead('Try a question')}
<form class="flow" method="get" action="${path}" role="search">
<div class="search"><label class="visually-hidden" for="field-try">Question</label><input class="input" type="search" id="field-try" name="q" value="${q}" maxlength="4000" placeholder="How long do refunds take?"><button type="submit" class="button">Try</button></div>
</form>
${passages && trialResult(passages)}
<div class="section-head"><h2>Articles <span class="count">${articles.length}</span></h2>${linkButton(`${path}/-/new`, 'Add an article', { kind: 'plain', slim: true })}</div>
${table({
  caption: 'Articles',
  rows: articles,
  columns: [
    {
      label: 'Title',
      rowHeader: true,
      className: 'third',
      cell: ({ id, title }) => html`<a href="${path}/${id}"><bdi>${title}</bdi></a>`,
    },
    { label: 'Text', onPhones: 'unlabelled', cell: ({ body }) => html`<bdi>${oneLine(body, 140)}</bdi>` },
    { label: 'Written', onPhones: 'unlabelled', cell: ({ createdAt }) => ago(createdAt) },
  ],
  empty: emptyState({ title: 'No articles yet', text: 'Without any, every question waits for a person.' }),
})}
${
  !partner &&
  partners.length > 0 &&
  html`<section class="panel">${sectionHead('For one partner')}<ul class="links lines">${partners.map(({ id, name }) => html`<li><a href="/admin/partners/${id}/knowledge"><bdi>${name}</bdi></a></li>`)}</ul></section>`
}
</div>`,
  })
}

function trialResult(passages: readonly Static<typeof foundPassageSchema>[]): Markup {
  const isAnswered = passages.some(({ answers }) => answers)
  return html`<p role="status">${isAnswered ? badge('Would be answered', 'good') : badge('Would wait for a person', 'notice')} <span class="quiet">${isAnswered ? 'With the passages that are marked.' : passages.length > 0 ? 'No passage speaks of enough of the question.' : 'No passage speaks of it.'}</span></p>
${
  passages.length > 0 &&
  table({
    caption: 'Passages, best first',
    rows: passages,
    columns: [
      { label: 'Covers', kind: 'number', cell: ({ coverage }) => `${Math.round(coverage * 100)} %` },
      { label: 'Article', rowHeader: true, cell: ({ title }) => html`<bdi>${title}</bdi>` },
      {
        label: 'Passage',
        cell: ({ text, answers }) =>
          html`${answers && html`${badge('Sufficient', 'good')} `}<span class="text" dir="auto">${text}</span>`,
      },
    ],
  })
}`
}

async function showArticle(
  visit: Visit,
  owner: KnowledgeOwner,
  article: Article | null,
  refused?: Refused,
): Promise<FastifyReply> {
  const path = article ? `${owner.path}/${article.id}` : owner.path
  const title = article ? 'Edit an article' : 'Add an article'
  const page = {
    title,
    flash: refusalFlash(refused),
    body: html`<div class="flow">
${crumbs(owner, { label: article ? oneLine(article.title, 60) : title })}
<h1>${title}</h1>
<form class="form wide" method="post" action="${path}">
${visit.token}${article && versionField(article)}
${article && refused && FORM.storedBeside(refused.typed, article)}
${FORM.fields(refused?.typed ?? (article ? FORM.of(article) : {}), refused?.marked)}
${saveBar(button('Save'), linkButton(owner.path, 'Cancel', { kind: 'plain' }))}
</form>
${article && html`${sectionHead('Delete')}${deleteForm(visit, article, path, 'Delete the article', 'It is no longer used for answers. Its text stays in the audit log.', 'Delete the article')}`}
</div>`,
  }
  return visit.send(page, refused?.status)
}
