import type { Static } from 'typebox'
import type { articleSchema, foundPassageSchema } from '../../../../features/support/knowledge.schema.ts'
import { badge } from '../../kit/badge.ts'
import { breadcrumbs, type Crumb } from '../../kit/breadcrumbs.ts'
import { button, linkButton, saveBar } from '../../kit/button.ts'
import { sectionHead } from '../../kit/card.ts'
import { emptyState } from '../../kit/empty-state.ts'
import { field, textarea } from '../../kit/field.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { type Refusal, refusalFlash } from '../../kit/problems.ts'
import { table } from '../../kit/table.ts'
import { time } from '../../kit/values.ts'
import type { Partner } from '../partners.ts'
import { storedValues, versionField } from '../version-field.ts'

export type Article = Static<typeof articleSchema>
export type TrialPassage = Static<typeof foundPassageSchema>

export interface KnowledgeOwner {
  /** Null for the knowledge that all partners share. */
  partner: Pick<Partner, 'id' | 'name'> | null
  path: string
}

export interface TypedArticle {
  title?: string
  body?: string
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

export function knowledgePage(
  owner: KnowledgeOwner,
  articles: readonly Article[],
  trial: { q: string; passages: readonly TrialPassage[] } | null,
  partners: readonly Pick<Partner, 'id' | 'name'>[],
) {
  const { partner, path } = owner
  return {
    title: partner ? `Knowledge: ${partner.name}` : 'Knowledge',
    body: html`<div class="flow">
${partner && crumbs(owner)}
<h1>Knowledge${partner && html`: <bdi>${partner.name}</bdi>`}</h1>
<p class="lead">${partner ? html`What only this partner’s customers are answered from, before that <a href="/admin/knowledge">for all partners</a>.` : 'What the customers of every partner are answered from.'}</p>
${sectionHead('Try a question')}
<form class="flow" method="get" action="${path}" role="search">
<div class="search"><label class="visually-hidden" for="field-try">Question</label><input class="input" type="search" id="field-try" name="q" value="${trial?.q ?? ''}" maxlength="4000" placeholder="How long do refunds take?"><button type="submit" class="button">Try</button></div>
</form>
${trial && trialResult(trial.passages)}
${sectionHead(`Articles: ${articles.length}`)}
${table({
  caption: 'Articles',
  rows: articles,
  columns: [
    { label: 'Title', rowHeader: true, cell: ({ id, title }) => html`<a href="${path}/${id}"><bdi>${title}</bdi></a>` },
    { label: 'Text', cell: ({ body }) => html`<bdi>${oneLine(body, 140)}</bdi>` },
    { label: 'Written', cell: ({ createdAt }) => time(createdAt) },
  ],
  empty: emptyState({ title: 'No articles yet', text: 'Without any, every question waits for a person.' }),
})}
<div class="row">${linkButton(`${path}/-/new`, 'Add an article')}</div>
${
  !partner &&
  partners.length > 0 &&
  html`${sectionHead('Of one partner')}<ul class="links">${partners.map(({ id, name }) => html`<li><a href="/admin/partners/${id}/knowledge"><bdi>${name}</bdi></a></li>`)}</ul>`
}
</div>`,
  }
}

function trialResult(passages: readonly TrialPassage[]): Markup {
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

export const ARTICLE_LABELS = { title: 'Title', body: 'Text' }

export function articlePage(given: {
  owner: KnowledgeOwner
  /** Null for a new article. */
  article: Article | null
  typed: TypedArticle
  token: Markup
  refusal?: Refusal
}) {
  const { owner, article, typed, token, refusal } = given
  const action = article ? `${owner.path}/${article.id}` : owner.path
  const title = article ? 'Edit an article' : 'Add an article'
  return {
    title,
    flash: refusalFlash(refusal),
    body: html`<div class="flow">
${crumbs(owner, { label: article ? oneLine(article.title, 60) : title })}
<h1>${title}</h1>
<form class="form wide" method="post" action="${action}">
${token}${article && versionField(article)}
${
  article &&
  refusal &&
  storedValues([
    ['Title', typed.title, article.title],
    ['Text', typed.body, article.body],
  ])
}
${field({ name: 'title', label: ARTICLE_LABELS.title, error: refusal?.marked.title, value: typed.title, required: true, maxLength: 200, hint: 'In the words that a customer would use.' })}
${textarea({ name: 'body', label: ARTICLE_LABELS.body, error: refusal?.marked.body, value: typed.body, required: true, rows: 14, maxLength: 20_000, hint: 'Plain text or Markdown. A blank line ends a passage; an answer is one passage.' })}
${saveBar(button('Save'), linkButton(owner.path, 'Cancel', { kind: 'plain' }))}
</form>
${
  article &&
  html`${sectionHead('Delete')}<details class="confirm"><summary class="button danger">Delete the article</summary><div><p>It is no longer used for answers. Its text stays in the audit log.</p><form method="post" action="${action}/delete">${token}${versionField(article)}${button('Delete the article', { kind: 'danger' })}</form></div></details>`
}
</div>`,
  }
}
