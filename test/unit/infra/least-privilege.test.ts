import type { Template } from 'aws-cdk-lib/assertions';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { entryOf } from '../../../infra/bundle-functions.ts';
import { grantsIn } from '../../support/role-grants.ts';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const template = synthesizeStack({ storefront: {} });
const plain = synthesizeStack();
const policies = Object.values(template.findResources('AWS::IAM::Policy'));

/** `service:Action on what`, for every function of the stack. */
function grantsOf(stack: Template): Readonly<Record<string, readonly string[]>> {
  const byRole = Map.groupBy(grantsIn(stack), ({ role }) => role);
  return Object.fromEntries(
    [...byRole].map(([role, grants]) => [
      role,
      grants.map(({ action, on }) => `${action} on ${on}`).toSorted(),
    ]),
  );
}

const on = (what: string, ...actions: readonly string[]) =>
  actions.map((action) => `${action} on ${what}`);
const log = on('its own log', 'logs:CreateLogStream', 'logs:PutLogEvents');
const secrets = (...purposes: readonly string[]) =>
  purposes.flatMap((purpose) => on(`${purpose} secrets`, 'secretsmanager:GetSecretValue'));
const ledger = (...actions: readonly string[]) =>
  on('the ledger', ...actions.map((action) => `dynamodb:${action}`));
const index = on("the ledger's index", 'dynamodb:Query');
const feed = (...queues: readonly string[]) =>
  queues.flatMap((queue) => on(`the ${queue} queue`, 'sqs:SendMessage'));
const STORE_QUEUES = ['coupons', 'orders', 'products'];

/** A worker takes from its own queue, sends to it and to its dead letters, and to no other. */
const worker = [
  ...ledger('BatchGetItem', 'PutItem', 'UpdateItem'),
  ...log,
  ...secrets('loyalty', 'store'),
  ...on('its own queue', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage'),
  ...on('its own queue', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:SendMessage'),
  ...on('its own dead-letter queue', 'sqs:SendMessage'),
];
/** It compares with the whole ledger and feeds the queues, but neither takes from them nor changes an entity. */
const reconcile = (queues: readonly string[]) => [
  ...ledger('BatchGetItem', 'DescribeTable', 'PutItem', 'Scan'),
  ...index,
  ...log,
  ...secrets('loyalty', 'store'),
  ...feed(...queues),
  ...queues.flatMap((queue) => on(`the ${queue} queue`, 'sqs:GetQueueAttributes')),
];

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'receive-webhook': [...log, ...secrets('webhook'), ...feed(...STORE_QUEUES)],
  'receive-points': [...log, ...secrets('points'), ...feed('balances')],
  'sync-products': worker,
  'sync-orders': [...worker, ...ledger('DescribeTable')],
  'sync-coupons': [...worker, ...index],
  'sync-balances': worker,
  storefront: [
    ...ledger('BatchGetItem', 'PutItem'),
    ...log,
    ...secrets('loyalty', 'store', 'webhook'),
    ...feed('balances'),
  ],
  reconcile: reconcile([...STORE_QUEUES, 'balances']),
};

/** What AWS itself does with a function's role: Lambda writes its log, and its event source polls. */
const LOG_ACTIONS = ['logs:CreateLogStream', 'logs:PutLogEvents'];
const EVENT_SOURCE_ACTIONS = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** The method of our AWS clients that needs the action: `sqs:SendMessage` is `sendMessage`. */
function methodFor(action: string): string {
  if (action === 'sqs:ChangeMessageVisibility') return 'changeMessageVisibilityBatch';
  const [, name = ''] = action.split(':');
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** The function's own code, without what it imports but never uses. */
async function codeOf(name: Parameters<typeof entryOf>[0]): Promise<string> {
  const { outputFiles } = await build({
    stdin: entryOf(name),
    external: ['#settings'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  return outputFiles.map(({ text }) => text).join();
}

describe('least privilege', () => {
  it.each(Object.entries(EXPECTED))('lets %s do this and nothing else', (name, grants) => {
    expect(grantsOf(template)[name]).toEqual(grants.toSorted());
  });

  it('knows every function, and grants nothing of the storefront where there is none', () => {
    expect(Object.keys(grantsOf(template)).toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
    expect(grantsOf(plain)).toMatchObject({ reconcile: reconcile(STORE_QUEUES).toSorted() });
    expect(Object.keys(grantsOf(plain))).toHaveLength(5);
  });

  it('lets every function that calls the loyalty service book its calls, where they are limited', () => {
    const limited = synthesizeStack({
      loyalty: { address: 'https://loyalty.example.com', callsPerSecond: 5 },
      storefront: {},
    });
    const booking = grantsIn(limited).filter(({ action }) => action === 'dynamodb:UpdateItem');
    expect(booking.map(({ role, on }) => `${role} on ${on}`).toSorted()).toEqual(
      [
        'reconcile',
        'storefront',
        'sync-balances',
        'sync-coupons',
        'sync-orders',
        'sync-products',
      ].map((role) => `${role} on the ledger`),
    );
  });

  it('grants no action that the code of the function never calls', async () => {
    const grants = grantsIn(template);
    for (const name of Object.keys(EXPECTED) as Parameters<typeof entryOf>[0][]) {
      const code = await codeOf(name);
      const actions = [
        ...new Set(grants.filter(({ role }) => role === name).map(({ action }) => action)),
      ];
      const byAws = [
        ...LOG_ACTIONS,
        ...(actions.includes('sqs:ReceiveMessage') ? EVENT_SOURCE_ACTIONS : []),
      ];
      const uncalled = actions
        .filter((action) => !byAws.includes(action))
        .filter((action) => !code.includes(`.${methodFor(action)}(`));
      expect(uncalled, name).toEqual([]);
    }
  });

  it('uses no wildcard, neither in actions nor in resources', () => {
    expect(policies).toHaveLength(8);
    for (const { Properties } of policies) {
      expect(JSON.stringify(Properties.PolicyDocument)).not.toContain('*');
    }
  });

  it('uses no policy that AWS manages, and each role is for Lambda alone', () => {
    for (const role of propertiesOf(template, 'AWS::IAM::Role')) {
      expect(role.ManagedPolicyArns).toBeUndefined();
      expect(role.AssumeRolePolicyDocument.Statement).toMatchObject([
        { Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } },
      ]);
    }
  });
});
