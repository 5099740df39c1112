// Checks the settings, and warns of allowed values that are dangerous.
import { isIP } from 'node:net'
import type { Diagnosis } from '../../config.ts'
import { type DoctorFinding, findingsAbout } from './finding.ts'

const about = findingsAbout('Settings')

export function examineSettings({ config, problems, misspelt }: Diagnosis): DoctorFinding[] {
  const found: DoctorFinding[] = problems.map((text) =>
    about.problem(text, 'Fix it: the service does not start. docs/settings.md has every setting.'),
  )
  for (const { name, meant } of misspelt)
    found.push(about.warning(`${name} is no setting and is ignored.`, `Was ${meant} meant?`))
  if (config.RATE_LIMIT_SCALE !== 1)
    found.push(
      about.warning(
        `RATE_LIMIT_SCALE multiplies every limit by ${config.RATE_LIMIT_SCALE}.`,
        'Unset it, except for load tests.',
      ),
    )
  found.push(...examineAddress(config.PUBLIC_URL, config.HOST))
  found.push(...examineCookies(config.PUBLIC_URL ?? `http://localhost:${config.PORT}`))
  if (config.DATABASE_URL && !config.KEY_PEPPER)
    found.push(
      about.warning(
        'DATABASE_URL is set and KEY_PEPPER is not: the pepper is in a file of this machine only.',
        'Set KEY_PEPPER to the content of DATA_DIR/key-pepper, here and wherever else the service runs.',
      ),
    )
  if (config.DATABASE_URL && !config.REDIS_URL)
    found.push(
      about.warning(
        'DATABASE_URL is set and REDIS_URL is not: each process counts rate limits by itself.',
        'Set REDIS_URL when more than one process runs.',
      ),
    )
  return found.length > 0 ? found : [about.ok('All settings are valid.')]
}

function examineAddress(publicUrl: string | undefined, host: string): DoctorFinding[] {
  const isOpen = !isLocal(host)
  if (!publicUrl)
    return isOpen
      ? [
          about.warning(
            `HOST=${host} accepts other machines, but all URLs in answers say localhost.`,
            'Set PUBLIC_URL to the address that clients use.',
          ),
        ]
      : []
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'http:' && !isLocal(hostname)
    ? [
        about.warning(
          `PUBLIC_URL is ${publicUrl}: keys and passwords can be read by anyone on the network path.`,
          'Put a reverse proxy with a certificate in front, and set PUBLIC_URL to its https:// address.',
        ),
      ]
    : []
}

/** Browsers send a host's cookies to all of its ports, so another program on the host can read the session cookie. */
function examineCookies(publicUrl: string): DoctorFinding[] {
  const { hostname, port } = new URL(publicUrl)
  if (port === '' && !isLocal(hostname)) return []
  return [
    about.warning(
      `Browsers send the session cookie of ${publicUrl} to every other port of ${hostname}, where another program may read it.`,
      'Run only trusted programs on that host, or set PUBLIC_URL to an https:// name of its own.',
    ),
  ]
}

const isLocal = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
