// Checks whether the mail server can be reached and accepts the user name and password, and whether it has refused mails.
import type { Config } from '../../config.ts'
import { openMailer } from '../../platform/mailer.ts'
import { type DoctorFinding, findingsAbout, reasonOf } from './finding.ts'
import { metricsOf, originOf } from './network.ts'

const about = findingsAbout('Mail')

export async function examineMail(config: Config, isRunning: boolean): Promise<DoctorFinding[]> {
  const { SMTP_URL } = config
  const mailer = openMailer(SMTP_URL)
  if (!mailer || !SMTP_URL) return [about.ok('Not set up: no mail is sent, and operators hand out links.')]
  const { hostname, port } = new URL(SMTP_URL)
  const server = `${hostname}${port ? `:${port}` : ''}`
  try {
    await mailer.probe()
    const usable = about.ok(`The mail server ${server} can be used.`)
    return [usable, ...(isRunning ? await examineRefused(originOf(config)) : [])]
  } catch (error) {
    return [
      about.problem(
        `The mail server ${server} cannot be used: ${reasonOf(error)}.`,
        'Check SMTP_URL: host, port, user name and password, and smtps:// for a server that is encrypted from the first byte. Until then mails wait and are tried again for some hours.',
      ),
    ]
  }
}

const REFUSED = /^catalog_mails\{kind="([\w-]+)",state="failed"\} (\d+)$/gm

/** Reads what the running service has counted, because signing in to a mail server does not show whether it accepts the sender. */
async function examineRefused(origin: string): Promise<DoctorFinding[]> {
  const refused = [...(await metricsOf(origin)).matchAll(REFUSED)].map(([, kind, count]) => `${kind} ${count}`)
  if (refused.length === 0) return []
  return [
    about.warning(
      `The server refused mails of the last day for good: ${refused.join(', ')}.`,
      'catalog overview says why, and what to do.',
    ),
  ]
}
