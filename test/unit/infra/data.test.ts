import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { DEAD_LETTERS_INDEX, ITEM, LISTING_INDEX } from '../../../shared/aws/ledger-item.ts';
import { replaces } from '../../support/golden/logical-ids.ts';
import { buildStack, propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const template = synthesizeStack();
const trial = synthesizeStack({ deployment: { retainData: false } }, 'trial');
const queues = propertiesOf(template, 'AWS::SQS::Queue');
const [table] = propertiesOf(template, 'AWS::DynamoDB::Table');

describe('the queues', () => {
  it('are three, each with a dead-letter queue of its own and of the same kind', () => {
    const resources = template.findResources('AWS::SQS::Queue');
    const targets = queues.flatMap(({ RedrivePolicy: policy }) =>
      policy ? [policy.deadLetterTargetArn['Fn::GetAtt'][0]] : [],
    );
    expect(new Set(targets).size).toBe(3);
    for (const target of targets)
      expect(resources[target]?.Properties.RedrivePolicy).toBeUndefined();
    expect(queues).toHaveLength(6);
  });

  it('are FIFO in high-throughput mode, encrypted, and take the largest message', () => {
    for (const queue of queues) {
      expect(queue).toMatchObject({
        FifoQueue: true,
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
        SqsManagedSseEnabled: true,
        MaximumMessageSize: 1_048_576,
      });
      // Senders name every message themselves: equal bodies are not the same event.
      expect(queue.ContentBasedDeduplication).toBeUndefined();
    }
  });

  it('refuse any caller without TLS', () => {
    const policies = propertiesOf(template, 'AWS::SQS::QueuePolicy');
    expect(policies).toHaveLength(6);
    for (const { PolicyDocument } of policies) {
      expect(PolicyDocument.Statement).toMatchObject([
        {
          Effect: 'Deny',
          Action: 'sqs:*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        },
      ]);
    }
  });
});

describe('the ledger', () => {
  it('has the keys, the index and the expiry that the code reads and writes', () => {
    expect(table).toMatchObject({
      KeySchema: [{ AttributeName: ITEM.key, KeyType: 'HASH' }],
      TimeToLiveSpecification: { AttributeName: ITEM.expiresAt, Enabled: true },
      GlobalSecondaryIndexes: [
        {
          IndexName: LISTING_INDEX,
          KeySchema: [{ AttributeName: ITEM.listing, KeyType: 'HASH' }],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [ITEM.listedId] },
        },
        {
          IndexName: DEAD_LETTERS_INDEX,
          KeySchema: [
            { AttributeName: ITEM.letterList, KeyType: 'HASH' },
            { AttributeName: ITEM.letterPlace, KeyType: 'RANGE' },
          ],
          Projection: {
            ProjectionType: 'INCLUDE',
            NonKeyAttributes: [ITEM.remembered, ITEM.format, ITEM.expiresAt],
          },
        },
      ],
    });
    expect(table?.AttributeDefinitions).toEqual(
      [ITEM.key, ITEM.listing, ITEM.letterList, ITEM.letterPlace].map((name) => ({
        AttributeName: name,
        AttributeType: 'S',
      })),
    );
  });

  it('is paid by request and can be brought back to any second of the last weeks', () => {
    expect(table).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
    });
  });
});

