// Keys of every kind, those that work and those that do not.
import { ADMIN_TOKEN, type TestService } from '../service.ts'

export interface Callers {
  /** By name; null: none at all. */
  keys: Record<string, string | null>
  /** Those that may use everything that is not for the operator. */
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
