// Pages of listings as directories write them, made from templates with a seed: half of them state something that is no longer true of the
// product. For `node bench/drift.ts` and tests/proof/drift.test.ts.
import type { Pricing } from '../src/features/catalog/schema.ts'
import type { CurrentProduct } from '../src/features/proof/links/drift.rules.ts'
import type { DriftField } from '../src/features/submissions/bench/link.rules.ts'
import { pick, type Random, randomFrom } from './catalog.ts'

export interface DriftPage {
  template: string
  url: string
  html: string
  /** What the product was when the page was first looked at, and is now. */
  listed: CurrentProduct
  product: CurrentProduct
  /** The websites by which the link is recognised: the one that was submitted and the one of now. */
  websites: string[]
  /** Where a link of the directory itself leads, for a page without another. */
  target: string | null
  /** The fields that the page states otherwise than is true. */
  planted: DriftField[]
}

/** What a product was and is. */
type Texts = readonly [before: string, now: string]
interface Story {
  name: Texts
  tagline: Texts
  pricing: readonly [Pricing, Pricing]
  website: Texts
  description: string
}

const story = (
  name: Texts,
  tagline: Texts,
  pricing: readonly [Pricing, Pricing],
  website: Texts,
  description: string,
): Story => ({ name, tagline, pricing, website, description })

const STORIES: readonly Story[] = [
  story(
    ['Acme Writer', 'Acme Compose'],
    ['Drafts your mail in your own voice', 'Answers customers while you sleep'],
    ['FREE', 'PAID'],
    ['https://acme-writer.com/', 'https://acme-compose.com/'],
    'Acme reads what you wrote before and drafts replies that sound like you. Teams share templates, see who answers what, and approve drafts before they are sent.',
  ),
  story(
    ['Pixelforge', 'Pixelforge AI'],
    ['Product photos without a studio', 'Studio-quality product photos from one snapshot'],
    ['FREEMIUM', 'PAID'],
    ['https://pixelforge.app/', 'https://pixelforge.ai/'],
    'Upload a snapshot, choose a background, and download pictures for your shop in every size that marketplaces ask for.',
  ),
  story(
    ['Notely AI', 'Notely'],
    ['Meeting notes that write themselves', 'Meeting notes & action items that write themselves'],
    ['PAID', 'FREEMIUM'],
    ['https://notely.ai/', 'https://getnotely.com/'],
    'A bot joins your calls, writes down who promised what, and sends the list to everybody five minutes later.',
  ),
  story(
    ['Brew & Bytes', 'Bytebrew'],
    ['The developer’s newsletter generator', 'Turn your commits into a newsletter people read'],
    ['FREE', 'PAID'],
    ['https://brewandbytes.dev/', 'https://bytebrew.dev/'],
    'It looks at your repositories, finds what changed for users, and writes a newsletter that you only have to correct.',
  ),
  story(
    ['Lingua Café', 'Lingua Lounge'],
    ['Practise Spanish with patient people', 'Practise 12 languages with patient people'],
    ['PAID', 'FREE'],
    ['https://lingua-cafe.example/', 'https://lingua-lounge.example/'],
    'Half an hour a day with a person who has time: you choose the topic, they correct you gently, and you get a list of new words.',
  ),
  story(
    ['SheetPilot', 'Sheet Pilot Pro'],
    ['Formulas from plain English', 'Formulas, scripts and charts from plain English'],
    ['FREEMIUM', 'PAID'],
    ['https://sheetpilot.io/', 'https://sheetpilot.com/'],
    'Describe what you want to calculate, and get a formula for Excel or Google Sheets with an explanation of every part.',
  ),
  story(
    ['Cargo Lens', 'Cargolytics'],
    ['See where every container is', 'Know why every container is late'],
    ['PAID', 'FREEMIUM'],
    ['https://cargolens.com/', 'https://cargolytics.com/'],
    'Positions of ships, queues of ports and customs in one map, with warnings two days before your own forwarder knows.',
  ),
  story(
    ['Quiet Hours', 'Quietly'],
    ['Block distractions for teams', 'Two hours of focus for every team, every day'],
    ['FREE', 'PAID'],
    ['https://quiethours.app/', 'https://quietly.team/'],
    'Everybody’s messages wait until the team’s quiet time is over; what is urgent gets through after a question.',
  ),
  story(
    ['Plotline', 'Plotline Studio'],
    ['Outline novels with index cards', 'From index cards to a finished manuscript'],
    ['PAID', 'FREE'],
    ['https://plotline.ink/', 'https://plotline.studio/'],
    'Cards for scenes, threads for characters and a calendar of the story: move one, and the rest follows.',
  ),
  story(
    ['VetDesk', 'VetDesk One'],
    ['Appointments for small animal clinics', 'Appointments, files and bills for small animal clinics'],
    ['FREEMIUM', 'PAID'],
    ['https://vetdesk.example/', 'https://vetdesk.one/'],
    'Owners book by themselves, reminders go out the day before, and the file of the animal is open when it comes in.',
  ),
  story(
    ['Tidy Inbox', 'Mailroom'],
    ['Unsubscribe from everything at once', 'One calm inbox for the whole family'],
    ['FREE', 'PAID'],
    ['https://tidyinbox.co/', 'https://mailroom.family/'],
    'It finds the senders you never read, asks once, and unsubscribes from them without giving your address to anybody.',
  ),
  story(
    ['Kiln', 'Kiln CI'],
    ['Builds that finish before coffee', 'Builds that finish before your coffee is ready, or your money back'],
    ['PAID', 'FREEMIUM'],
    ['https://kiln.build/', 'https://kiln-ci.com/'],
    'Remote caches, machines that are warm already, and a map of what really depends on what in your repository.',
  ),
  story(
    ['Rentwise', 'Leasewise'],
    ['Fair rents, calculated', 'Leases that both sides understand'],
    ['FREE', 'PAID'],
    ['https://rentwise.example/', 'https://leasewise.example/'],
    'Compare a rent with those of the same street, see what the law allows, and write to your landlord with the right words.',
  ),
  story(
    ['Océane Voice', 'Océane'],
    ['Narrate videos in 40 voices', 'Narrate videos in your own voice, in 40 languages'],
    ['FREEMIUM', 'PAID'],
    ['https://oceane-voice.fr/', 'https://oceane.io/'],
    'Write the text or upload subtitles, choose a voice, and get a track that is exactly as long as the scene.',
  ),
  story(
    ['GrantGuru', 'Grantly'],
    ['Find grants for your charity', 'Find, write and track grants for your charity'],
    ['PAID', 'FREE'],
    ['https://grantguru.org/', 'https://grantly.org/'],
    'A weekly list of grants that fit your purpose and size, with deadlines, and drafts of the answers that all of them ask for.',
  ),
  story(
    ['StackMap', 'StackAtlas'],
    ['Draw your cloud automatically', 'A living diagram of your cloud'],
    ['PAID', 'FREEMIUM'],
    ['https://stackmap.dev/', 'https://stackatlas.dev/'],
    'Connect a read-only account and see services, queues and databases with what they cost and who owns them.',
  ),
]

