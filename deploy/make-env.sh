#!/bin/sh
# Writes .env beside docker-compose.yml: this installation's secrets, random, and its addresses. Run once:
#
#   sh deploy/make-env.sh
#
# It does not touch an existing file. Keep the file: without VISITOR_SECRET all visitors count as new, and without
# POSTGRES_PASSWORD the database in its volume cannot be opened.
set -eu
file=${1:-$(dirname "$0")/../.env}
if [ -e "$file" ]; then
  echo "$file is there already, and stays as it is" >&2
  exit 1
fi
secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
umask 077
cat > "$file" <<END
# What people type and see. No path, no slash at the end.
BASE_URL=${BASE_URL:-http://localhost:8080}
REDIRECT_BASE_URL=${REDIRECT_BASE_URL:-http://localhost:8081}
# Shown to visitors of a link that is not served: an address or a URL.
CONTACT=${CONTACT:-http://localhost:8080}

# Proxies in front of the balancer whose X-Forwarded-For is believed: IPs and CIDRs, comma separated; empty for none.
TRUSTED_PROXIES=${TRUSTED_PROXIES:-}
# Where the API is published: put TLS in front of it (deploy/compose.caddy.yml) before it is more than this machine.
PUBLISH_ADDRESS=${PUBLISH_ADDRESS:-127.0.0.1}

POSTGRES_PASSWORD=$(secret)
REDIS_PASSWORD=$(secret)
OWNER_PASSWORD=$(secret)
API_PASSWORD=$(secret)
REDIRECTOR_PASSWORD=$(secret)
SCANNER_PASSWORD=$(secret)
INGEST_PASSWORD=$(secret)
VISITOR_SECRET=$(secret)
END
echo "wrote $file"
