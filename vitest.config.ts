import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      // Pure code: no server, no database.
      { test: { name: 'unit', include: ['src/**/*.test.ts', 'tests/unit/**/*.test.ts'] } },
      // A whole service in front of a real database, spoken to over HTTP.
      {
        test: {
          name: 'service',
          include: ['tests/{contract,invariants,service}/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
