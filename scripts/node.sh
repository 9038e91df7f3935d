#!/bin/sh
# The project's own Node with what has to be set before it starts, for every command and process:
# - UV_THREADPOOL_SIZE: a running statement of the embedded ClickHouse holds one thread of libuv's pool.
# - MALLOC_*: glibc keeps what large requests took, per thread and below a threshold that grows; so it goes back.
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-16}"
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}" MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"
exec "$(dirname "$0")/../node_modules/node/bin/node" --disable-warning=ExperimentalWarning "$@"
