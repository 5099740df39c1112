#!/usr/bin/env bash
# What `npm test` leaves out: the slow tests, the same suite on PostgreSQL and Redis, the service as processes, other people's clients and checkers,
# and people's journeys in a browser.
set -euo pipefail
cd "$(dirname "$0")/.."
npx vitest run --project properties --project slow --project cli
# Accounts, dashboard and console here, and on the embedded database by the journeys at the end (and by npm run test:web).
bash tests/with-servers.sh npx vitest run --project service --project slow --project web --project processes
INTEROP=1 npx vitest run --project interop
npx vitest run --project browser
