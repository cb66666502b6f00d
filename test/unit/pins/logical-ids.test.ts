import { describe, expect, it } from 'vitest';
import type { ConnectorSettings } from '../../../shared/config/connector-config.ts';
import golden from '../../fixtures/v0.1.0/logical-ids.json' with { type: 'json' };
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

/** What holds data, has an address that others know, or waits for a person's confirmation. */
const PINNED = new Set([
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::DynamoDB::Table',
  'AWS::KMS::Key',
  // A function URL's address belongs to its function.
  'AWS::Lambda::Function',
  'AWS::Lambda::Url',
  'AWS::Logs::LogGroup',
  'AWS::SecretsManager::Secret',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
]);

/** Fixed here: the ids of secrets and subscriptions contain what the settings name. */
const LEAST: ConnectorSettings = {
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
  alarms: { emails: ['operator@shop.example'] },
};

const SETTINGS: Readonly<Record<keyof typeof golden.stacks, ConnectorSettings>> = {
  default: LEAST,
  'with storefront, two shops': {
    ...LEAST,
    shops: [{ domain: 'one-store.myshopify.com' }, { domain: 'two-store.myshopify.com' }],
    storefront: {},
  },
  'behind an HTTP API with a domain': {
    ...LEAST,
    deployment: {
      endpoint: {
        kind: 'http-api',
        domain: {
          name: 'hooks.example.com',
          certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/sample',
        },
      },
    },
  },
};

/** Gone since: neither holds anything. The topic works without a key, and the dashboard is an option. */
const GONE = new Set(['AlarmsKey3C2381B3', 'Dashboard']);

interface Resource {
  readonly Type: string;
  readonly Properties?: { readonly Name?: unknown };
}

/** `AWS::SecretsManager::Secret loyalty-connector/prod/shop/webhook` by logical id. */
function pinnedResources(resources: Readonly<Record<string, Resource>>): Record<string, string> {
  const pinned = Object.entries(resources).filter(([, { Type }]) => PINNED.has(Type));
  return Object.fromEntries(
    pinned.map(([id, { Type, Properties }]) => {
      const name = Properties?.Name;
      return [id, typeof name === 'string' ? `${Type} ${name}` : Type];
    }),
  );
}

describe('a stack that version 0.1.0 deployed', () => {
  it.each(Object.keys(golden.stacks) as (keyof typeof golden.stacks)[])(
    'keeps its resources, addresses and outputs: %s',
    (name) => {
      const { Resources, Outputs } = synthesizeStack(SETTINGS[name]).toJSON();
      const { resources, outputs } = golden.stacks[name];
      const kept = Object.entries(resources).filter(([id]) => !GONE.has(id));
      expect(pinnedResources(Resources)).toMatchObject(Object.fromEntries(kept));
      const addresses = outputs.filter((output) => !GONE.has(output));
      expect(Object.keys(Outputs)).toEqual(expect.arrayContaining(addresses));
    },
  );

  it('keeps its table and queues: another key or kind of queue would replace them', () => {
    const template = synthesizeStack(LEAST);
    expect(propertiesOf(template, 'AWS::DynamoDB::Table')).toMatchObject([
      {
        KeySchema: [{ AttributeName: 'entity', KeyType: 'HASH' }],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'codes-of-discount',
            KeySchema: [{ AttributeName: 'd', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['c'] },
          },
        ],
        TimeToLiveSpecification: { AttributeName: 'expiresAt' },
      },
    ]);
    for (const queue of propertiesOf(template, 'AWS::SQS::Queue')) {
      expect(queue).toMatchObject({ FifoQueue: true });
      expect(queue.QueueName).toBeUndefined();
    }
  });
});