describe('a stack that is deleted', () => {
  const types = ['AWS::SQS::Queue', 'AWS::DynamoDB::Table', 'AWS::Logs::LogGroup'];
  const kept = (stack: typeof template) =>
    types.flatMap((type) => Object.values(stack.findResources(type)));

  it('is deleted only after its protection was switched off, where it is production', () => {
    const isProtected = (stage: string, retainData?: false) =>
      buildStack(
        retainData === false ? { deployment: { retainData } } : {},
        stage,
        (stack) => stack.terminationProtection,
      );
    expect(isProtected('prod')).toBe(true);
    expect(isProtected('dev')).toBe(false);
    expect(isProtected('prod', false)).toBe(false);
  });

  it('leaves its queues, its ledger and its logs behind', () => {
    const byApi = synthesizeStack({ deployment: { endpoint: { kind: 'http-api' } } });
    for (const resource of [...kept(template), ...kept(byApi)]) {
      expect(resource.UpdateReplacePolicy).toBe('Retain');
      expect(resource.DeletionPolicy).toMatch(/^Retain/);
    }
  });

  it('leaves no queue or log behind that was made by a deployment that failed', () => {
    for (const type of ['AWS::SQS::Queue', 'AWS::Logs::LogGroup']) {
      for (const resource of Object.values(template.findResources(type))) {
        expect(resource.DeletionPolicy).toBe('RetainExceptOnCreate');
      }
    }
  });

  it('leaves nothing with a name that would stop the next one', () => {
    for (const { Properties } of kept(template)) {
      const { QueueName, TableName, LogGroupName } = Properties;
      expect(QueueName ?? TableName ?? LogGroupName).toBeUndefined();
    }
  });

  it('leaves nothing at all when it was for trying things out', () => {
    for (const resource of kept(trial)) {
      expect(resource).toMatchObject({ DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' });
    }
    expect(propertiesOf(trial, 'AWS::DynamoDB::Table')).toMatchObject([
      { DeletionProtectionEnabled: false },
    ]);
  });
});

const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-4e5f';
const storefront = {};
const endpoint = { kind: 'http-api' } as const;
const before = synthesizeStack({ storefront, deployment: { endpoint } });
const after = synthesizeStack({ storefront, deployment: { endpoint, encryptionKey: KEY } });

const isKeyOf = (template: Template, type: string, name: string) =>
  propertiesOf(template, type).map((properties) => properties[name]);

describe('a key of the account', () => {
  it('encrypts every queue, the ledger and every log', () => {
    const all = [
      ...isKeyOf(after, 'AWS::SQS::Queue', 'KmsMasterKeyId'),
      ...isKeyOf(after, 'AWS::Logs::LogGroup', 'KmsKeyId'),
      ...isKeyOf(after, 'AWS::DynamoDB::Table', 'SSESpecification').map(
        ({ KMSMasterKeyId }) => KMSMasterKeyId,
      ),
    ];
    expect(all.length).toBeGreaterThan(15);
    expect(new Set(all)).toEqual(new Set([KEY]));
    // A key that is withdrawn works for so long.
    const reuse = isKeyOf(after, 'AWS::SQS::Queue', 'KmsDataKeyReusePeriodSeconds');
    expect(new Set(reuse)).toEqual(new Set([3_600]));
  });

  it('may be used by every function and by people, only through the services that hold the data', () => {
    const policies = [
      ...propertiesOf(after, 'AWS::IAM::Policy'),
      ...propertiesOf(after, 'AWS::IAM::ManagedPolicy'),
    ];
    const uses = policies.map(({ PolicyDocument }) =>
      PolicyDocument.Statement.filter(({ Resource }: { Resource: unknown }) => Resource === KEY),
    );
    expect(uses).toHaveLength(10);
    for (const [statement, ...others] of uses) {
      expect(others).toEqual([]);
      expect(Object.keys(statement.Condition.StringEquals)).toEqual(['kms:ViaService']);
      expect(statement.Condition.StringEquals['kms:ViaService']).toHaveLength(3);
    }
  });

  it('is not used unless it is set', () => {
    expect(new Set(isKeyOf(before, 'AWS::SQS::Queue', 'KmsMasterKeyId'))).toEqual(
      new Set([undefined]),
    );
    expect(isKeyOf(before, 'AWS::SQS::Queue', 'SqsManagedSseEnabled')).not.toContain(undefined);
    expect(isKeyOf(before, 'AWS::DynamoDB::Table', 'SSESpecification')).toEqual([undefined]);
  });

  it('can be set later: nothing that holds data is replaced', () => {
    const changed = changesBetween(before, after);
    expect(changed.map(({ type }) => type)).toContain('AWS::DynamoDB::Table');
    expect(changed.filter(({ type, name }) => replaces(type, name))).toEqual([]);
    // The check can fail.
    expect(replaces('AWS::SQS::Queue', 'FifoQueue')).toBe(true);
  });
});

function changesBetween(one: Template, other: Template) {
  const { Resources: old } = one.toJSON();
  const { Resources: next } = other.toJSON();
  expect(Object.keys(next)).toEqual(Object.keys(old));
  return Object.keys(next).flatMap((id) => {
    const type: string = next[id].Type;
    const [from, to] = [old[id].Properties ?? {}, next[id].Properties ?? {}];
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names]
      .filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]))
      .map((name) => ({ type, name }));
  });
}
