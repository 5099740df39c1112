#!/usr/bin/env bash
# What `npm test` leaves out: the slow tests, the same suite on PostgreSQL and Redis, the service as processes, attackers, other people's
# clients and checkers, and people's journeys in a browser (these on the embedded database).
set -euo pipefail
cd "$(dirname "$0")/.."
# Many of them wait for processes and receivers, so there is room for a third.
bash tests/with-servers.sh npx vitest run --maxWorkers=3 \
  --project properties --project cli --project service --project slow --project web --project processes --project security
INTEROP=1 npx vitest run --project interop
npx vitest run --project browser
