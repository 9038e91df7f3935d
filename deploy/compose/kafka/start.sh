#!/bin/sh
# One broker that is its own controller: deploy/kafka/server.properties, with the addresses of this container.
# KAFKA_BIND is where it listens, KAFKA_ADVERTISED what clients are told. Formatting a formatted folder does nothing.
set -eu
sed -e "s|^listeners=.*|listeners=CLIENTS://$KAFKA_BIND:9092,CONTROLLER://127.0.0.1:9093|" \
  -e "s|^advertised.listeners=.*|advertised.listeners=CLIENTS://$KAFKA_ADVERTISED:9092|" \
  -e "s|^controller.quorum.voters=.*|controller.quorum.voters=1@127.0.0.1:9093|" \
  -e "s|^log.dirs=.*|log.dirs=/var/lib/kafka/data|" \
  /etc/waypost/server.properties > /tmp/server.properties
/opt/kafka/bin/kafka-storage.sh format --ignore-formatted --cluster-id d2F5cG9zdC1zdGFjay0wMQ --config /tmp/server.properties
exec /opt/kafka/bin/kafka-server-start.sh /tmp/server.properties
