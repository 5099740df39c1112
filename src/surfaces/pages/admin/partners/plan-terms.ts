// The limits of the plans for a partner's products: a form on the page of the partner.
import { button } from '../../kit/button.ts'
import { sectionHead } from '../../kit/card.ts'
import { choice, field } from '../../kit/field.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { amountIn } from '../submissions/plan.ts'
import { storedValues, versionField } from '../version-field.ts'
import type { Partner } from './pages.ts'

/** The values in the form. */
export interface TypedLimits {
  budget: string
  badges: boolean
}

export const typedLimits = ({ budget = '', badges }: Readonly<Record<string, string | undefined>>): TypedLimits => ({
  budget,
  badges: badges === 'true',
})

export const planOf = ({ budget, badges }: TypedLimits) => ({ budget: amountIn(budget) ?? 0, badges })

const badgesText = ({ badges }: { badges: boolean }): string => (badges ? 'Accepted' : 'Refused')

export const planTermsForm = (
  partner: Partner,
  path: string,
  token: Markup,
  typed?: TypedLimits,
): Markup => html`${sectionHead('Plans')}
<form class="form" method="post" action="${path}/plan">${token}${versionField(partner)}
${
  typed &&
  storedValues([
    ['Budget', typed.budget, String(partner.plan.budget)],
    ['Badges', badgesText(typed), badgesText(partner.plan)],
  ])
}
${field({ name: 'budget', label: 'Budget', value: typed?.budget ?? partner.plan.budget, inputMode: 'decimal', required: true, hint: 'The highest least price of a directory that plans for its products propose; 0: free ones only.' })}
${choice({ name: 'badges', label: 'Directories that demand a badge are fine', checked: (typed ?? partner.plan).badges })}
<div class="row">${button('Save the limits', { kind: 'plain' })}</div>
</form>`
