// The part of a host name that one owner has registered: `acme.com` of `app.acme.com`, `acme.co.uk` of `www.acme.co.uk`, and the whole
// `acme.github.io`, because many people share `github.io`.
import { isIP } from 'node:net'

// Second levels under which registries of countries register names: `co.uk`, `com.au`.
const SECOND_LEVELS = new Set(
  'ac co com edu go gob gouv gov gv id info ltd me mil ne net nom nhs or org plc sch'.split(' '),
)
// Domains whose subdomains belong to different people.
const SHARED = new Set(
  `appspot.com azurewebsites.net blogspot.com bubbleapps.io carrd.co cloudfront.net deno.dev firebaseapp.com fly.dev framer.ai framer.app
   framer.website gitbook.io github.io gitlab.io glitch.me herokuapp.com hf.space myshopify.com netlify.app notion.site onrender.com pages.dev
   railway.app replit.app repl.co softr.app squarespace.com streamlit.app surge.sh tumblr.com up.railway.app vercel.app web.app webflow.io
   weebly.com wixsite.com wordpress.com workers.dev`.split(/\s+/),
)

/** An IP address, or a name without a dot, is returned whole. */
export function registrableDomain(hostname: string): string {
  const host = hostname.toLowerCase().replace(/\.+$/, '')
  if (host.startsWith('[') || isIP(host) !== 0) return host
  const labels = host.split('.')
  const isCountry = labels.at(-1)?.length === 2
  for (let from = 1; from < labels.length; from++) {
    const suffix = labels.slice(from)
    const isSuffix =
      suffix.length === 1 ||
      SHARED.has(suffix.join('.')) ||
      (suffix.length === 2 && isCountry && SECOND_LEVELS.has(suffix[0] ?? ''))
    if (isSuffix) return labels.slice(from - 1).join('.')
  }
  return host
}
