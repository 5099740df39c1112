// A program that asks a user for access, step by step, without a library.
import { createHash, randomBytes } from 'node:crypto'
import { type Browser, formIn, signedUp } from './browser.ts'
import type { Reply, TestService } from './service.ts'

export const REDIRECT = 'https://agent.example.com/callback'

interface Proof {
  verifier: string
  challenge: string
}

export function newProof(): Proof {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const register = (service: TestService, metadata: Record<string, unknown> = {}): Promise<Reply> =>
  service.fetch('/oauth/register', {
    method: 'POST',
    body: { client_name: 'Test Agent', redirect_uris: [REDIRECT], ...metadata },
  })

export async function registered(service: TestService, metadata: Record<string, unknown> = {}): Promise<string> {
  const reply = await register(service, metadata)
  if (reply.status !== 201) throw new Error(`registration answered ${reply.status}: ${reply.text}`)
  return reply.body.client_id
}

/** The address that the program opens in the browser; a parameter that is undefined is left out. */
export function authorizePath(
  service: TestService,
  clientId: string,
  proof: Proof,
  changes: Record<string, string | undefined> = {},
): string {
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: proof.challenge,
    code_challenge_method: 'S256',
    state: 'the-state',
    resource: `${service.origin}/mcp`,
    ...changes,
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value)
  return `/oauth/authorize?${query}`
}

/** Opens the consent page and presses a button. Agrees to the policy if the page asks for it. */
export async function decide(
  browser: Browser,
  path: string,
  decision: 'allow' | 'deny' = 'allow',
  ticked: Record<string, string> = {},
): Promise<Reply> {
  const page = await browser.open(path)
  const form = formIn(page.text, '/oauth/authorize')
  if (!form)
    throw new Error(`no consent form (${page.status}): ${page.headers.get('location')} ${page.text.slice(0, 300)}`)
  const agree: Record<string, string> = page.text.includes('name="agree"') ? { agree: 'true' } : {}
  return browser.post('/oauth/authorize', { ...form, ...agree, ...ticked, decision })
}

export const locationOf = (reply: Reply): URL => new URL(reply.headers.get('location') ?? 'about:blank')

export const exchange = (service: TestService, form: Record<string, string | undefined>): Promise<Reply> =>
  service.fetch('/oauth/token', {
    method: 'POST',
    type: 'application/x-www-form-urlencoded',
    body: new URLSearchParams(
      Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ).toString(),
  })

export interface Asked {
  browser: Browser & { email: string }
  clientId: string
  proof: Proof
  code: string
  redirectUri: string
}

/** A user has allowed a program; the code is not used yet. */
export async function allowed(
  service: TestService,
  given: { browser?: Browser & { email: string }; clientId?: string; redirectUri?: string } = {},
): Promise<Asked> {
  const browser = given.browser ?? (await signedUp(service))
  const redirectUri = given.redirectUri ?? REDIRECT
  const clientId = given.clientId ?? (await registered(service, { redirect_uris: [redirectUri] }))
  const proof = newProof()
  const reply = await decide(browser, authorizePath(service, clientId, proof, { redirect_uri: redirectUri }))
  const code = locationOf(reply).searchParams.get('code')
  if (!code) throw new Error(`no code (${reply.status}): ${reply.headers.get('location')} ${reply.text.slice(0, 500)}`)
  return { browser, clientId, proof, code, redirectUri }
}

export const codeForm = ({ clientId, proof, code, redirectUri }: Asked): Record<string, string> => ({
  grant_type: 'authorization_code',
  client_id: clientId,
  code,
  code_verifier: proof.verifier,
  redirect_uri: redirectUri,
})

export interface SignedIn extends Asked {
  token: string
  refreshToken: string
}

/** A program that a user has signed in to, with its tokens. */
export async function signedIn(service: TestService, given: Parameters<typeof allowed>[1] = {}): Promise<SignedIn> {
  const asked = await allowed(service, given)
  const { status, body, text } = await exchange(service, codeForm(asked))
  if (status !== 200) throw new Error(`the token endpoint answered ${status}: ${text}`)
  return { ...asked, token: body.access_token, refreshToken: body.refresh_token }
}

export const refresh = (
  service: TestService,
  { clientId, refreshToken }: Pick<SignedIn, 'clientId' | 'refreshToken'>,
) => exchange(service, { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken })

/** The status of a REST read and of an MCP call with a token. */
export async function statuses(service: TestService, token: string): Promise<[rest: number, mcp: number]> {
  return [(await service.rest('/tags', { key: token })).status, (await service.tool('list_tags', {}, token)).status]
}

export const grantsOf = async (service: TestService, email: string) => {
  const grants = (await service.admin('GET', '/grants?limit=1000')).body.data
  return grants.filter(({ owner }: { owner: string }) => owner === email)
}
