import { describe, expect, it } from 'vitest';
import { identifyCall } from '../../../local/stack/gateway/gateway.ts';
import { AccessControl } from '../../../local/stack/iam/access-control.ts';
import {
  type RequestContext,
  readPolicy,
  type Statement,
} from '../../../local/stack/iam/policy.ts';

type Written = Readonly<Record<string, unknown>>;

function policy(...written: readonly Written[]): readonly Statement[] {
  const reading = readPolicy({ Statement: written });
  if (reading.kind !== 'read') throw new Error(reading.problem);
  return reading.statements;
}

const allow = (Action: unknown, Resource: unknown, Condition?: unknown) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...(Condition !== undefined && { Condition }),
});
const deny = (Action: unknown, Resource: unknown, Condition?: unknown) => ({
  ...allow(Action, Resource, Condition),
  Effect: 'Deny',
});
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:orders.fifo';
const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/ledger';

const LEDGER = {
  ...{ name: 'ledger', arn: TABLE, partitionKey: 'entity' },
  ...{ creation: {}, keyArn: undefined },
};
type Items = NonNullable<Parameters<AccessControl['decide']>[0]['items']>;

/** A role with just these statements, and nothing else in the stack. */
function roleWith(...written: readonly Written[]) {
  const access = new AccessControl({
    roles: [{ name: 'role', arn: 'arn', statements: policy(...written) }],
    permissions: [],
    queuePolicies: [],
    tables: [LEDGER],
  });
  return (action: string, resource: string, context: RequestContext = {}, items: Items = []) =>
    access.decide({ who: 'role', action, resource, context, items });
}

const allowed = { kind: 'allowed' };
const denied = { kind: 'denied', why: 'no identity-based policy allows it' };

describe('a request', () => {
  it('is not allowed by the pairing of one statement’s action with another’s resource', () => {
    const ask = roleWith(allow('sqs:SendMessage', QUEUE), allow('dynamodb:PutItem', TABLE));
    expect(ask('dynamodb:PutItem', QUEUE)).toEqual(denied);
    expect(ask('sqs:SendMessage', TABLE)).toEqual(denied);
  });

  it('matches wildcards of actions in any case, and those of ARNs across colons and slashes', () => {
    expect(roleWith(allow('SQS:Send*', '*'))('sqs:sendmessage', QUEUE)).toEqual(allowed);
    const index = `${TABLE}/index/codes`;
    expect(roleWith(allow('dynamodb:Query', `${TABLE}/*`))('dynamodb:Query', index)).toEqual(
      allowed,
    );
    expect(roleWith(allow('dynamodb:Query', TABLE))('dynamodb:Query', index)).toEqual(denied);
    const ask = roleWith(allow('sqs:SendMessage', `${QUEUE}?`));
    expect(ask('sqs:SendMessage', `${QUEUE}x`)).toEqual(allowed);
    expect(ask('sqs:SendMessage', `${QUEUE.toUpperCase()}x`)).toEqual(denied);
  });

  it('is denied by an explicit denial, even if another statement allows it', () => {
    const ask = roleWith(allow('*', '*'), deny('dynamodb:DeleteItem', TABLE));
    expect(ask('dynamodb:DeleteItem', TABLE)).toEqual({ kind: 'denied', why: 'an explicit deny' });
  });
});

describe('a condition on the keys of items', () => {
  const ask = roleWith(
    allow('dynamodb:PutItem', TABLE, {
      'ForAllValues:StringLike': {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM, not of JavaScript
        'dynamodb:LeadingKeys': ['log|${aws:userid}|*', 'cursor|*'],
      },
    }),
  );
  const put = (...keys: readonly string[]) =>
    ask(
      'dynamodb:PutItem',
      TABLE,
      { 'aws:userid': 'olivia' },
      keys.map((key) => ({ entity: { S: key }, other: { S: 'log|olivia|1' } })),
    );

  it('compares the partition key, with the caller in the place of the variable', () => {
    expect(put('log|olivia|1')).toEqual(allowed);
    expect(put('log|max|1')).toEqual(denied);
    expect(put('cursor|shop|x')).toEqual(allowed);
    expect(put('log|olivia|1', 'log|max|1')).toEqual(denied);
    expect(put()).toEqual(denied);
  });

  it('makes a policy with another variable unreadable', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM, not of JavaScript
    const statement = allow('sqs:SendMessage', 'arn:aws:sqs:::${aws:username}');
    expect(readPolicy({ Statement: [statement] })).toMatchObject({ kind: 'unknown' });
  });
});

