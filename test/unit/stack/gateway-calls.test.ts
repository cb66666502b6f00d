import { describe, expect, it } from 'vitest';
import { identifyCall } from '../../../local/stack/gateway/gateway.ts';

const place = { region: 'us-east-1', account: '000000000000' };
const call = (amzTarget: string, fields: unknown, path = '/') =>
  identifyCall({ path, amzTarget, body: Buffer.from(JSON.stringify(fields)) }, place);
const table = (name: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${name}`;

describe('a call in terms of IAM', () => {
  it.each([
    ['SendMessage', 'sqs:SendMessage'],
    ['SendMessageBatch', 'sqs:SendMessage'],
    ['DeleteMessageBatch', 'sqs:DeleteMessage'],
    ['ChangeMessageVisibilityBatch', 'sqs:ChangeMessageVisibility'],
  ])('%s of a queue is %s on it', (operation, action) => {
    const fields = { QueueUrl: 'http://anywhere/000000000000/orders.fifo' };
    expect(call(`AmazonSQS.${operation}`, fields)).toEqual({
      service: 'sqs',
      action,
      resources: ['arn:aws:sqs:us-east-1:000000000000:orders.fifo'],
    });
  });

  it('a query of an index is one on the index, not on the table', () => {
    const fields = { TableName: 'ledger', IndexName: 'codes' };
    expect(call('DynamoDB_20120810.Query', fields)?.resources).toEqual([
      `${table('ledger')}/index/codes`,
    ]);
  });

  it('a write has its item, for conditions on the key', () => {
    const Item = { entity: { S: 'order|shop|1' } };
    expect(call('DynamoDB_20120810.PutItem', { TableName: 'ledger', Item })?.items).toEqual([Item]);
  });

  it('a secret by its name is the same as by its ARN', () => {
    const byName = call('secretsmanager.GetSecretValue', { SecretId: 'p/shop/webhook' });
    expect(byName?.resources[0]).toMatch(/:secret:p\/shop\/webhook-\w{6}$/);
    const byArn = call('secretsmanager.GetSecretValue', { SecretId: byName?.resources[0] });
    expect(byArn).toEqual(byName);
  });

  it('an invocation is one of the function, by name or by ARN', () => {
    const arn = 'arn:aws:lambda:us-east-1:000000000000:function:reconcile';
    for (const name of ['reconcile', encodeURIComponent(arn)]) {
      const path = `/2015-03-31/functions/${name}/invocations`;
      expect(call('', {}, path)).toEqual({
        service: 'lambda',
        action: 'lambda:InvokeFunction',
        resources: [arn],
      });
    }
  });

  it('needs permission for everything if it names nothing', () => {
    expect(call('AmazonSQS.ListQueues', {})?.resources).toEqual([
      'arn:aws:sqs:us-east-1:000000000000:*',
    ]);
    expect(call('DynamoDB_20120810.ListTables', {})?.resources).toEqual([table('*')]);
  });

  it('needs permission for everything that it names, so that no name hides another', () => {
    const queue = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;
    const two = { QueueName: 'mine', QueueUrl: 'http://anywhere/000000000000/yours' };
    expect(call('AmazonSQS.SendMessage', two)?.resources).toEqual([queue('yours'), queue('mine')]);
    const batch = { TableName: 'mine', RequestItems: { yours: {} } };
    expect(call('DynamoDB_20120810.BatchGetItem', batch)?.resources).toEqual([
      table('mine'),
      table('yours'),
    ]);
    expect(call('DynamoDB_20120810.ListTables', { RequestItems: {} })?.resources).toEqual([
      table('*'),
    ]);
    const secrets = call('secretsmanager.GetSecretValue', { SecretId: 'yours', Name: 'mine' });
    expect(secrets?.resources).toHaveLength(2);
  });

  it('is unknown if the service does not run here', () => {
    expect(call('Kinesis_20131202.PutRecord', {})).toBeUndefined();
    expect(call('', {})).toBeUndefined();
  });
});
