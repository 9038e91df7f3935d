#!/bin/sh
# Does what the official image's entrypoint does with the variables that docker-compose.yml sets, and nothing else.
set -eu
export PGDATA=/var/lib/postgresql/18/docker PATH=/opt/postgres/bin:$PATH
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  umask 077
  printf '%s' "$POSTGRES_PASSWORD" > /tmp/password
  # shellcheck disable=SC2086
  initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile=/tmp/password -A scram-sha-256 $POSTGRES_INITDB_ARGS
  rm /tmp/password
  echo "CREATE DATABASE \"$POSTGRES_DB\"" | postgres --single -D "$PGDATA" postgres > /dev/null
  # Replaces roles.sh of /docker-entrypoint-initdb.d, because there is no psql here. A statement ends at an empty line.
  {
    sed -e '/^--/d' -e '/^$/d' /etc/waypost/roles.sql
    printf "\nALTER ROLE waypost_owner PASSWORD '%s';\n\n" "$OWNER_PASSWORD"
    printf "ALTER ROLE waypost_api PASSWORD '%s';\n\n" "$API_PASSWORD"
    printf "ALTER ROLE waypost_redirector PASSWORD '%s';\n\n" "$REDIRECTOR_PASSWORD"
    printf "ALTER ROLE waypost_scanner PASSWORD '%s';\n\n" "$SCANNER_PASSWORD"
  } | postgres --single -j -D "$PGDATA" "$POSTGRES_DB" > /dev/null
fi
exec "$@" -c unix_socket_directories=/var/run/postgresql
