import type { ResolvedResource } from './describe-stack.ts';
import type { Properties } from './properties.ts';
import type { QueueDescription, TableDescription } from './stack-description.ts';
import { UnknownInTemplate } from './template.ts';

/** Not attributes of a queue: how CloudFormation names it, and what only AWS keeps. */
const NOT_ATTRIBUTES = new Set(['QueueName', 'Tags']);

export function describeQueue(resource: ResolvedResource): QueueDescription {
  const { identity, properties, logicalId } = resource;
  // Whoever uses the queue would need to be allowed to use the key, and nothing here checks that.
  if (properties.KmsMasterKeyId !== undefined) {
    throw new UnknownInTemplate(`a queue with a key of its own: ${logicalId}`);
  }
  const attributes = Object.entries(properties)
    .filter(([name]) => !NOT_ATTRIBUTES.has(name))
    .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : `${value}`]);
  return {
    name: identity.attributes.QueueName ?? '',
    arn: identity.attributes.Arn ?? '',
    url: identity.ref,
    attributes: Object.fromEntries(attributes),
  };
}

/** What CreateTable takes here: the emulator expires nothing, and keeps no backups. */
const OF_CREATION = [
  'AttributeDefinitions',
  'KeySchema',
  'GlobalSecondaryIndexes',
  'LocalSecondaryIndexes',
  'BillingMode',
];

export function describeTable({
  identity,
  properties,
  logicalId,
}: ResolvedResource): TableDescription {
  const { SSESpecification: encryption } = properties;
  if (typeof encryption === 'object' && encryption !== null && 'KMSMasterKeyId' in encryption) {
    throw new UnknownInTemplate(`a table with a key of its own: ${logicalId}`);
  }
  const creation = Object.entries(properties).filter(([name]) => OF_CREATION.includes(name));
  return { name: identity.ref, creation: Object.fromEntries(creation) as Properties };
}
