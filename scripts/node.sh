#!/bin/sh
# The project's own Node with what has to be set before it starts, for every command and process:
# - UV_THREADPOOL_SIZE: a running statement of the embedded ClickHouse holds one thread of libuv's pool.
# - MALLOC_*: by default glibc keeps freed memory in many arenas and raises its mmap threshold with use. With these it
#   returns what large requests took to the system. deploy/Dockerfile sets the same values (scripts/check-deploy.mjs).
# - NODE_COMPILE_CACHE: what Node has once compiled is kept, which halves the time of a start (a second, or 0.2 s of a
#   command). It stays empty where the folder may not be written.
# - --v8-pool-size: by default four threads help with garbage collection at once, and take the cores that visitors wait
#   for (libs/domain/decisions/0017-visitor-threads.md). deploy/Dockerfile: as above.
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-16}"
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}" MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"
modules="$(cd "$(dirname "$0")/.." && pwd)/node_modules"
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$modules/.cache/compiled}"
exec "$modules/node/bin/node" --disable-warning=ExperimentalWarning --v8-pool-size=1 "$@"
