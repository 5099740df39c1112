#!/usr/bin/env bash
# All tests on PostgreSQL and Redis, the slow ones too, but not those for which the database makes no difference; then clients and checkers
# that others wrote and users' journeys in a browser, on the embedded database. Not here, because they take minutes: the fuzzers
# (npm run test:security), hostile texts in the browser (test:browser), test:faults and test:operating.
set -euo pipefail
cd "$(dirname "$0")/.."
# More at a time than in npm test, because each waits for databases, clocks and other processes for a third of its time.
bash tests/with-servers.sh npx vitest run --maxWorkers=4 --project service --project security --tags-filter='!long && !once'
INTEROP=1 npx vitest run --maxWorkers=3 --project interop --project browser --tags-filter='!long'
