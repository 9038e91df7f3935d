#!/bin/sh
exec java $KAFKA_HEAP_OPTS -XX:+UseSerialGC $KAFKA_LOG4J_OPTS -cp '/opt/kafka/libs/*' kafka.Kafka "$@"
