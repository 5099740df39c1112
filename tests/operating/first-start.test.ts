// When several services start at the same time on an empty PostgreSQL, one of them makes the tables. tests/with-servers.sh runs this file.
// @module-tag long
import { expect, test } from 'vitest'
import { createDatabase, startService } from '../harness/service.ts'

const { TEST_DATABASE_URL } = process.env

test.skipIf(!TEST_DATABASE_URL)(
  'six services that start at the same time on an empty database all become ready, three times in a row',
  async () => {
    for (let round = 0; round < 3; round++) {
      const database = await createDatabase(TEST_DATABASE_URL!)
      const environment = { DATABASE_URL: database.url, KEY_PEPPER: 'a pepper that all of them share, long enough' }
      const services = await Promise.allSettled(Array.from({ length: 6 }, () => startService(environment)))
      const started = services.flatMap((service) => (service.status === 'fulfilled' ? [service.value] : []))
      try {
        expect(services.flatMap((service) => (service.status === 'rejected' ? [String(service.reason)] : []))).toEqual(
          [],
        )
        const ready = await Promise.all(started.map((service) => service.fetch('/readyz')))
        expect(ready.map((answer) => answer.status)).toEqual(Array(6).fill(200))
      } finally {
        await Promise.all(started.map((service) => service.close()))
        await database.drop()
      }
    }
  },
)
