// @module-tag once
// Keys in memory while several changes of one key are read.
import { expect, test } from 'vitest'
import { type Credential, createKeyCache } from '../../src/features/keys/key-cache.ts'
import { createBrokenRows } from '../../src/kernel/checks/broken-rows.ts'
import { useService } from '../harness/use.ts'

const service = useService()

test('a read that began before a key was revoked does not bring the key back', async () => {
  const { db, log, caller } = service.context()
  const key = (await service.newKey()).key
  const reads: PromiseWithResolvers<Credential[]>[] = []
  const cache = createKeyCache({ db, log, pepper: 'pepper', scale: 1, brokenRows: createBrokenRows(log) })
  cache.addSource({
    topic: 'tokens',
    hasForm: () => false,
    list: async () => [],
    listOf: () => {
      const read = Promise.withResolvers<Credential[]>()
      reads.push(read)
      return read.promise
    },
    find: async () => undefined,
  })
  await cache.apply(null)
  const live: Credential = {
    ...{ id: 'token', hash: cache.hash(key), userId: null, partnerId: null, caller },
    expiresAt: Number.POSITIVE_INFINITY,
  }
  const known = () => cache.findCached(key, {}) !== null
  const renamed = cache.apply({ topic: 'tokens', ids: ['token'] })
  await expect.poll(() => reads.length).toBe(1)
  const revoked = cache.apply({ topic: 'tokens', ids: ['token'] })
  reads[0]!.resolve([live])
  await renamed
  expect(known()).toBe(false)
  await expect.poll(() => reads.length).toBe(2)
  reads[1]!.resolve([])
  await revoked
  expect(known()).toBe(false)
  const restored = cache.apply({ topic: 'tokens', ids: ['token'] })
  await expect.poll(() => reads.length).toBe(3)
  reads[2]!.resolve([live])
  await restored
  expect(known()).toBe(true)
  cache.close()
})

test('any number of keys is read', async () => {
  const { db, log, caller } = service.context()
  const { key } = await service.newKey()
  const cache = createKeyCache({ db, log, pepper: 'pepper', scale: 1, brokenRows: createBrokenRows(log) })
  const live: Credential = {
    ...{ id: 'token', hash: cache.hash(key), userId: null, partnerId: null, caller },
    expiresAt: Number.POSITIVE_INFINITY,
  }
  cache.addSource({
    topic: 'tokens',
    hasForm: () => false,
    list: async () => Array.from({ length: 300_000 }, () => live),
    listOf: async () => [],
    find: async () => undefined,
  })
  void cache.apply(null)
  await expect.poll(() => cache.isLoaded()).toBe(true)
  expect(cache.findCached(key, {})).toEqual(caller)
  cache.close()
})
