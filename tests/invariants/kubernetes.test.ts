// @module-tag once
// Checks deploy/kubernetes as far as possible without a cluster; the fields were checked against the schema of Kubernetes once, by hand
// (docs/operating.md says how).
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { SETTINGS } from '../../src/config.ts'
import { VERSION } from '../../src/process/version.ts'

const text = readFileSync(new URL('../../deploy/kubernetes/catalog.yaml', import.meta.url), 'utf8')
const documents = parseAllDocuments(text, { strict: true, uniqueKeys: true })
const manifests: any[] = documents.map((document) => document.toJS())
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind)
const deployments = ofKind('Deployment')

test('every document parses and has a name and a kind', () => {
  expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  for (const { apiVersion, kind, metadata } of manifests) {
    expect([typeof apiVersion, typeof kind]).toEqual(['string', 'string'])
    expect(metadata.name).toMatch(/^catalog/)
    expect(metadata.labels['app.kubernetes.io/name']).toBe('catalog')
  }
  expect(deployments).toHaveLength(2)
})

test('only settings that exist are set, secrets come from a secret, and the comment names all that are needed', () => {
  const [{ data }] = ofKind('ConfigMap')
  expect(Object.keys(data).filter((name) => !(name in SETTINGS))).toEqual([])
  for (const name of Object.keys(data)) expect([name, SETTINGS[name as 'PORT'].secret ?? false]).toEqual([name, false])
  const made = [...text.matchAll(/--from-literal=(\w+)=/g)].map(([, name]) => name!)
  expect(made).toEqual(['DATABASE_URL', 'REDIS_URL', 'KEY_PEPPER', 'ADMIN_TOKEN'])
  for (const name of made) expect([name, SETTINGS[name as 'PORT'].secret]).toEqual([name, true])
  expect(ofKind('Secret')).toEqual([])
})

describe.each(deployments)('$metadata.name', ({ spec }) => {
  const pod = spec.template.spec
  const [container] = pod.containers

  test('runs without rights, on a root that cannot be written, as the user of the image', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod.automountServiceAccountToken).toBe(false)
  })

  test('has the image of this version, bounded memory, and time to stop', () => {
    expect(container.image).toBe(`catalog-service:${VERSION}`)
    expect(container.resources.limits.memory).toBeDefined()
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(15)
  })

  test('mounts only volumes that it declares, and claims only what is claimed', () => {
    const declared = pod.volumes.map(({ name }: { name: string }) => name)
    expect(container.volumeMounts.map(({ name }: { name: string }) => name).sort()).toEqual([...declared].sort())
    const claims = ofKind('PersistentVolumeClaim').map(({ metadata }) => metadata.name)
    for (const { persistentVolumeClaim } of pod.volumes)
      if (persistentVolumeClaim) expect(claims).toContain(persistentVolumeClaim.claimName)
  })

  test('its selector finds its own pods', () => {
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
  })
})

test('the service and the budget choose the servers, at a port that they have; a worker has no probe', () => {
  const [server, worker] = deployments
  const labels = server.spec.template.metadata.labels
  const [service] = ofKind('Service')
  expect(labels).toMatchObject(service.spec.selector)
  expect(worker.spec.template.metadata.labels).not.toMatchObject(service.spec.selector)
  expect(labels).toMatchObject(ofKind('PodDisruptionBudget')[0].spec.selector.matchLabels)
  const [container] = server.spec.template.spec.containers
  expect(container.ports.map(({ name }: { name: string }) => name)).toContain(service.spec.ports[0].targetPort)
  // A pod whose migration takes long must not be ended by either.
  for (const probe of [container.startupProbe, container.livenessProbe]) expect(probe.httpGet.path).toBe('/healthz')
  expect(container.readinessProbe.httpGet.path).toBe('/readyz')
  expect(Object.keys(worker.spec.template.spec.containers[0]).filter((name) => name.endsWith('Probe'))).toEqual([])
})

test('an upgrade that needs every process stopped stops all of them, here and in docs/versioning.md', () => {
  const names = deployments.map(({ metadata }) => metadata.name).join(' ')
  const guide = readFileSync(new URL('../../docs/versioning.md', import.meta.url), 'utf8')
  for (const place of [text, guide])
    expect(place).toContain(`kubectl -n catalog scale deployment ${names} --replicas=0\n`)
})
