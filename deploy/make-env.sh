#!/bin/sh
# Writes .env beside docker-compose.yml, with random secrets and the addresses of this installation. Run it once:
#
#   sh deploy/make-env.sh
#
# It does not touch an existing file. Keep the file: without VISITOR_SECRET all visitors count as new, and without
# POSTGRES_PASSWORD the database in its volume cannot be opened.
set -eu
file=${1:-$(dirname "$0")/../.env}
if [ -e "$file" ]; then
  echo "$file already exists and was not changed" >&2
  exit 1
fi
secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
umask 077
cat > "$file" <<END
# People type and see these addresses. They have no path and no slash at the end.
BASE_URL=${BASE_URL:-http://localhost:8080}
REDIRECT_BASE_URL=${REDIRECT_BASE_URL:-http://localhost:8081}
# Visitors of a link that is not served see this e-mail address or URL.
CONTACT=${CONTACT:-http://localhost:8080}

# Proxies in front of the balancer whose X-Forwarded-For is trusted: IPs and CIDRs, separated by commas, or empty.
TRUSTED_PROXIES=${TRUSTED_PROXIES:-}
# The API is published here. Put TLS in front of it (deploy/compose.caddy.yml) before you open it to other machines.
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
