// The texts of mails, as plain text and as simple HTML, and what operators are told about mails that were not sent.
import { hoursText } from '../../kernel/values/text.ts'
import { MAIL_LINK_HOURS } from '../accounts/rules.ts'
import type { MailDetails, MailKind, MailState } from './schema.ts'

interface MailText {
  subject: string
  lines: readonly string[]
  /** A button that links to an address. */
  action: { label: string; href: string }
  /** Shown below the button, in small type. */
  note: string
}

/** The values that a text may contain besides the details of its event. */
interface MailFrame {
  site: string
  /** The background of the button; white text can be read on it. */
  colour: string
  publicUrl: string
  /** Empty for a mail without a link. */
  link: string
  /** Whether the address of the recipient has an account. */
  hasAccount: boolean
}

const NOT_YOU = 'If this was not you, change your password and revoke the key under Keys.'
const UNASKED = 'If you did not ask for this, ignore this mail: nothing changes.'
/** Stands in for the detail `grace`, which mails that an earlier version has queued do not have. */
const EARLIER_GRACE = 'a week'
const LINK_NOTE = `The link works once, for ${hoursText(MAIL_LINK_HOURS)}.`

const TEXTS: Record<MailKind, (details: MailDetails, frame: MailFrame) => MailText> = {
  'sign-up': (_, { site, link, hasAccount }) =>
    hasAccount
      ? {
          subject: `You have an account at ${site}`,
          lines: [
            `Someone asked to sign up at ${site} with this address, which has an account already.`,
            'Sign in with your password. If you have forgotten it, set a new one:',
          ],
          action: { label: 'Set a new password', href: link },
          note: `${LINK_NOTE} ${UNASKED}`,
        }
      : {
          subject: `Confirm your address for ${site}`,
          lines: [`Open this link to finish your account at ${site}. You choose a password there.`],
          action: { label: 'Finish the account', href: link },
          note: `${LINK_NOTE} ${UNASKED}`,
        },
  reset: (_, { site, link }) => ({
    subject: `Set a new password for ${site}`,
    lines: [`Open this link to set a new password for your account at ${site}.`],
    action: { label: 'Set a new password', href: link },
    note: `${LINK_NOTE} ${UNASKED}`,
  }),
  'key-created': ({ name, last4, replaced }, { site, publicUrl }) => ({
    subject: `A new API key at ${site}`,
    lines: [
      `A key${name ? ` named “${name}”` : ''} was made for your account at ${site}. It ends in ${last4}.`,
      ...(replaced ? [`It replaces the key that ends in ${replaced}.`] : []),
    ],
    action: { label: 'Look at your keys', href: `${publicUrl}/dashboard` },
    note: NOT_YOU,
  }),
  'grant-given': ({ program }, { site, publicUrl }) => ({
    subject: `${program} may read ${site} for you`,
    lines: [`You allowed “${program}” to read the catalog of ${site} for you.`],
    action: { label: 'Look at your apps', href: `${publicUrl}/dashboard/apps` },
    note: 'If this was not you, withdraw the access there and change your password.',
  }),
  'plan-changed': ({ plan, rest, mcp }, { site, publicUrl }) => ({
    subject: `Your plan at ${site} is ${plan}`,
    lines: [
      `Your account at ${site} now has the plan ${plan}.`,
      `Each of your keys may make ${rest} REST and ${mcp} MCP calls a minute.`,
    ],
    action: { label: 'Look at your usage', href: `${publicUrl}/dashboard/usage` },
    note: 'Your keys work on as they are.',
  }),
  'product-accepted': ({ name, slug, reason }, { site, publicUrl }) => ({
    subject: `${name} is listed at ${site}`,
    lines: [`Your product “${name}” was accepted and is listed at ${site}.`, ...(reason ? [reason] : [])],
    action: { label: 'Look at the listing', href: `${publicUrl}/tools/${slug}` },
    note: 'Claim the listing to show that the product is yours.',
  }),
  'product-refused': ({ name, id, reason = '' }, { site, publicUrl }) => ({
    subject: `${name} was not accepted at ${site}`,
    lines: [`Your product “${name}” was not accepted for ${site}.`, reason],
    action: { label: 'Look at it', href: `${publicUrl}/submit/${id}` },
    note: 'A product may be corrected and sent once more.',
  }),
  'claim-failing': ({ name, slug, website, why, moved, grace = EARLIER_GRACE }, { site, publicUrl }) => ({
    subject: `Show again that ${name} at ${site} is yours`,
    lines: [
      moved
        ? `The listing “${name}” has another website now, ${website}, and the token that proves that it is yours was not found there.`
        : `The token that proves that “${name}” is yours was not found any more. ${why}`,
      `Show the token again within ${grace}, in DNS, in a file or on your page. If it is not found then either, your claim of the listing ends.`,
    ],
    action: { label: 'How to show the token', href: `${publicUrl}/tools/${slug}/claim` },
    note: 'The listing itself stays as it is.',
  }),
  'claim-ended': ({ name, slug, grace = EARLIER_GRACE }, { site, publicUrl }) => ({
    subject: `You no longer own ${name} at ${site}`,
    lines: [
      `The token that proves that “${name}” is yours was not found twice, ${grace} apart.`,
      `Your account therefore no longer owns this listing at ${site}.`,
    ],
    action: { label: 'Claim it again', href: `${publicUrl}/tools/${slug}/claim` },
    note: 'The listing itself stays as it is.',
  }),
  'proposal-decided': ({ name, slug, field, decision, reason }, { site, publicUrl }) => ({
    subject: `Your change of ${name} at ${site} was ${decision}`,
    lines: [
      `You proposed another value for “${field}” of “${name}” at ${site}. An administrator has ${decision} it${decision === 'accepted' ? ', and the listing has it now' : ', so the listing stays as it is'}.`,
      ...(reason ? [reason] : []),
    ],
    action: { label: 'Look at your changes', href: `${publicUrl}/dashboard/products/${slug}` },
    note: 'You get this mail because you own the listing.',
  }),
  'order-done': ({ name, id, count }, { site, publicUrl }) => ({
    subject: `The work for ${name} at ${site} is done`,
    lines: [`The package that you ordered for “${name}” is done. Directories that it was entered into: ${count}.`],
    action: { label: 'See each directory and the report', href: `${publicUrl}/dashboard/orders/${id}` },
    note: 'The links are looked at again later; the page of the order shows what was found.',
  }),
  'report-answered': ({ name, path, answer = '' }, { site, publicUrl }) => ({
    subject: `Your report about ${name} at ${site}`,
    lines: [`You reported “${name}” at ${site}. This is the answer:`, answer],
    action: { label: 'Look at the listing', href: `${publicUrl}${path}` },
    note: 'Your address was only kept for this answer. If you did not report it, ignore this mail.',
  }),
}

