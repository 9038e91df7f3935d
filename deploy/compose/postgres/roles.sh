#!/bin/sh
# Creates the roles, with passwords from the environment. The image's entrypoint runs it once, on a new volume. Passwords
# go through standard input, so that no process list shows them.
set -eu
password() { printf "ALTER ROLE waypost_%s PASSWORD '%s';\n" "$1" "$2"; }
{
  cat /etc/waypost/roles.sql
  password owner "$OWNER_PASSWORD"
  password api "$API_PASSWORD"
  password redirector "$REDIRECTOR_PASSWORD"
  password scanner "$SCANNER_PASSWORD"
} | psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB"
