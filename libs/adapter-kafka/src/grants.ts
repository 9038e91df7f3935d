/**
 * The rights of each service in Kafka. `prepare` grants them if the cluster has an authorizer and KAFKA_ACLS=services
 * is set. The users have the names below. deploy/kafka/README.md has the same table for manual use.
 */
import { TOPICS, type TopicName } from '@waypost/domain';
import type { AclEntry, Admin } from 'kafkajs';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from './kafkajs.ts';

interface Rights {
  readonly produces?: TopicName;
  readonly consumes?: readonly { readonly topic: TopicName; readonly group: string }[];
}

export const SERVICE_RIGHTS: Readonly<Record<string, Rights>> = {
  waypost_api: {
    produces: TOPICS.links,
    consumes: [{ topic: TOPICS.verdicts, group: 'link-api' }],
  },
  waypost_redirector: { produces: TOPICS.clicks },
  waypost_scanner: {
    produces: TOPICS.verdicts,
    consumes: [
      { topic: TOPICS.links, group: 'scanner' },
      { topic: TOPICS.clicks, group: 'scanner' },
    ],
  },
  waypost_ingest: { consumes: [{ topic: TOPICS.clicks, group: 'analytics-ingest' }] },
};

const { READ, WRITE, DESCRIBE } = AclOperationTypes;

export async function grantTopics(admin: Pick<Admin, 'createAcls'>, prefix: string): Promise<void> {
  const acl = Object.entries(SERVICE_RIGHTS).flatMap(([user, { produces, consumes = [] }]) => [
    ...(produces === undefined ? [] : may(user, `${prefix}${produces}`, WRITE, DESCRIBE)),
    ...consumes.flatMap(({ topic, group }) => [
      ...may(user, `${prefix}${topic}`, READ, DESCRIBE),
      ...may(user, `${prefix}${topic}.parked`, WRITE, DESCRIBE),
      ...of(AclResourceTypes.GROUP, `${prefix}${group}.${topic}`, user, [READ, DESCRIBE]),
    ]),
  ]);
  await admin.createAcls({ acl });
}

const may = (user: string, topic: string, ...operations: AclOperationTypes[]) =>
  of(AclResourceTypes.TOPIC, topic, user, operations);

function of(resourceType: AclResourceTypes, resourceName: string, user: string, operations: AclOperationTypes[]) {
  return operations.map(
    (operation): AclEntry => ({
      resourceType,
      resourceName,
      resourcePatternType: ResourcePatternTypes.LITERAL,
      principal: `User:${user}`,
      host: '*',
      operation,
      permissionType: AclPermissionTypes.ALLOW,
    }),
  );
}