const DIRECTORIES = [
  ['Launch List', 'launch-list.com'],
  ['ToolFinder', 'toolfinder.io'],
  ['AI Shelf', 'ai-shelf.net'],
  ['Startup Stash Daily', 'startupstash.daily.example'],
  ['Betaboard', 'betaboard.co'],
  ['The Makers Index', 'makersindex.org'],
] as const

const OTHERS = [
  ['Zenmail', 'Inbox zero without rules', 'Free', '$0'],
  ['Copywright', 'Landing pages that convert', 'From $29/mo', '$29'],
  ['DraftHero', 'Blog posts in one click', 'Freemium', '$12'],
  ['Typely', 'A keyboard that knows your brand', 'Paid', '$49'],
] as const

const OWN_WORDS = [
  'An assistant for teams that get more requests than they can answer.',
  'Software for people who would rather spend their evening elsewhere.',
  'One of the most asked-for helpers in its category this year.',
]

interface Shown {
  name: string
  tagline: string
  pricing: Pricing
  website: string
  description: string
  /** Another name of the product, which reviews and questions mention. */
  otherName: string
  directory: string
  host: string
  slug: string
}

interface Template {
  /** The fields that it states. */
  states: readonly DriftField[]
  write(shown: Shown, random: Random): string
  /** Its link leads over an address of the directory. */
  isRedirect?: true
}

const esc = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')

