#!/bin/sh
# migrations wait longer than the application may
set -eu
export PGOPTIONS="-c statement_timeout=0 -c lock_timeout=2s"
PGCONNECT_TIMEOUT=10
export PGCONNECT_TIMEOUT
timeout 1h psql "$DATABASE_URL" --file 0007_index.sql
