#!/bin/sh
# TRUSTED_PROXIES has commas and may be `none`, but HAProxy needs addresses with spaces.
set -eu
WAYPOST_PROXIES=$(printf %s "${TRUSTED_PROXIES:-}" | tr , '\n' | sed '/^none$/d' | tr '\n' ' ')
export WAYPOST_PROXIES
exec haproxy -W -db -f /etc/waypost/haproxy.cfg -f /etc/waypost/servers.cfg
