import { describe, expect, it } from 'vitest';
import { AccessControl } from '../../../local/stack/iam/access-control.ts';
import { evaluate } from '../../../local/stack/iam/evaluate.ts';
import { grantsOf } from '../../../local/stack/iam/grants.ts';
import { readPolicyDocument } from '../../../local/stack/iam/policy.ts';

type Written = Readonly<Record<string, unknown>>;

function policy(...statements: readonly Written[]) {
  const reading = readPolicyDocument({ Statement: statements });
  if (reading.kind !== 'read') throw new Error(reading.problem);
  return reading.document;
}

const grants = (...statements: readonly Written[]) => grantsOf('role', [policy(...statements)]);
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
const ask = (action: string, resource: string, context = {}) => ({ action, resource, context });
const kind = (decision: ReturnType<typeof evaluate>) => decision.kind;

describe('a request', () => {
  it('is denied when nothing allows it', () => {
    expect(evaluate(ask('sqs:SendMessage', QUEUE), [])).toEqual({
      kind: 'denied',
      why: 'no identity-based policy allows it',
    });
  });

  it('is allowed by the one grant for its action and its resource, which is named', () => {
    const given = grants(allow(['sqs:SendMessage', 'sqs:DeleteMessage'], [QUEUE]));
    expect(evaluate(ask('sqs:SendMessage', QUEUE), given)).toMatchObject({
      kind: 'allowed',
      by: { action: 'sqs:SendMessage', resource: QUEUE },
    });
    expect(kind(evaluate(ask('sqs:ReceiveMessage', QUEUE), given))).toBe('denied');
  });

  it('is not allowed by the pairing of one statement’s action with another’s resource', () => {
    const given = grants(allow('sqs:SendMessage', QUEUE), allow('dynamodb:PutItem', TABLE));
    expect(kind(evaluate(ask('dynamodb:PutItem', QUEUE), given))).toBe('denied');
    expect(kind(evaluate(ask('sqs:SendMessage', TABLE), given))).toBe('denied');
  });

  it('matches wildcards of actions in any case, and those of ARNs across colons and slashes', () => {
    expect(kind(evaluate(ask('sqs:sendmessage', QUEUE), grants(allow('SQS:Send*', '*'))))).toBe(
      'allowed',
    );
    const index = `${TABLE}/index/codes`;
    expect(
      kind(evaluate(ask('dynamodb:Query', index), grants(allow('dynamodb:Query', `${TABLE}/*`)))),
    ).toBe('allowed');
    expect(
      kind(evaluate(ask('dynamodb:Query', index), grants(allow('dynamodb:Query', TABLE)))),
    ).toBe('denied');
    expect(
      kind(
        evaluate(
          ask('sqs:SendMessage', `${QUEUE}x`),
          grants(allow('sqs:SendMessage', `${QUEUE}?`)),
        ),
      ),
    ).toBe('allowed');
    expect(
      kind(
        evaluate(
          ask('sqs:SendMessage', QUEUE.toUpperCase()),
          grants(allow('sqs:SendMessage', QUEUE)),
        ),
      ),
    ).toBe('denied');
  });

  it('is denied by an explicit denial, whatever allows it', () => {
    const given = grants(allow('*', '*'), deny('dynamodb:DeleteItem', TABLE));
    expect(evaluate(ask('dynamodb:DeleteItem', TABLE), given)).toMatchObject({
      kind: 'denied',
      why: 'an explicit deny',
    });
  });

  it('meets a condition only with a value it has', () => {
    const given = grants(
      allow('lambda:InvokeFunction', '*', { ArnLike: { 'aws:SourceArn': 'arn:*:rule/hourly' } }),
    );
    const by = (arn: string) => ask('lambda:InvokeFunction', 'f', { 'aws:SourceArn': arn });
    expect(kind(evaluate(by('arn:aws:events:us-east-1:0:rule/hourly'), given))).toBe('allowed');
    expect(kind(evaluate(by('arn:aws:events:us-east-1:0:rule/hourly-too'), given))).toBe('denied');
    expect(kind(evaluate(ask('lambda:InvokeFunction', 'f'), given))).toBe('denied');
  });
});

describe('attempts to get more than was given', () => {
  const given = grants(
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
    expect(kind(evaluate(ask(action, resource), given))).toBe('denied');
  });
});

describe('access control', () => {
  const stack = {
    roles: [
      { name: 'orders', arn: 'o', policies: [policy(allow('sqs:SendMessage', QUEUE))] },
      { name: 'products', arn: 'p', policies: [] },
    ],
    permissions: [],
    queuePolicies: [
      {
        queueUrls: ['q'],
        document: policy(
          deny('sqs:*', QUEUE, { Bool: { 'aws:SecureTransport': 'false' } }),
          // Whoever may use the queue is said by the roles.
          allow('sqs:*', QUEUE),
        ),
      },
    ],
  };
  const question = { who: 'orders', action: 'sqs:SendMessage', resource: QUEUE };

  it('a role has its own grants and nobody else’s', () => {
    const access = new AccessControl(stack);
    expect(access.decide(question).kind).toBe('allowed');
    expect(access.decide({ ...question, who: 'products' }).kind).toBe('denied');
  });

  it('a queue’s own policy can deny: a request without TLS is refused', () => {
    const access = new AccessControl(stack);
    const context = { 'aws:SecureTransport': 'false' };
    expect(access.decide({ ...question, context })).toMatchObject({ why: 'an explicit deny' });
  });

  it('a grant that was removed allows nothing until it is given back', () => {
    const access = new AccessControl(stack);
    const [grant] = access.grants();
    if (!grant) throw new Error('there is no grant');
    access.remove(grant);
    expect(access.decide(question).kind).toBe('denied');
    expect(access.denials).toBe(1);
    expect(access.firstDenied).toEqual(question);
    access.restore();
    expect(access.decide(question).kind).toBe('allowed');
  });

  it('a removed grant is missed where it would have allowed, and by nothing else that is denied', () => {
    const access = new AccessControl(stack);
    const [grant] = access.grants();
    if (!grant) throw new Error('there is no grant');
    access.remove(grant);
    access.decide({ ...question, action: 'sqs:DeleteMessage' });
    access.decide({ ...question, who: 'products' });
    expect(access.missed(grant)).toBe(0);
    access.decide(question);
    expect(access.missed(grant)).toBe(1);
  });
});

describe('a policy that is not understood is refused whole', () => {
  it.each([
    ['the field NotResource', { Effect: 'Allow', Action: 'x', NotResource: 'y' }],
    ['the condition StringNotEquals', allow('x', 'y', { StringNotEquals: { a: 'b' } })],
    ['the effect allow', { Effect: 'allow', Action: 'x', Resource: 'y' }],
  ])('%s', (problem, statement) => {
    expect(readPolicyDocument({ Statement: statement })).toEqual({ kind: 'unknown', problem });
  });
});
