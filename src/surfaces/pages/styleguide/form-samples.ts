// Buttons, fields and forms in all their states, for the styleguide.
import { actionForm, button, confirmedAction, keyHint, linkButton, saveBar } from '../kit/button.ts'
import { choice, field, fieldGroup, fileField, formContents, hiddenField, select, textarea } from '../kit/field.ts'
import { icon } from '../kit/icon.ts'
import { html } from '../kit/markup.ts'
import { searchForm } from '../kit/search-form.ts'
import type { Samples } from './page.ts'

const THIS_PAGE = '/styleguide'
const OPTIONS = [
  { value: 'a', label: 'First' },
  { value: 'b', label: 'Second' },
  { value: 'c', label: 'Not now', disabled: true },
]
const inForm = (content: unknown) =>
  html`<form class="form" method="get" action="${THIS_PAGE}">${hiddenField('sample', 'yes')}${content}</form>`

export const formSamples: Samples = {
  Button: [
    inForm(
      html`<div class="row">${button('Save')}${button('Preview', { kind: 'plain' })}${button('Delete', { kind: 'danger' })}</div>
<div class="row">${button('Save', { slim: true })}${button('Preview', { kind: 'plain', slim: true })}${button('Delete', { kind: 'danger', slim: true })}</div>
<div class="row">${button('Save', { disabled: true })}${button('Preview', { kind: 'plain', disabled: true })}${button('Delete', { kind: 'danger', disabled: true })}</div>`,
    ),
    html`<div class="row">${linkButton(THIS_PAGE, html`Visit website${icon('external')}`)}${linkButton(THIS_PAGE, 'Cancel', { kind: 'plain' })}${linkButton(THIS_PAGE, html`Next${keyHint('j')}`, { kind: 'plain' })}</div>`,
    html`<section class="spruce panel"><div class="row">${linkButton(THIS_PAGE, 'Start building')}${linkButton(THIS_PAGE, 'Read more', { kind: 'plain' })}</div></section>`,
  ],
  'Form with one button': [
    html`<div class="row">${actionForm({ action: THIS_PAGE, label: 'Sign out', kind: 'plain', slim: true })}${confirmedAction({ action: THIS_PAGE, label: 'Revoke', question: 'Whatever uses it gets a 401 from now on.', confirmLabel: 'Revoke it', slim: true })}</div>`,
  ],
  Search: [searchForm({ placeholder: 'What should it do?' })],
  'Fields of one line': [
    inForm(
      html`${field({ name: 'plain', label: 'Empty', placeholder: 'A placeholder' })}
${field({ name: 'filled', label: 'Filled', value: 'A value', hint: 'A hint says what belongs here.' })}
${field({ name: 'wrong', label: 'Wrong', value: 'x', error: 'This is what is wrong with it.', hint: 'The hint stays.' })}
${field({ name: 'off', label: 'Disabled', value: 'Nothing to change', disabled: true })}
${field({ name: 'mail', label: 'E-mail', type: 'email', required: true, autocomplete: 'off' })}
${field({ name: 'secret', label: 'Password', type: 'password', autocomplete: 'new-password' })}
${field({ name: 'count', label: 'Number', type: 'number', value: 12, min: 0 })}
${field({ name: 'from', label: 'Day', type: 'date', value: '2026-03-01' })}
<div class="row">${button('Send')}</div>`,
    ),
  ],
  'Longer fields and choices': [
    formContents([
      { title: 'Choices', problems: 1 },
      { title: 'Without problems', problems: 0 },
    ]),
    inForm(
      html`${textarea({ name: 'about', label: 'About', value: 'Two\nlines', rows: 3 })}
${textarea({ name: 'about-wrong', label: 'About, wrong', value: '', rows: 2, error: 'Write a sentence.' })}
${select({ name: 'one', label: 'Choose one', none: 'Any', value: 'b', options: OPTIONS })}
${select({ name: 'one-wrong', label: 'Choose one, wrong', value: 'a', options: OPTIONS, error: 'Choose another.' })}
${fileField({ name: 'file', label: 'Picture', accept: 'image/png', hint: 'PNG, at most 1 MiB.' })}
${fieldGroup('Choices', html`${choice({ name: 'agree', label: 'I agree', hint: 'Read it first.' })}${choice({ name: 'agreed', label: 'Agreed', checked: true })}${choice({ name: 'refused', label: 'Wrong', error: 'Agree to go on.' })}${choice({ name: 'kind', type: 'radio', value: 'a', label: 'One' })}${choice({ name: 'kind', type: 'radio', value: 'b', label: 'Other', checked: true })}`)}
${saveBar(button('Save'), linkButton(THIS_PAGE, 'Cancel', { kind: 'plain' }))}`,
    ),
  ],
}