const MOST_SUBJECT = 150

/** One line without control characters. Texts that users or programs have chosen need this, because some are in mail headers. */
export const lineOfMail = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** The parts of a mail; `end` names the sender. */
export function mailParts(kind: MailKind, details: MailDetails, frame: MailFrame) {
  const clean = Object.fromEntries(Object.entries(details).map(([name, value]) => [name, lineOfMail(value)]))
  const site = lineOfMail(frame.site)
  const { subject, ...parts } = TEXTS[kind](clean, { ...frame, site })
  const cut = [...subject].slice(0, MOST_SUBJECT).join('')
  return { ...parts, site, subject: cut, end: `${site}, ${frame.publicUrl}` }
}

export function mailText(kind: MailKind, details: MailDetails, frame: MailFrame) {
  const { site, subject, lines, action, note, end } = mailParts(kind, details, frame)
  return {
    subject,
    text: [...lines, `${action.label}:\n${action.href}`, note, `-- \n${end}`].join('\n\n'),
    html: `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f6f7f4;color:#14201b;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border-radius:16px">
<p style="margin:0 0 16px;font-weight:700">${escaped(site)}</p>
${lines.map((line) => `<p style="margin:0 0 16px">${escaped(line)}</p>`).join('\n')}
<p style="margin:0 0 16px"><a href="${escaped(action.href)}" style="display:inline-block;padding:10px 16px;border-radius:10px;background:${escaped(frame.colour)};color:#ffffff;font-weight:600;text-decoration:none">${escaped(action.label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#4c5a54">${escaped(note)}</p>
<p style="margin:0;font-size:13px;color:#4c5a54">${escaped(end)}</p>
</div>
</body></html>
`,
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)

/** Advice by the state of the mail and its stored problem. The first row that matches applies. */
const REMEDIES: readonly (readonly [state: MailState, problem: RegExp, remedy: string])[] = [
  [
    'failed',
    /after MAIL FROM/,
    'The server does not accept the sender: set MAIL_FROM to an address that it accepts, and restart. People ask for a link again.',
  ],
  [
    'failed',
    /after RCPT TO/,
    'The server does not accept the recipient, as with a mistyped address. If every mail fails, the server forwards no mail for this service: check the user name in SMTP_URL.',
  ],
  ['failed', /./, 'The log of the mail server says why it refuses. The mail is not sent again.'],
  ['pending', /./, 'Run catalog doctor, which checks SMTP_URL. The mail is tried again for about five hours.'],
  ['unknown', /./, 'It may have arrived, so it is not sent again. The log of the mail server says whether it did.'],
]

export const mailRemedy = (state: MailState, problem: string): string =>
  REMEDIES.find(([mailState, pattern]) => mailState === state && pattern.test(problem))?.[2] ?? ''
