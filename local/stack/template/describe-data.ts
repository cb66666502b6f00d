import type { ResolvedResource } from './describe-stack.ts';
import type { Properties } from './properties.ts';
import type { QueueDescription, TableDescription } from './stack-description.ts';

/** Not attributes of a queue: how CloudFormation names it, and what only AWS keeps. */
const NOT_ATTRIBUTES = new Set(['QueueName', 'Tags']);

export function describeQueue({ identity, properties }: ResolvedResource): QueueDescription {
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

export function describeTable({ identity, properties }: ResolvedResource): TableDescription {
  const creation = Object.entries(properties).filter(([name]) => OF_CREATION.includes(name));
  return { name: identity.ref, creation: Object.fromEntries(creation) as Properties };
}