describe('a queue with a key of the account', () => {
  const KEY = 'arn:aws:kms:us-east-1:000000000000:key/1';
  const queue = { name: 'orders.fifo', arn: QUEUE, url: '', attributes: {}, keyArn: KEY };
  const ask = (action: string, ...written: readonly Written[]) =>
    new AccessControl({
      roles: [{ name: 'role', arn: 'arn', statements: policy(allow('sqs:*', QUEUE), ...written) }],
      ...{ permissions: [], queuePolicies: [], tables: [], queues: [queue] },
    }).decide({ who: 'role', action, resource: QUEUE });
  const via = (service: string) => ({
    StringEquals: { 'kms:ViaService': `${service}.us-east-1.amazonaws.com` },
  });

  it('can be used only with the key, through its own service', () => {
    const read = allow('kms:Decrypt', KEY, via('sqs'));
    expect(ask('sqs:ReceiveMessage')).toEqual(denied);
    expect(ask('sqs:ReceiveMessage', allow('kms:Decrypt', KEY, via('dynamodb')))).toEqual(denied);
    expect(ask('sqs:ReceiveMessage', read)).toEqual(allowed);
    expect(ask('sqs:SendMessage', read)).toEqual(denied);
    expect(ask('sqs:SendMessage', read, allow('kms:GenerateDataKey', KEY, via('sqs')))).toEqual(
      allowed,
    );
    expect(ask('sqs:GetQueueAttributes')).toEqual(allowed);
  });
});

describe('attempts to exceed the permissions', () => {
  const ask = roleWith(
    allow('sqs:SendMessage', QUEUE),
    allow(
      'secretsmanager:GetSecretValue',
      'arn:aws:secretsmanager:us-east-1:0:secret:shop/webhook-??????',
    ),
  );
  it.each([
    ['a queue whose name begins like mine', 'sqs:SendMessage', `${QUEUE}-other`],
    ['a queue whose name ends like mine', 'sqs:SendMessage', `arn:x:${QUEUE}`],
    ['an action that begins like mine', 'sqs:SendMessageMoveTask', QUEUE],
    ['a name that is a pattern itself', 'sqs:*', QUEUE],
    ['a resource that is a pattern itself', 'sqs:SendMessage', '*'],
    [
      'regular expressions in a name',
      'sqs:SendMessage',
      QUEUE.replace('orders.fifo', 'ordersXfifo'),
    ],
    [
      'another secret with a longer name',
      'secretsmanager:GetSecretValue',
      'arn:aws:secretsmanager:us-east-1:0:secret:shop/webhook-admin-abcdef',
    ],
    ['a line break in a name', 'sqs:SendMessage', `${QUEUE}\n`],
  ])('%s', (_, action, resource) => {
    expect(ask(action, resource)).toEqual(denied);
  });
});

describe('access control', () => {
  const stack = {
    roles: [
      { name: 'orders', arn: 'o', statements: policy(allow('sqs:SendMessage', QUEUE)) },
      { name: 'products', arn: 'p', statements: [] },
    ],
    permissions: [],
    queuePolicies: policy(
      deny('sqs:*', QUEUE, { Bool: { 'aws:SecureTransport': 'false' } }),
      // Must not count: the roles say who may use the queue.
      allow('sqs:*', QUEUE),
    ),
    tables: [],
  };
  const question = { who: 'orders', action: 'sqs:SendMessage', resource: QUEUE };

  it('lets a queue’s own policy deny: a request without TLS is refused', () => {
    const access = new AccessControl(stack);
    const context = { 'aws:SecureTransport': 'false' };
    expect(access.decide({ ...question, context })).toMatchObject({ why: 'an explicit deny' });
  });

  it('denies what was revoked until it is restored, and reports it', () => {
    const reported: unknown[] = [];
    const access = new AccessControl(stack, (denial) => reported.push(denial));
    access.revoke(({ action }) => action === 'sqs:SendMessage');
    expect(access.decide(question)).toEqual(denied);
    expect(reported).toEqual([question]);
    access.restore();
    expect(access.decide(question)).toEqual(allowed);
    expect(access.decide({ ...question, who: 'products' })).toEqual(denied);
  });
});

describe('a policy with an unknown part is refused', () => {
  it.each([
    ['the field NotResource', { Effect: 'Allow', Action: 'x', NotResource: 'y' }],
    ['the condition StringNotEquals', allow('x', 'y', { StringNotEquals: { a: 'b' } })],
    ['the effect allow', { Effect: 'allow', Action: 'x', Resource: 'y' }],
  ])('%s', (problem, statement) => {
    expect(readPolicy({ Statement: statement })).toEqual({ kind: 'unknown', problem });
  });
});

const place = { region: 'us-east-1', account: '000000000000' };
const call = (amzTarget: string, fields: unknown, path = '/') =>
  identifyCall({ path, amzTarget, body: Buffer.from(JSON.stringify(fields)) }, place);
const table = (name: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${name}`;

describe('a call in terms of IAM', () => {
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

  it('a PartiQL statement is the action of its verb, on its table', () => {
    const Statement = `DELETE FROM "ledger" WHERE entity = 'audit|1'`;
    expect(call('DynamoDB_20120810.ExecuteStatement', { Statement })).toMatchObject({
      ...{ action: 'dynamodb:PartiQLDelete', resources: [table('ledger')] },
    });
  });

  it('a secret by its name is the same as by its ARN', () => {
    const byName = call('secretsmanager.GetSecretValue', { SecretId: 'p/shop/webhook' });
    expect(byName?.resources[0]).toMatch(/:secret:p\/shop\/webhook-\w{6}$/);
    const byArn = call('secretsmanager.GetSecretValue', { SecretId: byName?.resources[0] });
    expect(byArn).toEqual(byName);
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
