#!/bin/sh
# A broker that is a controller, too: deploy/kafka/server.properties with its own addresses, and users with passwords. It
# listens on KAFKA_BIND and advertises KAFKA_ADVERTISED. Of three brokers, KAFKA_ID is the number of this one, and
# KAFKA_VOTERS lists all controllers (deploy/run.md). Formatting the folder writes the users; formatting it again does
# nothing.
set -eu
umask 077
home=${KAFKA_HOME:-/opt/kafka} files=${KAFKA_FILES:-/etc/waypost} data=${KAFKA_DATA:-/var/lib/kafka/data}
conf=${LOG_DIR:-/tmp}/server.properties controller=127.0.0.1
[ -z "${KAFKA_VOTERS:-}" ] || controller=$KAFKA_BIND
sed -e "s|^listeners=.*|listeners=CLIENTS://$KAFKA_BIND:9092,CONTROLLER://$controller:9093|" \
  -e "s|^advertised.listeners=.*|advertised.listeners=CLIENTS://$KAFKA_ADVERTISED:9092|" \
  -e "s|^controller.quorum.voters=.*|controller.quorum.voters=${KAFKA_VOTERS:-1@127.0.0.1:9093}|" \
  -e "s|^node.id=.*|node.id=${KAFKA_ID:-1}|" \
  -e "s|^log.dirs=.*|log.dirs=$data|" \
  -e "s|^listener.security.protocol.map=.*|listener.security.protocol.map=CLIENTS:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT|" \
  "$files/server.properties" > "$conf"
[ -z "${KAFKA_VOTERS:-}" ] || cat "$files/cluster.properties" >> "$conf" # of two lines with one name, the last counts
as="username=\"waypost_owner\" password=\"$OWNER_PASSWORD\""
cat >> "$conf" <<END

sasl.enabled.mechanisms=SCRAM-SHA-512
sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
listener.name.clients.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required $as;
# Controllers have no users before they run, so their port has a list with one user.
listener.name.controller.sasl.enabled.mechanisms=PLAIN
sasl.mechanism.controller.protocol=PLAIN
listener.name.controller.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required $as user_waypost_owner="$OWNER_PASSWORD";
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:waypost_owner
END
user() { printf 'SCRAM-SHA-512=[name=waypost_%s,password=%s]' "$1" "$2"; }
"$home/bin/kafka-storage.sh" format --ignore-formatted --cluster-id d2F5cG9zdC1zdGFjay0wMQ --config "$conf" \
  --add-scram "$(user owner "$OWNER_PASSWORD")" --add-scram "$(user api "$API_PASSWORD")" \
  --add-scram "$(user redirector "$REDIRECTOR_PASSWORD")" --add-scram "$(user scanner "$SCANNER_PASSWORD")" \
  --add-scram "$(user ingest "$INGEST_PASSWORD")" > /dev/null # it prints the users' keys
exec "$home/bin/kafka-server-start.sh" "$conf"
