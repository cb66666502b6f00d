import { describe, expect, it } from 'vitest';
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

/** A role with just these statements, and nothing else in the stack. */
function roleWith(...written: readonly Written[]) {
  const access = new AccessControl({
    roles: [{ name: 'role', arn: 'arn', statements: policy(...written) }],
    permissions: [],
    queuePolicies: [],
  });
  return (action: string, resource: string, context: RequestContext = {}) =>
    access.decide({ who: 'role', action, resource, context });
}

const allowed = { kind: 'allowed' };
const denied = { kind: 'denied', why: 'no identity-based policy allows it' };

describe('a request', () => {
  it('is denied when nothing allows it', () => {
    expect(roleWith()('sqs:SendMessage', QUEUE)).toEqual(denied);
  });

  it('is allowed by a statement with its action and its resource', () => {
    const ask = roleWith(allow(['sqs:SendMessage', 'sqs:DeleteMessage'], [QUEUE]));
    expect(ask('sqs:SendMessage', QUEUE)).toEqual(allowed);
    expect(ask('sqs:ReceiveMessage', QUEUE)).toEqual(denied);
  });

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

  it('meets a condition only with a value that it has', () => {
    const ask = roleWith(
      allow('lambda:InvokeFunction', '*', { ArnLike: { 'aws:SourceArn': 'arn:*:rule/hourly' } }),
    );
    const from = (rule: string) => ({ 'aws:SourceArn': `arn:aws:events:us-east-1:0:rule/${rule}` });
    expect(ask('lambda:InvokeFunction', 'f', from('hourly'))).toEqual(allowed);
    expect(ask('lambda:InvokeFunction', 'f', from('hourly-too'))).toEqual(denied);
    expect(ask('lambda:InvokeFunction', 'f')).toEqual(denied);
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
    queuePolicies: [
      {
        queueUrls: ['q'],
        statements: policy(
          deny('sqs:*', QUEUE, { Bool: { 'aws:SecureTransport': 'false' } }),
          // Must not count: the roles say who may use the queue.
          allow('sqs:*', QUEUE),
        ),
      },
    ],
  };
  const question = { who: 'orders', action: 'sqs:SendMessage', resource: QUEUE };

  it('gives a role its own permissions and no other role’s', () => {
    const access = new AccessControl(stack);
    expect(access.decide(question)).toEqual(allowed);
    expect(access.decide({ ...question, who: 'products' })).toEqual(denied);
  });

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