const PRICE_WORDS: Record<Pricing, readonly string[]> = {
  FREE: ['Free', '100% Free', 'free', 'Free to use', '$0', 'FREE'],
  FREEMIUM: ['Freemium', 'Free plan available', 'Free + Paid plans', '$0 - $29/mo', 'Free, paid from $9', 'FREEMIUM'],
  PAID: ['Paid', '$19/month', 'From US$ 49', '€29 / Monat', 'Starting at 15 USD', 'PAID', 'Premium'],
}
const priceWord = (pricing: Pricing, random: Random) => pick(random, PRICE_WORDS[pricing])
const PRICE_NUMBERS: Record<Pricing, object> = {
  FREE: { '@type': 'Offer', price: '0', priceCurrency: 'USD' },
  FREEMIUM: { '@type': 'AggregateOffer', lowPrice: 0, highPrice: 49, priceCurrency: 'USD' },
  PAID: { '@type': 'Offer', price: 19.0, priceCurrency: 'EUR' },
}

const page = ({ directory }: Shown, head: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8">${head}<link rel="stylesheet" href="/site.css"></head><body>
<header class="site-header"><a href="/">${directory}</a><p class="site-tagline">Where new products are found</p><nav><a href="/tools">Tools</a><a href="/pricing">Pricing</a><a href="/submit">Submit a tool, from $19</a></nav></header>
${body}
<footer><h4>Get listed</h4><p>Free and paid plans from $9.</p><a href="/about">About ${directory}</a></footer><script src="/app.js"></script></body></html>`

const metas = (title: string, description: string, site: string) =>
  `<title>${esc(title)}</title><meta name="description" content="${esc(description)}"><meta property="og:title" content="${esc(title)}"><meta property="og:description" content="${esc(description)}"><meta property="og:site_name" content="${esc(site)}">`

const link = ({ website }: Shown, text: string, more = '') => `<a href="${website}" ${more} rel="noopener">${text}</a>`

const similar = (kind: 'section' | 'div' | 'heading') => {
  const cards = OTHERS.map(
    ([name, tagline, price]) =>
      `<article class="card"><h3><a href="/tools/${name.toLowerCase()}">${name}</a></h3><p class="tagline">${tagline}</p><span class="badge">${price}</span></article>`,
  ).join('')
  if (kind === 'heading') return `<h2>Similar tools</h2>${cards}`
  return `<${kind} class="similar-tools grid"><h2>You may also like</h2>${cards}</${kind}>`
}

const comments = ({ otherName, name }: Shown) =>
  `<section id="comments"><h2>3 comments</h2><p><b>Jo</b> I used this when it was still called ${esc(otherName)}, and it was free back then!</p><p><b>Ana</b> ${esc(name)} costs $99 in my country?</p><p><b>Maker</b> Thanks, we have changed the price.</p></section>`

const reviews = ({ otherName }: Shown) =>
  `<div class="user-reviews"><h3>What users say</h3><blockquote>${esc(otherName)} saved us hours. Price: free.</blockquote><blockquote>Pricing: too expensive.</blockquote></div>`

const words = (text: string) => text.split(' ')

export const TEMPLATES: Record<string, Template> = {
  'card with badges': {
    states: ['name', 'tagline', 'pricing', 'website'],
    write: (shown, random) =>
      page(
        shown,
        metas(`${shown.name} | ${shown.directory}`, shown.tagline, shown.directory),
        `<main><div class="tool-header"><img src="/l.png" alt="${esc(shown.name)} logo"><div><h1>${esc(shown.name)}</h1><p class="tagline">${esc(shown.tagline)}</p><span class="badge">${priceWord(shown.pricing, random)}</span><span class="badge">Writing</span></div>${link(shown, 'Visit website')}</div><p>${esc(shown.description)}</p></main>${similar('section')}`,
      ),
  },
  table: {
    states: ['name', 'pricing', 'website'],
    write: (shown, random) =>
      page(
        shown,
        `<title>${esc(shown.name)} - ${shown.directory}</title>`,
        `<div id="content"><h1>${esc(shown.name)}</h1><table><tr><th>Name</th><td>${esc(shown.name)}</td></tr><tr><th>Website</th><td>${link(shown, shown.website)}</td></tr><tr><th>Pricing</th><td>${priceWord(shown.pricing, random)}</td></tr><tr><th>Added</th><td>3 May 2025</td></tr></table><p>${esc(shown.description)}</p></div>${comments(shown)}`,
      ),
  },
  'structured data': {
    states: ['name', 'pricing', 'website'],
    write: (shown) =>
      page(
        shown,
        `<title>${esc(shown.name)}</title><script type="application/ld+json">${JSON.stringify({
          '@context': 'https://schema.org',
          '@graph': [
            { '@type': 'BreadcrumbList', itemListElement: [{ '@type': 'ListItem', name: 'Tools' }] },
            {
              '@type': 'SoftwareApplication',
              name: shown.name,
              description: shown.description,
              offers: PRICE_NUMBERS[shown.pricing],
              aggregateRating: { '@type': 'AggregateRating', ratingValue: 4.6, reviewCount: 12 },
            },
          ],
        })}</script>`,
        `<main><h1>${esc(shown.name)}</h1>${words(shown.description).length > 5 ? `<p>${esc(shown.description)}</p>` : ''}${link(shown, 'Open')}</main>${similar('div')}`,
      ),
  },
  'tagline only in meta': {
    states: ['name', 'tagline', 'website'],
    write: (shown) =>
      page(
        shown,
        metas(`${shown.name} - ${shown.tagline}`, shown.tagline, shown.directory),
        `<article><h1>${esc(shown.name)}</h1><img src="/shot.png" alt=""><div class="prose">${esc(shown.description)}</div>${link(shown, shown.name)}</article>`,
      ),
  },
  'launch of a day': {
    states: ['name', 'tagline', 'website'],
    write: (shown) =>
      page(
        shown,
        metas(`${shown.name} - ${shown.tagline} | ${shown.directory}`, shown.description, shown.directory),
        `<main><div><h1>${esc(shown.name)}</h1><div>${esc(shown.tagline)}</div><div>Launched in Productivity · 142 points</div></div>${link(shown, 'Visit')}<p>${esc(shown.description)}</p>${comments(shown)}</main>`,
      ),
  },
  'definition list': {
    states: ['name', 'tagline', 'pricing', 'website'],
    write: (shown, random) =>
      page(
        shown,
        `<title>${esc(shown.name)} • ${shown.directory}</title>`,
        `<main><h1>${esc(shown.name)}</h1><dl><dt>Tagline</dt><dd>${esc(shown.tagline)}</dd><dt>Price</dt><dd>${priceWord(shown.pricing, random)}</dd><dt>Homepage</dt><dd>${link(shown, shown.website.replace(/^https:\/\/|\/$/g, ''))}</dd></dl><h2>About</h2><p>${esc(shown.description)}</p>${reviews(shown)}</main>`,
      ),
  },
  'review of an editor': {
    states: ['name', 'website'],
    write: (shown) =>
      page(
        shown,
        metas(
          `${shown.name} Review 2026: Pricing, Features & Alternatives`,
          `${shown.name} review: pricing, features, pros and cons, and the best alternatives in 2026.`,
          shown.directory,
        ),
        `<article><h1>${esc(shown.name)} Review: Is It Worth It?</h1><p>By Kim, editor · 8 min read</p><p>We tested ${esc(shown.name)} for two weeks with a team of five.</p><h2>Features</h2><p>${esc(shown.description)}</p><p>Read how it compares with Copywright ($29) below.</p>${link(shown, `Try ${esc(shown.name)}`)}<h2>Best alternatives</h2><ul><li>Copywright: from $29</li><li>Zenmail: free</li></ul></article>`,
      ),
  },
  truncated: {
    states: ['name', 'tagline', 'website'],
    write: (shown) => {
      const cut = words(shown.tagline).slice(0, 4).join(' ')
      const short = cut === shown.tagline ? cut : `${cut}…`
      return page(
        shown,
        metas(`${shown.name}: ${short}`, `${short}`, shown.directory),
        `<main class="detail"><h1>${esc(shown.name)}</h1><h2 class="subtitle">${esc(short)}</h2><p>${esc(shown.description)}</p>${link(shown, 'Website')}</main>${similar('heading')}`,
      )
    },
  },
  'capital letters': {
    states: ['name', 'tagline', 'pricing', 'website'],
    write: (shown, random) =>
      page(
        shown,
        `<title>${esc(shown.name.toUpperCase())} — ${shown.directory.toUpperCase()}</title>`,
        `<section class="hero"><h1>${esc(shown.name.toUpperCase())}</h1><p class="hero__slogan">${esc(shown.tagline.toUpperCase())}.</p><ul class="meta"><li>Pricing: ${priceWord(shown.pricing, random).toUpperCase()}</li><li>Category: TOOLS</li></ul>${link(shown, 'VISIT SITE')}</section><section><p>${esc(shown.description)}</p></section>`,
      ),
  },
  'quotes and entities': {
    states: ['name', 'tagline', 'website'],
    write: (shown) => {
      const twice = (text: string) => esc(esc(text.replaceAll('’', "'")))
      return page(
        shown,
        `<title>${esc(shown.name)}</title><meta name="description" content="&ldquo;${esc(shown.tagline)}&rdquo;">`,
        `<main><h1>${twice(shown.name)}</h1><p class="one-liner">&ldquo;${twice(shown.tagline).replaceAll(' ', '&nbsp;')}&rdquo;</p><p>${twice(shown.description)}</p>${link({ ...shown, website: `${shown.website}?ref=${shown.host}&utm_source=${shown.host}` }, 'Go to website')}</main>`,
      )
    },
  },
  'plans with a trial': {
    states: ['name', 'pricing', 'website'],
    write: (shown) => {
      const text = {
        FREE: 'Free forever, no card needed',
        FREEMIUM: 'Free tier, then $12 per month',
        PAID: '14-day free trial, then $12 per month',
      }[shown.pricing]
      return page(
        shown,
        metas(`${shown.name} pricing and plans`, `What ${shown.name} costs.`, shown.directory),
        `<main><h1>${esc(shown.name)}</h1><h3>Pricing</h3><p>${text}</p><h3>About</h3><p>${esc(shown.description)}</p>${link(shown, 'Get it')}</main>`,
      )
    },
  },
  'own redirect': {
    states: ['name', 'tagline', 'website'],
    isRedirect: true,
    write: (shown) =>
      page(
        shown,
        metas(`${shown.name} on ${shown.directory}`, shown.tagline, shown.directory),
        `<main><div class="top"><h1>${esc(shown.name)}</h1><p>${esc(shown.tagline)}</p><a href="/out/${shown.slug}" rel="nofollow">Visit website</a></div><p>${esc(shown.description)}</p></main><aside><h2>Trending</h2><p class="tagline">Landing pages that convert</p></aside>`,
      ),
  },
  'text of an editor below the heading': {
    states: ['name', 'website'],
    write: (shown, random) =>
      page(
        shown,
        metas(`${shown.name} | ${shown.directory}`, `Discover ${shown.name} on ${shown.directory}.`, shown.directory),
        `<main><h1>${esc(shown.name)}</h1><p>${pick(random, ['A handy product that our readers like a lot.', 'One of the tools we covered in our spring issue.', 'Editor’s pick of the week for small teams.'])}</p>${link(shown, 'Official website')}<p>${esc(shown.description)}</p></main>${similar('section')}`,
      ),
  },
  'heading of the site': {
    states: ['name', 'pricing', 'website'],
    write: (shown, random) =>
      page(
        shown,
        metas(`${shown.name} - ${shown.directory}`, shown.description, shown.directory),
        `<h1>${shown.directory}</h1><main><h2>${esc(shown.name)}</h2><div class="row"><span class="label">Pricing</span><span class="value">${priceWord(shown.pricing, random)}</span></div>${link(shown, 'Website')}<p>${esc(shown.description)}</p></main>${comments(shown)}`,
      ),
  },
  'classes of a style system': {
    states: ['name', 'tagline', 'pricing', 'website'],
    write: (shown, random) =>
      page(
        shown,
        metas(`${shown.name} – ${shown.directory}`, `${shown.name}: ${shown.tagline}`, shown.directory),
        `<div class="css-1x"><div class="css-2y"><h1 class="text-2xl">${esc(shown.name)}</h1><div class="text-gray-500">${esc(shown.tagline)}</div></div><div class="ProductPage_priceTag__x1"><span>${priceWord(shown.pricing, random)}</span></div>${link(shown, 'Visit →')}<div>${esc(shown.description)}</div></div>${similar('div')}`,
      ),
  },
  'words of the directory in two places': {
    states: ['name', 'website'],
    write: (shown) => {
      const own = OWN_WORDS[shown.slug.length % OWN_WORDS.length]!
      return page(
        shown,
        metas(`${shown.name} - ${shown.directory}`, own, shown.directory),
        `<main><h1>${esc(shown.name)}</h1><p class="summary">${own}</p>${link(shown, 'Open site')}<h2>What it does</h2><p>${esc(shown.description)}</p></main>${similar('section')}`,
      )
    },
  },
  'heading with a description': {
    states: ['name', 'pricing', 'website'],
    write: (shown, random) =>
      page(
        shown,
        metas(`${shown.name} – Best Productivity Tool | ${shown.directory}`, shown.description, shown.directory),
        `<main><h1>${esc(shown.name)} – Productivity Tool</h1><div class="deal-banner">Readers of ${shown.directory} get 20% off</div><p><strong>Cost:</strong> ${priceWord(shown.pricing, random)}</p>${link(shown, 'Launch')}<p>${esc(shown.description)}</p><h2>FAQ</h2><h3>Is it free?</h3><p>Price: ask the maker, some say it is free.</p></main>`,
      ),
  },
  'another language': {
    states: ['name', 'tagline', 'pricing', 'website'],
    write: (shown) =>
      page(
        shown,
        `<title>${esc(shown.name)} im Test</title>`,
        `<main><h1>${esc(shown.name)}</h1><p class="slogan">„${esc(shown.tagline)}“</p><table><tbody><tr><td>Preis:</td><td>${{ FREE: 'Kostenlos', FREEMIUM: 'Freemium', PAID: 'ab 19,00 € pro Monat' }[shown.pricing]}</td></tr><tr><td>Webseite:</td><td>${link(shown, 'Zur Webseite')}</td></tr></tbody></table><p>${esc(shown.description)}</p></main>`,
      ),
  },
  'compared with others': {
    states: ['name', 'tagline', 'website'],
    write: (shown) =>
      page(
        shown,
        metas(`${shown.name} vs ${OTHERS[1][0]}`, `${shown.name}: ${shown.tagline}`, shown.directory),
        `<main><h1>${esc(shown.name)}</h1><h2>${esc(shown.tagline)}</h2>${link(shown, 'Visit site')}<p>${esc(shown.description)}</p><h2>Compare with others</h2><table><tr><th>Name</th><th>Pricing</th></tr>${OTHERS.map(([name, , price]) => `<tr><td>${name}</td><td>Pricing: ${price}</td></tr>`).join('')}</table></main>`,
      ),
  },
  'post of a blog system': {
    states: ['name', 'tagline', 'pricing', 'website'],
    write: (shown, random) =>
      page(
        shown,
        `<title>${esc(shown.name)} &#8211; ${shown.directory}</title><meta property="og:site_name" content="${shown.directory}">`,
        `<div id="primary"><article class="post"><h1 class="entry-title">${esc(shown.name)}</h1><div class="entry-content"><p><strong>Tagline:</strong> ${esc(shown.tagline)}</p><p><strong>Price:</strong> ${priceWord(shown.pricing, random)}</p><p>${esc(shown.description)}</p><p>Website: ${link(shown, shown.website)}</p></div></article></div><div id="secondary" class="widget-area"><section class="widget"><h2>Latest products</h2><ul><li>Zenmail, free</li></ul></section></div>`,
      ),
  },
  'fields of a table service': {
    states: ['name', 'tagline', 'pricing', 'website'],
    write: (shown, random) =>
      page(
        shown,
        `<title>${esc(shown.name)} | ${shown.directory}</title>`,
        `<div class="record"><h1>${esc(shown.name)}</h1>${[
          ['Short description', esc(shown.tagline)],
          ['Pricing Model', priceWord(shown.pricing, random)],
          ['Long description', esc(shown.description)],
          ['URL', link(shown, 'Link')],
        ]
          .map(
            ([label, value]) =>
              `<div class="field"><div class="field-label">${label}</div><div class="field-value">${value}</div></div>`,
          )
          .join('')}</div>`,
      ),
  },
  'mark beside the name': {
    states: ['name', 'tagline', 'website'],
    write: (shown) =>
      page(
        shown,
        metas(`${shown.name}: ${shown.tagline} - ${shown.directory}`, shown.description, shown.directory),
        `<main><h1>${esc(shown.name)} <span class="verified">Verified</span></h1><p class="lead">${esc(shown.tagline)}</p>${link(shown, '<img src="/x.png" alt="">')}<p>License: Proprietary</p></main>`,
      ),
  },
  'reviews of companies': {
    states: ['name', 'pricing', 'website'],
    write: (shown) =>
      page(
        shown,
        metas(
          `${shown.name} Reviews 2026: Details, Pricing, & Features`,
          `Filter 12 reviews by the users' company size, role or industry.`,
          shown.directory,
        ),
        `<main><h1>${esc(shown.name)} Reviews &amp; Product Details</h1><p>${esc(shown.description)}</p><div class="pricing-box"><h3>Pricing</h3><div>${{ FREE: 'Free', FREEMIUM: 'Free version available, paid plans from $19.00', PAID: 'Entry-level price: $19.00' }[shown.pricing]}</div></div>${link(shown, 'Company website')}${reviews(shown)}</main>`,
      ),
  },
  'line in a list': {
    states: ['name', 'website'],
    write: (shown) =>
      page(
        shown,
        `<title>Awesome tools for small teams</title>`,
        `<article><h1>Awesome tools for small teams</h1><p>A curated list.</p><ul>${OTHERS.map(([name, tagline, price]) => `<li><a href="https://${name.toLowerCase()}.com/">${name}</a> - ${tagline} (${price})</li>`).join('')}<li>${link(shown, esc(shown.name))}</li></ul></article>`,
      ),
  },
  'deal of the week': {
    states: ['name', 'tagline', 'website'],
    write: (shown) =>
      page(
        shown,
        metas(`${shown.name} deal`, `${shown.tagline} Save 50 % this week.`, shown.directory),
        `<main><div class="deal"><h1>${esc(shown.name)}</h1><p>${esc(shown.tagline)}</p><p>Ends in 3 days</p><button>Get the deal</button></div>${link(shown, 'See the product')}<h2>Reviews</h2><p>Pricing: it was free, now it is not.</p></main>`,
      ),
  },
}

