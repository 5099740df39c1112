// The page with the numbers of a tool (shown, opened, asked for), as its owners see them.
import { getToolNumbers } from '../../../../features/founders/owned/numbers.operations.ts'
import { numbersSection, questionsSection } from '../../founders/owned/owned-numbers.ts'
import { breadcrumbs } from '../../kit/components.ts'
import { html } from '../../kit/markup.ts'
import type { VisitPages } from '../../kit/sending/private-pages.ts'
import { ADMIN } from '../kit/frame.ts'

export const numberPages: VisitPages = {
  [`${ADMIN}/tools/:slug/numbers`]: {
    GET: async (visit) => {
      const slug = visit.param('slug')
      const numbers = await visit.perform(getToolNumbers, { slug })
      const body = html`<div class="flow">
${breadcrumbs([{ label: 'Tools', href: `${ADMIN}/tools` }, { label: slug, href: `${ADMIN}/tools/${slug}` }, { label: 'Numbers' }])}
<h1>Numbers</h1>
${numbersSection(numbers)}${questionsSection(numbers)}
</div>`
      return visit.send({ title: `Numbers of ${slug}`, body })
    },
  },
}
