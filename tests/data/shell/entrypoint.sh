#!/usr/bin/env bash
# Starts the worker; don't run this by hand
set -euo pipefail

export WORKER_TIMEOUT=30
readonly DRAIN_SECONDS="25" GRACE='5s'
: "${KEEP_ALIVE:=75}"
UPSTREAM_TIMEOUT=${UPSTREAM_TIMEOUT:-60}
LOG_DIR="$HOME/logs" # where it goes
STARTED=$(date +%s)
RETRIES=3; BACKOFF=250ms
PATH=/opt/bin:$PATH
TIMEOUT=60 curl -fsS "http://localhost:${PORT}/healthz"
ARGS=(--timeout 30 --verbose)
ARGS+=(--more)
MESSAGE="first line
NOT_A_SETTING=1
last line"
MIXED=a"b"c
ESCAPED=a\ b
ANSI=$'it\'s\n'

usage() {
  local wait_for=10
  cat <<-'USAGE' >&2
	usage: don't use "this
	TIMEOUT=never
	USAGE
  echo "
INSIDE_A_TEXT=1
"
}

if [[ "${DEBUG:-}" == "1" ]]; then
  WORKER_TIMEOUT=600
  export WORKER_TIMEOUT
fi

cat > /etc/app.env <<EOF_ENV
TIMEOUT=$WORKER_TIMEOUT
EOF_ENV
# the rest isn't read: it's a comment with 'quotes
case "$1" in
  web) MODE=web ;;
  *)
    MODE="worker" ;;
esac
ODD='a "quoted" 5s' ; EVEN="a 'quoted' 5s"
EMPTY=
exec gunicorn --timeout "$WORKER_TIMEOUT" app:wsgi
