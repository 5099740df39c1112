// What operators can do about mails that were not sent.
import type { MailState } from './schema.ts'

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
