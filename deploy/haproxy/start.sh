#!/bin/sh
# TRUSTED_PROXIES has commas, as everywhere else; HAProxy wants spaces.
set -eu
WAYPOST_PROXIES=$(printf %s "${TRUSTED_PROXIES:-}" | tr , ' ')
export WAYPOST_PROXIES
exec haproxy -W -db -f /etc/waypost/haproxy.cfg -f /etc/waypost/servers.cfg
