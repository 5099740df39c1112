// Sending mail, as features see it.

export interface OutgoingMail {
  /** Names the mail in its Message-ID, so that a mail program can tell two copies of one mail. */
  id: string
  from: { name: string; address: string }
  replyTo: string | null
  to: string
  subject: string
  text: string
  html: string
}

/** The server did not take the mail: it was not reached, or it asks the service to try later. */
export class MailAway extends Error {}

/** The server refuses the mail, and will refuse it again. */
export class MailRefused extends Error {}

export interface Mailer {
  /** Throws a MailAway or a MailRefused; after any other error the mail may have been sent. */
  send(mail: OutgoingMail): Promise<void>
  /** Connects and signs in, and sends nothing. */
  probe(): Promise<void>
}