const NAMES = Object.keys(TEMPLATES)
const FIELDS: readonly DriftField[] = ['name', 'tagline', 'pricing', 'website']

/** The pages of a seed. */
export function driftPages(count: number, seed: number): DriftPage[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, at) => {
    const template = NAMES[at % NAMES.length]!
    const { states, write, isRedirect } = TEMPLATES[template]!
    const story = STORIES[Math.floor(random() * STORIES.length)]!
    // The product is the one of before or of now, so that either can be the true one.
    const now = random() < 0.5 ? 1 : 0
    const isDrifted = random() < 0.5
    const stale = new Set(isDrifted ? FIELDS.filter(() => random() < 0.4) : [])
    const shownValue = <T>(texts: readonly [T, T], field: DriftField): T => texts[stale.has(field) ? 1 - now : now]!
    const [directory, host] = pick(random, DIRECTORIES)
    const product: CurrentProduct = {
      ...{ name: story.name[now]!, tagline: story.tagline[now]!, pricing: story.pricing[now]! },
      ...{ website: story.website[now]!, description: story.description },
      ...{ nameLimit: 0, taglineLimit: 0, directoryTagline: null },
    }
    const shown: Shown = {
      ...{ name: shownValue(story.name, 'name'), tagline: shownValue(story.tagline, 'tagline') },
      ...{ pricing: shownValue(story.pricing, 'pricing'), website: shownValue(story.website, 'website') },
      ...{ description: story.description, otherName: story.name[1 - now]!, directory, host },
      slug: product.name.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    }
    const { name, tagline, pricing, website } = shown
    return {
      ...{
        template,
        product,
        listed: { ...product, name, tagline, pricing, website },
        websites: [...story.website],
        url: `https://${host}/tools/${shown.slug}`,
      },
      html: write(shown, random),
      target: isRedirect ? shown.website : null,
      planted: FIELDS.filter((field) => stale.has(field) && states.includes(field) && isWrong(field, shown, product)),
    }
  })
}

/** A price of before may agree with the one of now: a listing that says "free" is right about a product with a free plan. */
const isWrong = (field: DriftField, shown: Shown, product: CurrentProduct): boolean =>
  field !== 'pricing' || !(shown.pricing === 'FREE' && product.pricing === 'FREEMIUM')
