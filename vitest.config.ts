import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

// Each service gets a copy of a database of 30 MB and syncs what it writes. In memory, where there is room, that takes a fifth of the time.
const MEMORY = '/dev/shm'
const ROOM_BYTES = 4 * 1024 ** 3
const hasRoom = existsSync(MEMORY) && statfsSync(MEMORY).bavail * statfsSync(MEMORY).bsize >= ROOM_BYTES

// A whole service in front of a real database, spoken to over HTTP.
const service = (name: string, folders: string, testTimeout = 90_000, globalSetup: string[] = []) => ({
  // Files share a process's modules: importing the service anew for each would cost more than the tests.
  test: {
    name,
    include: [`tests/${folders}/**/*.test.ts`],
    testTimeout,
    hookTimeout: 120_000,
    globalSetup,
    isolate: false,
    env: hasRoom ? { TMPDIR: MEMORY } : {},
  },
})

const OTHERS = [
  'browser',
  'browser-attacks',
  'crash',
  'faults',
  'fuzz',
  'harness',
  'interop',
  'security',
  'snapshots',
  'tools',
]
const SUBJECTS = readdirSync(new URL('./tests', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !OTHERS.includes(entry.name))
  .map(({ name }) => name)

export default defineConfig({
  test: {
    // A busy machine may need seconds for what usually takes a moment.
    expect: { poll: { timeout: 30_000 } },
    // One more than the processors of the usual machine: one of them is always waiting for a database.
    maxWorkers: 3,
    // A file is tagged by a line `// @module-tag slow` above its imports.
    tags: [
      { name: 'slow', description: 'Left out of npm test; npm run test:all runs it.', timeout: 60_000 },
      {
        name: 'once',
        description: 'Left out of npm run test:all, because npm test has run it and the database makes no difference.',
      },
      { name: 'long', description: 'Takes minutes; has a command of its own in package.json.', timeout: 180_000 },
    ],
    projects: [
      // Folders by what is tested; a new folder is one of them.
      service('service', `{${SUBJECTS.join(',')}}`),
      // Users' journeys in a real browser.
      service('browser', 'browser', 60_000),
      // The same browser under attack: hostile texts in every field, pages of other sites; npm run test:browser.
      service('browser-attacks', 'browser-attacks', 60_000),
      // Minutes of load under kill -9 and database restarts; npm run test:faults.
      service('faults', 'faults', 300_000),
      // An attacker from outside: OWASP API Top 10, fuzzing, evasion; npm run test:security.
      service('security', 'security', 120_000),
      // Tens of thousands of made-up requests; npm run test:security.
      service('fuzz', 'fuzz', 120_000),
      // Clients and checkers that others wrote.
      service('interop', 'interop', 120_000, ['tests/interop/setup.ts']),
    ],
  },
})
