// Mail: whether the server can be reached and accepts the user name and password.
import type { Config } from '../../config.ts'
import { openMailer } from '../../platform/mailer.ts'
import { type Finding, okFinding, problemFinding, reasonOf } from './finding.ts'

const ABOUT = 'Mail'

export async function examineMail({ SMTP_URL }: Config): Promise<Finding[]> {
  const mailer = openMailer(SMTP_URL)
  if (!mailer || !SMTP_URL) return [okFinding(ABOUT, 'Not set up: no mail is sent, and operators hand out links.')]
  const { hostname, port } = new URL(SMTP_URL)
  const server = `${hostname}${port ? `:${port}` : ''}`
  try {
    await mailer.probe()
    return [okFinding(ABOUT, `The mail server ${server} can be used.`)]
  } catch (error) {
    return [
      problemFinding(
        ABOUT,
        `The mail server ${server} cannot be used: ${reasonOf(error)}.`,
        'Check SMTP_URL: host, port, user name and password, and smtps:// for a server that is encrypted from the first byte. Until then mails wait and are tried again for some hours.',
      ),
    ]
  }
}
