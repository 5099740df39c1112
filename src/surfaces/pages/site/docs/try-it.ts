// A form that calls an operation of this service from the page. It needs the script, which reveals it. The field of the key has no name
// and no completion. It is a text field whose text the stylesheet hides, because browsers offer to store what is in a password field.
import type { RoutedOperation } from '../../../../kernel/operation.ts'
import { REST_BASE } from '../../../http/addresses.ts'
import { button } from '../../kit/button.ts'
import { field, select, textarea } from '../../kit/forms/field.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { exampleBody } from './examples.ts'
import { type InputField, inputFields } from './fields.ts'

export function tryIt(operation: RoutedOperation): Markup {
  const { method, path, access, parameters, headers, body } = operation
  const fields = [...inputFields(parameters, 'query', path), ...(headers ? inputFields(headers, 'header') : [])]
  return html`<section class="flow try" hidden data-try><h2 id="try">Try it</h2>
<p class="quiet">${method === 'GET' ? 'Calls this service from your browser, charged to your key as any call.' : html`<strong>This is a real call:</strong> what it does is done. A test key (<code>aid_test_…</code>) works in the sandbox instead.`} The key goes to this service alone and is forgotten when you leave the page.</p>
<form class="flow" data-method="${method}" data-path="${REST_BASE}${path}" action="${REST_BASE}/" autocomplete="off" novalidate>
${
  access !== 'public' &&
  html`<div class="field"><label for="try-key">${access === 'catalog' ? 'API key' : 'Partner key'}</label><input class="input secret" type="text" id="try-key" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="200" placeholder="${access === 'catalog' ? 'aid_…' : 'aid_p_… or aid_test_…'}" data-key></div>`
}
${fields.length > 0 && html`<div class="filters">${fields.map(inputOf)}</div>`}
${body && textarea({ name: 'body', id: 'try-body', label: 'Body (JSON)', rows: 12, value: JSON.stringify(exampleBody(body), null, 2) })}
<div class="row">${button('Send request')}</div>
</form>
<p class="quiet" role="status" data-state></p>
<div class="flow" hidden data-answer>
<figure class="code" data-copied><figcaption class="label">Headers</figcaption><section aria-label="Headers of the answer" tabindex="0"><pre><code data-headers></code></pre></section></figure>
<figure class="code" data-copied><figcaption class="label">Body</figcaption><section aria-label="Body of the answer" tabindex="0"><pre><code data-body></code></pre></section></figure>
</div></section>`
}

/** `place.name` tells the script where the value goes. */
function inputOf({ name, shape, place, isRequired }: InputField): Markup {
  const given = {
    name: `${place}.${name}`,
    id: `try-${place}-${name}`,
    label: isRequired ? `${name} (required)` : name,
  }
  const values = shape.type === 'boolean' ? ['true', 'false'] : shape.enum?.filter((value) => value !== null)
  if (values)
    return select({
      ...given,
      none: 'Not given',
      options: values.map((value) => ({ value: String(value), label: String(value) })),
    })
  return field({
    ...given,
    value: place === 'path' ? String(shape.examples?.[0] ?? '') : '',
    placeholder: place === 'header' ? 'Not given' : String(shape.examples?.[0] ?? ''),
    autocomplete: 'off',
    maxLength: 2_000,
  })
}
