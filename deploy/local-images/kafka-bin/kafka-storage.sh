#!/bin/sh
exec java -Xmx128m $KAFKA_LOG4J_OPTS -cp '/opt/kafka/libs/*' kafka.tools.StorageTool "$@"
