#!/bin/sh
# Redis is only a cache, without a snapshot or append-only file (deploy/run.md says why). The password is in a file, so
# that no process list shows it.
set -eu
umask 077
cat > /tmp/redis.conf <<END
bind ${REDIS_BIND}
port 6379
dir /tmp
save ""
appendonly no
maxmemory 256mb
maxmemory-policy allkeys-lru
requirepass ${REDIS_PASSWORD}
END
exec redis-server /tmp/redis.conf
