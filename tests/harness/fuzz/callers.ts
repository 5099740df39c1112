// Keys of every kind: of partners and of the catalog, revoked, of a banned partner, mistyped, the operator token, and none.
import { ADMIN_TOKEN, type TestService } from '../service.ts'

export interface Callers {
  /** Keys by name; null sends none. */
  keys: Record<string, string | null>
  /** The names of the keys that may use every operation that is not for the operator. */
  fitting: string[]
}

export async function makeCallers(service: TestService): Promise<Callers> {
  const revoked = await service.newKey()
  await service.admin('DELETE', `/keys/${revoked.id}`)
  const banned = await service.newPartner({ support: 'hybrid' })
  await service.admin('PATCH', `/partners/${banned.id}`, { banned: true })
  const hybrid = await service.newPartner({ support: 'hybrid' })
  const human = await service.newPartner({ support: 'human' })
  return {
    fitting: ['hybrid', 'human'],
    keys: {
      hybrid: hybrid.key,
      human: human.key,
      premium: (await service.newKey('premium')).key,
      standard: (await service.newKey('standard')).key,
      withoutSupport: (await service.newPartner()).key,
      revoked: revoked.key,
      banned: banned.key,
      mistyped: `${hybrid.key.slice(0, -1)}${hybrid.key.endsWith('x') ? 'y' : 'x'}`,
      nonsense: 'aid_p_\u00ff',
      operator: ADMIN_TOKEN,
      none: null,
    },
  }
}
