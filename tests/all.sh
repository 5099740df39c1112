#!/usr/bin/env bash
# What `npm test` leaves out: the slow tests, the same suite on PostgreSQL and Redis, the service as processes, attackers, other people's
# clients and checkers, and people's journeys in a browser (these on the embedded database). Not here, because they take long: the fuzzers
# (npm run test:security), hostile texts in the browser (test:browser), test:faults and test:operating.
set -euo pipefail
cd "$(dirname "$0")/.."
bash tests/with-servers.sh npx vitest run \
  --project properties --project cli --project service --project slow --project web --project processes --project security
INTEROP=1 npx vitest run --project interop --project browser
