// The form with which an owner changes a listing.
import type { OwnListing } from '../../../../features/founders/owned/schema.ts'
import { type FormFields, listingFields } from '../../admin/listings/form.ts'
import { button, linkButton, saveBar } from '../../kit/button.ts'
import { breadcrumbs } from '../../kit/components.ts'
import { hiddenField } from '../../kit/forms/field.ts'
import { versionField } from '../../kit/forms/version-field.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { OWN_PRODUCTS } from '../../kit/page-addresses.ts'
import type { Page } from '../../kit/sending/document.ts'
import { ownerLabels } from '../fields.ts'
import { ownedPath } from './owned.ts'

interface EditPage {
  listing: OwnListing
  token: Markup
  opened: { version: number; base: Readonly<Record<string, unknown>> }
  fields: FormFields
  /** A summary of what others changed meanwhile. */
  changes?: Markup
}

const listOfWords = new Intl.ListFormat('en-GB')

export const editPage = ({ listing, token, opened, fields, changes }: EditPage): Pick<Page, 'title' | 'body'> => ({
  title: `Edit ${oneLine(listing.tool.name, 40)}`,
  body: html`<div class="flow">
${breadcrumbs([{ label: 'Products', href: OWN_PRODUCTS }, { label: oneLine(listing.tool.name, 60), href: ownedPath(listing.tool.slug) }, { label: 'Edit' }])}
<h1>Edit <bdi>${listing.tool.name}</bdi></h1>
<p class="lead">Readers see your changes at once, except for ${listOfWords.format(ownerLabels('proposed'))}: those wait for an administrator. You can undo a change afterwards.</p>
${changes}
<form class="form wide marked" method="post" action="${fields.action}">
${token}${versionField(opened)}${hiddenField('base', JSON.stringify(opened.base))}
<button type="submit" class="visually-hidden" name="do" value="save" tabindex="-1" aria-hidden="true">Save</button>
${listingFields(fields)}
${saveBar(button('Save', { name: 'do', value: 'save' }), linkButton(ownedPath(listing.tool.slug), 'Cancel', { kind: 'plain' }))}
</form>
</div>`,
})
