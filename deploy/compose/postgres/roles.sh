#!/bin/sh
# The image's entrypoint runs it once, on a new volume: the roles, and their passwords from the environment. Beside the SQL
# nothing is on a command line, so that no list of processes shows a password.
set -eu
{
  cat /etc/waypost/roles.sql
  for role in owner api redirector scanner; do
    eval "password=\$$(echo "$role" | tr a-z A-Z)_PASSWORD"
    printf "ALTER ROLE waypost_%s PASSWORD '%s';\n" "$role" "$password"
  done
} | psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB"
