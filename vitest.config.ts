import { defineConfig } from 'vitest/config'

// A whole service in front of a real database, spoken to over HTTP.
const service = (name: string, folders: string, testTimeout = 30_000, globalSetup: string[] = []) => ({
  // Files share a process's modules: importing the service anew for each would cost more than the tests.
  test: {
    name,
    include: [`tests/${folders}/**/*.test.ts`],
    testTimeout,
    hookTimeout: 120_000,
    globalSetup,
    isolate: false,
  },
})

export default defineConfig({
  test: {
    // One of them is always waiting for a database.
    maxWorkers: 2,
    projects: [
      // Pure code: no server, no database.
      { test: { name: 'unit', include: ['tests/unit/**/*.test.ts'], testTimeout: 60_000 } },
      // Thousands of random catalogs against a brute-force reference.
      { test: { name: 'properties', include: ['tests/properties/**/*.test.ts'], testTimeout: 120_000 } },
      service('service', '{contract,invariants,service}'),
      // Accounts, dashboard and console over HTTP, without a browser.
      service('web', 'web', 60_000),
      // The command line, which knows no database.
      service('cli', 'cli', 60_000),
      // What takes its time: product sites, receivers.
      service('slow', 'slow', 60_000),
      // The service as processes that are killed, doubled and cut off from their servers.
      service('processes', 'processes', 60_000),
      // Backups, moves and the doctor, on processes and folders of their own; npm run test:operating.
      service('operating', 'operating', 120_000),
      // People's journeys in a real browser.
      service('browser', 'browser', 60_000),
      // The same browser under attack: hostile texts in every field, pages of other sites; npm run test:browser.
      service('browser-attacks', 'browser-attacks', 60_000),
      // Minutes of load under kill -9 and database restarts; npm run test:faults.
      service('faults', 'faults', 300_000),
      // An attacker from outside: OWASP API Top 10, fuzzing, evasion; npm run test:security.
      service('security', 'security', 120_000),
      // Tens of thousands of made-up requests; npm run test:security.
      service('fuzz', 'fuzz', 120_000),
      // Other people's clients and checkers.
      service('interop', 'interop', 120_000, ['tests/interop/setup.ts']),
    ],
  },
})
