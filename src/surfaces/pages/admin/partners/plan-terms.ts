// The limits of the plans for a partner's products: a form on the page of the partner.
import type { FastifyInstance } from 'fastify'
import { changePartner } from '../../../../features/partners/operations.ts'
import type { Service } from '../../../http/service.ts'
import { button } from '../../kit/button.ts'
import { sectionHead } from '../../kit/card.ts'
import { choice, field } from '../../kit/field.ts'
import { formOf } from '../../kit/forms.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { param } from '../../kit/parameters.ts'
import { actAndRedirect, addPrivatePages, performAs } from '../../kit/private-pages.ts'
import { amountIn } from '../submissions/plan.ts'
import { expectedVersionOf, versionField } from '../version-field.ts'
import type { Partner } from './pages.ts'

export const planTermsForm = (partner: Partner, path: string, token: Markup): Markup => html`${sectionHead('Plans')}
<form class="form" method="post" action="${path}/plan">${token}${versionField(partner)}
${field({ name: 'budget', label: 'Budget', value: partner.plan.budget, inputMode: 'decimal', required: true, hint: 'The highest least price of a directory that plans for its products propose; 0: free ones only.' })}
${choice({ name: 'badges', label: 'Directories that demand a badge are fine', checked: partner.plan.badges })}
<div class="row">${button('Save the limits', { kind: 'plain' })}</div>
</form>`

export function addPartnerPlanPages(server: FastifyInstance, service: Service, partners: string): void {
  addPrivatePages(server, service, 'admin', {
    [`${partners}/:id/plan`]: {
      POST: (request, reply) => {
        const { budget, badges } = formOf(request)
        const id = param(request, 'id')
        const path = `${partners}/${encodeURIComponent(id)}`
        const plan = { budget: amountIn(budget) ?? 0, badges: badges === 'true' }
        return actAndRedirect(service, reply, { back: path, done: path, successText: 'Saved.' }, () =>
          performAs(service, request, changePartner, { id, ...expectedVersionOf(request) }, { plan }),
        )
      },
    },
  })
}
