#!/usr/bin/env bash
# Runs a command with a PostgreSQL and a Redis of its own: on free ports, in a temporary folder, gone afterwards.
#   bash tests/with-servers.sh npx vitest run tests/keys
# The command finds them in TEST_DATABASE_URL and TEST_REDIS_URL.
set -euo pipefail

postgres_bin() {
  if command -v pg_ctl >/dev/null; then dirname "$(command -v pg_ctl)"; else ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; fi
}
bin=$(postgres_bin)
if [ ! -x "$bin/pg_ctl" ] || ! command -v redis-server >/dev/null; then
  echo "This needs PostgreSQL 15 or newer and Redis: apt-get install postgresql redis-server" >&2
  exit 1
fi

free_port() { node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }
folder=$(mktemp -d /tmp/catalog-servers-XXXXXX)
postgres_port=$(free_port)
redis_port=$(free_port)
redis_pid=

# PostgreSQL refuses to run as root.
as_postgres() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }

stop() {
  [ -n "$redis_pid" ] && kill "$redis_pid" 2>/dev/null || true
  [ -f "$folder/postgres/postmaster.pid" ] && as_postgres "$bin/pg_ctl" -D "$folder/postgres" -m immediate stop >/dev/null || true
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

[ "$(id -u)" = 0 ] && chown postgres "$folder"
cd /
as_postgres "$bin/initdb" -D "$folder/postgres" -U postgres --auth=trust --no-sync --encoding=UTF8 --locale=C.UTF-8 >/dev/null
as_postgres "$bin/pg_ctl" -D "$folder/postgres" -l "$folder/postgres.log" -w \
  -o "-p $postgres_port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$folder -c fsync=off -c max_connections=400" start >/dev/null
redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --appendonly no --dir "$folder" --daemonize no >"$folder/redis.log" 2>&1 &
redis_pid=$!
cd - >/dev/null

export TEST_DATABASE_URL="postgres://postgres@127.0.0.1:$postgres_port/postgres"
# For tests that restart the database.
export TEST_POSTGRES_BIN="$bin" TEST_POSTGRES_DATA="$folder/postgres"
export TEST_REDIS_URL="redis://127.0.0.1:$redis_port"
"$@"
