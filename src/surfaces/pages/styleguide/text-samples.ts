// Texts, badges, figures, charts and other components that show values, for the styleguide.
import { PLANS } from '../../../features/accounts/schema.ts'
import { barChart, meter } from '../kit/chart.ts'
import {
  badge,
  brokenRowBadge,
  card,
  codeBlock,
  codeTabs,
  copyableFact,
  copyableValue,
  copyTextButton,
  planBadge,
  progress,
  sectionHead,
  summaryFigures,
  type Tone,
  thread,
  tile,
} from '../kit/components.ts'
import { difference } from '../kit/difference.ts'
import { ICON_NAMES, icon } from '../kit/icon.ts'
import { html } from '../kit/markup.ts'
import { ago, compactNumber, date, day, exactTime, number, plainDay, time } from '../kit/values.ts'
import type { Samples } from './page.ts'

const AT = '2026-03-01T09:30:00.000Z'
const TONES: readonly Tone[] = ['plain', 'accent', 'good', 'notice', 'danger', 'marker']
const BARS = Array.from({ length: 30 }, (_, i) => ({ label: `${i + 1}.`, value: (i * 37) % 90 }))

export const textSamples: Samples = {
  'Type and colours of text': [
    html`<p class="lead">The lead under the heading of a page.</p>`,
    html`<p>A paragraph with a <a href="/styleguide">link</a>, <strong>strong words</strong>, <code>code</code> and <mark>marked words</mark>.</p>`,
    html`<p class="quiet">Quiet text.</p><p class="small">Small text.</p><p class="note">A note.</p>`,
  ],
  Badge: [
    html`<p class="row">${TONES.map((tone) => badge(tone, tone))}</p>`,
    html`<p class="row">${PLANS.map(planBadge)}</p>`,
    html`<p>A row ${brokenRowBadge({ broken: 'faqs.0.answer is missing.' })}</p>`,
  ],
  'Times and numbers': [
    html`<p>${time(AT)} · ${exactTime(AT)} · ${day(AT)} · ${ago(AT)} · ${plainDay('2026-03-01')} · ${date(AT)} · ${number(1234.5)} · ${compactNumber(254_000)}</p>`,
    html`<p>${difference('It writes mails.', 'It writes mails and letters.')}</p>`,
  ],
  Tile: [
    html`<p class="row">${['Ada', 'Boole', 'Curie', 'Dirac', 'Euler', 'Fermi', 'Gauss', 'Hopper'].map((name) => tile(name, null))}${tile('Noether', null, { big: true })}</p>`,
  ],
  Icon: [
    html`<p class="row">${ICON_NAMES.map((name) => icon(name))}</p>`,
    html`<p class="row">${icon('search', 'small')}${icon('search')}${icon('search', 'large')}</p>`,
  ],
  Card: [
    html`<div class="grid">${card('A card', html`<p>With a text.</p>`)}${card('An accented card', html`<p class="price">9</p>`, { accent: true })}</div>`,
  ],
  'Head of a section': [sectionHead('Most opened', { href: '/tools', label: 'All tools' })],
  Figures: [
    summaryFigures([
      ['Calls today', '1,204'],
      ['Keys', 3],
      ['Plan', 'Premium'],
    ]),
  ],
  Chart: [
    barChart({ title: 'Calls a day', bars: BARS }),
    html`<p class="row">${[0, 12, 50, 100].map((value) => html`<span class="dr"><span>${value}</span>${meter(value)}</span>`)}</p>`,
  ],
  Progress: [
    progress({ label: 'None', value: 0, max: 30 }),
    progress({ label: 'Some', value: 12, max: 30 }),
    progress({ label: 'All', value: 30, max: 30, text: 'Complete' }),
  ],
  'Text to copy': [
    html`<p>${copyableValue('aid_123', 'Copy the key')} ${copyTextButton('Copy its facts', 'Domain Rating 91\nFree')}</p>`,
    html`<dl>${copyableFact('Tagline', 'Drafts your mail in your own voice', { note: '34 of 60' })}</dl>`,
    codeBlock('curl', 'curl -H "Authorization: Bearer aid_…" http://localhost:3000/api/v1/tools'),
    codeTabs('sample', 'Language', [
      { label: 'curl', blocks: codeBlock('In curl', 'curl http://localhost:3000/api/v1/tools') },
      { label: 'Python', blocks: codeBlock('In Python', 'urlopen("http://localhost:3000/api/v1/tools")') },
    ]),
  ],
  Conversation: [
    thread([
      {
        id: '1',
        isCustomer: true,
        who: 'Ida',
        when: time(AT),
        content: 'When is a refund paid?\nI ordered on Monday.',
      },
      { id: '2', isCustomer: false, who: 'Ada', when: time(AT), content: 'Within 14 days.' },
    ]),
  ],
}
