import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { entryOf, functionsOf } from '../../../infra/bundle-functions.ts';
import storefrontSettings from '../../../local/harness/storefront.config.ts';
import { grantsIn, grantsOfPolicy, type PolicyResource } from '../../support/role-grants.ts';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const template = synthesizeStack({
  shops: [{ domain: 'one.myshopify.com' }, { domain: 'two.myshopify.com' }],
  rules: { currency: 'EUR' },
});
const policies = Object.entries(template.findResources('AWS::IAM::Policy'));

/** What the role of a function may do, as `service:Action on LogicalId`. */
function grantsOf(name: string): string[] {
  const [, policy] = policies.find(([id]) => id.startsWith(name)) ?? [];
  return grantsOfPolicy(policy as PolicyResource)
    .map(({ action, resource, condition }) => `${action} on ${nameOf(resource)}${condition}`)
    .toSorted();
}

/** The logical id without the hash at its end, and what follows it. */
function nameOf(resource: unknown): string {
  const text = JSON.stringify(resource);
  const id = /"(?:Ref":"|Fn::GetAtt":\[")([A-Za-z0-9]+?)[0-9A-F]{8}"/.exec(text)?.[1];
  const suffix = /"(\/[^"]+)"/.exec(text)?.[1] ?? '';
  return id === undefined ? text : `${id}${suffix}`;
}

const ownLog = (name: string) => [
  `logs:CreateLogStream on ${name}Logs`,
  `logs:PutLogEvents on ${name}Logs`,
];

const workerGrants = (name: string, queue: string) => [
  'dynamodb:BatchGetItem on LedgerTable',
  'dynamodb:PutItem on LedgerTable',
  'dynamodb:UpdateItem on LedgerTable',
  ...ownLog(`${name}Worker`),
  ...['one', 'two'].flatMap((shop) =>
    ['loyalty', 'store'].map(
      (purpose) => `secretsmanager:GetSecretValue on Secrets${shop}${purpose}`,
    ),
  ),
  `sqs:ChangeMessageVisibility on ${queue}Source`,
  `sqs:DeleteMessage on ${queue}Source`,
  `sqs:GetQueueAttributes on ${queue}Source`,
  `sqs:ReceiveMessage on ${queue}Source`,
  `sqs:SendMessage on ${queue}DeadLetters`,
  `sqs:SendMessage on ${queue}Source`,
];

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
async function codeOf(name: ReturnType<typeof functionsOf>[number]): Promise<string> {
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
  it('lets the receiver send to the queues and read the webhook secrets, and nothing else', () => {
    expect(grantsOf('ReceiveWebhook')).toEqual(
      [
        ...ownLog('ReceiveWebhookReceiver'),
        'secretsmanager:GetSecretValue on Secretsonewebhook',
        'secretsmanager:GetSecretValue on Secretstwowebhook',
        'sqs:SendMessage on CouponsSource',
        'sqs:SendMessage on OrdersSource',
        'sqs:SendMessage on ProductsSource',
      ].toSorted(),
    );
  });

  it('lets SyncProducts work on its own queue and on the ledger, and nothing else', () => {
    expect(grantsOf('SyncProducts')).toEqual(workerGrants('SyncProducts', 'Products').toSorted());
  });

  it('lets SyncOrders see when the ledger was made besides', () => {
    expect(grantsOf('SyncOrders')).toEqual(
      [...workerGrants('SyncOrders', 'Orders'), 'dynamodb:DescribeTable on LedgerTable'].toSorted(),
    );
  });

  it('lets SyncCoupons look for the codes of a discount besides', () => {
    expect(grantsOf('SyncCoupons')).toEqual(
      [
        ...workerGrants('SyncCoupons', 'Coupons'),
        'dynamodb:Query on LedgerTable/index/codes-of-discount',
      ].toSorted(),
    );
  });

  it('lets Reconcile compare with the whole ledger and feed the queues, but neither take nor call', () => {
    const queues = ['Coupons', 'Orders', 'Products'].map((queue) => `${queue}Source`);
    expect(grantsOf('Reconcile')).toEqual(
      [
        ...['BatchGetItem', 'DescribeTable', 'PutItem', 'Scan'].map(
          (action) => `dynamodb:${action} on LedgerTable`,
        ),
        'dynamodb:Query on LedgerTable/index/codes-of-discount',
        ...ownLog('ReconcileReconciler'),
        'secretsmanager:GetSecretValue on Secretsoneloyalty',
        'secretsmanager:GetSecretValue on Secretsonestore',
        'secretsmanager:GetSecretValue on Secretstwoloyalty',
        'secretsmanager:GetSecretValue on Secretstwostore',
        ...queues.map((queue) => `sqs:GetQueueAttributes on ${queue}`),
        ...queues.map((queue) => `sqs:SendMessage on ${queue}`),
      ].toSorted(),
    );
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
    const grants = grantsIn(synthesizeStack({ storefront: {} }));
    const names = functionsOf(storefrontSettings);
    expect(new Set(grants.map(({ role }) => role))).toEqual(new Set(names));
    for (const name of names) {
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
    expect(policies.length).toBeGreaterThanOrEqual(4);
    for (const [, { Properties }] of policies) {
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
