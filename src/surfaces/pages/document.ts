// The frame around every page.
import { REST_BASE } from '../http/addresses.ts'
import { NAME } from '../rest/discovery.ts'
import { STYLESHEET } from './assets.ts'
import { dataBlock, html, type Markup, oneLine } from './markup.ts'

export interface Page {
  title: string
  description: string
  /** The address that search engines are to know it by; without one they are told to leave the page out. */
  url?: string
  adult?: boolean
  picture?: string | null
  /** What the page is about, in the words of schema.org. */
  facts?: object
  body: Markup
}

export const renderPage = (page: Page): Buffer => Buffer.from(String(frame(page)))

function frame({ title, description, url, adult = false, picture, facts, body }: Page): Markup {
  const shortTitle = oneLine(title, 48)
  const fullTitle = shortTitle === NAME ? NAME : `${shortTitle} – ${NAME}`
  const summary = oneLine(description, 160)
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${fullTitle}</title>
<meta name="description" content="${summary}">
${(adult || !url) && html`<meta name="robots" content="noindex">`}
${adult && html`<meta name="rating" content="adult">`}
${url && openGraph(url, shortTitle, summary, picture)}
<link rel="stylesheet" href="${STYLESHEET}">
${/* Otherwise browsers ask for /favicon.ico, and the visitor is charged for it. */ ''}<link rel="icon" href="data:,">
${facts && dataBlock({ '@context': 'https://schema.org', ...facts })}
</head>
<body>
<header><a href="/">${NAME}</a></header>
<main>
${body}
</main>
<footer><a href="/">Home</a> <a href="${REST_BASE}/openapi.json">API description</a></footer>
</body>
</html>
`
}

const openGraph = (url: string, title: string, description: string, picture: string | null | undefined) =>
  html`<link rel="canonical" href="${url}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${NAME}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
${picture && html`<meta property="og:image" content="${picture}">`}`
