#!/bin/sh
# Runs the project's own Node, for every command and process, with settings that Node needs before it starts:
# - UV_THREADPOOL_SIZE: a running statement of the embedded ClickHouse holds one thread of libuv's pool.
# - MALLOC_*: by default glibc keeps freed memory in many arenas and raises its mmap threshold with use. With these it
#   returns what large requests took to the system. deploy/Dockerfile sets the same values (scripts/check-deploy.mjs).
# - NODE_COMPILE_CACHE: Node keeps compiled code, which halves the time of a start (a second, or 0.2 s of a command).
#   It stays empty if the folder cannot be written.
# - --v8-pool-size: by default four threads collect garbage together, and take cores that visitors wait for
#   (libs/domain/decisions/0017-visitor-threads.md). deploy/Dockerfile sets the same value.
# - --expose-gc: an idle process collects its garbage (libs/process/src/idle-memory.ts), and a visitor thread does before
#   its first visitor. deploy/Dockerfile has it, too.
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-16}"
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}" MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"
modules="$(cd "$(dirname "$0")/.." && pwd)/node_modules"
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$modules/.cache/compiled}"
exec "$modules/node/bin/node" --disable-warning=ExperimentalWarning --v8-pool-size=1 --expose-gc "$@"
