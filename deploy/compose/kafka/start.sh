#!/bin/sh
# One broker that is its own controller: deploy/kafka/server.properties with the addresses of this container, and users
# with passwords. It listens on KAFKA_BIND and advertises KAFKA_ADVERTISED. Formatting the folder writes the users;
# formatting it again does nothing.
set -eu
umask 077
sed -e "s|^listeners=.*|listeners=CLIENTS://$KAFKA_BIND:9092,CONTROLLER://127.0.0.1:9093|" \
  -e "s|^advertised.listeners=.*|advertised.listeners=CLIENTS://$KAFKA_ADVERTISED:9092|" \
  -e "s|^controller.quorum.voters=.*|controller.quorum.voters=1@127.0.0.1:9093|" \
  -e "s|^log.dirs=.*|log.dirs=/var/lib/kafka/data|" \
  -e "s|^listener.security.protocol.map=.*|listener.security.protocol.map=CLIENTS:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT|" \
  /etc/waypost/server.properties > /tmp/server.properties
as="username=\"waypost_owner\" password=\"$OWNER_PASSWORD\""
cat >> /tmp/server.properties <<END

sasl.enabled.mechanisms=SCRAM-SHA-512
sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
listener.name.clients.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required $as;
# The controller has no users before it runs, so its port, which is only on loopback, has a list with one user.
listener.name.controller.sasl.enabled.mechanisms=PLAIN
sasl.mechanism.controller.protocol=PLAIN
listener.name.controller.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required $as user_waypost_owner="$OWNER_PASSWORD";
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:waypost_owner
END
user() { printf 'SCRAM-SHA-512=[name=waypost_%s,password=%s]' "$1" "$2"; }
/opt/kafka/bin/kafka-storage.sh format --ignore-formatted --cluster-id d2F5cG9zdC1zdGFjay0wMQ --config /tmp/server.properties \
  --add-scram "$(user owner "$OWNER_PASSWORD")" --add-scram "$(user api "$API_PASSWORD")" \
  --add-scram "$(user redirector "$REDIRECTOR_PASSWORD")" --add-scram "$(user scanner "$SCANNER_PASSWORD")" \
  --add-scram "$(user ingest "$INGEST_PASSWORD")"
exec /opt/kafka/bin/kafka-server-start.sh /tmp/server.properties
