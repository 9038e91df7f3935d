#!/bin/sh
# Pins the images of engines, of Node and of the builder: it writes the digest of each into a file, so that a moved tag
# changes nothing. It needs docker with buildx. Commit the file, without which there is no release; run it again for
# newer images.
#
#   sh deploy/pin-images.sh
#   docker compose -f docker-compose.yml -f deploy/compose.digests.yml up --detach --wait
set -eu
cd "$(dirname "$0")/.."
digest() {
  sum=$(docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}')
  case $sum in sha256:*) echo "$sum" ;; *) echo "no digest of $1: $sum" >&2; exit 1 ;; esac
}
file=deploy/compose.digests.yml
{
  echo "# Made by deploy/pin-images.sh."
  buildkit=moby/buildkit:buildx-stable-1 # the release builds with it
  found=$(digest "$buildkit")
  echo "# buildkit: $buildkit@$found"
  echo "services:"
  for service in balancer postgres redis kafka clickhouse; do
    image=$(sed -n "/^  $service:/,/image:/s/^    image: //p" docker-compose.yml)
    found=$(digest "$image")
    echo "  $service: { image: '$image@$found' }"
  done
  node=$(sed -n 's/^ARG NODE_IMAGE=//p' deploy/Dockerfile)
  found=$(digest "$node")
  for service in prepare link-api redirector-1 redirector-2 scanner analytics-ingest; do
    echo "  $service: { build: { args: { NODE_IMAGE: '$node@$found' } } }"
  done
} > "$file.part"
mv "$file.part" "$file"
echo "wrote $file"
