#!/bin/sh
# Writes the files of a release that need no clone: compose.small.yml, and an archive of docker-compose.yml with what it
# mounts. Their images are those of REGISTRY.
#
#   sh deploy/release-files.sh REGISTRY FOLDER
set -eu
registry=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
version=$(sed -n 's/^appVersion: //p' deploy/chart/Chart.yaml)
use_images() { sed -e "s|\(image: .*\)waypost/|\1$registry/|" -e '/^ *build: {/d' "$1"; }

use_images deploy/compose.small.yml > "$folder/compose.small.yml"
name=waypost-compose-$version
mkdir "$folder/$name"
for file in deploy/make-env.sh deploy/run.md $(grep -o '\./deploy/[^:]*' docker-compose.yml | sort -u); do
  mkdir -p "$folder/$name/$(dirname "$file")"
  cp "$file" "$folder/$name/$file"
done
use_images docker-compose.yml > "$folder/$name/docker-compose.yml"
# Digests of the images of others. Those of this release are in its notes.
[ ! -f deploy/compose.digests.yml ] || sed '/build:/d' deploy/compose.digests.yml > "$folder/$name/compose.digests.yml"
tar -czf "$folder/$name.tar.gz" -C "$folder" "$name"
rm -r "${folder:?}/$name"
