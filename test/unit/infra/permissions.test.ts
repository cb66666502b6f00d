import type { Template } from 'aws-cdk-lib/assertions';
import { build } from 'esbuild';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { entryOf } from '../../../infra/bundle-functions.ts';
import { SHOP } from '../../support/in-process-connector.ts';
import { grantsIn } from '../../support/role-grants.ts';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';
import { openWebhookConnector } from '../../support/webhook-connector.ts';

const template = synthesizeStack({ storefront: {} });
const policies = Object.values(template.findResources('AWS::IAM::Policy'));

const grantsWith = (settings: Parameters<typeof synthesizeStack>[0]) =>
  grantsIn(synthesizeStack(settings)).map(({ role, action, on }) => `${role}: ${action} on ${on}`);
const without = (given: readonly string[], removed: readonly string[]) =>
  given.filter((grant) => !removed.includes(grant)).toSorted();

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
  // The whole list, with every setting that adds to it, is that of docs/operator-access.md (test/unit/security).
  const callsPerSecond = 5;
  const limited = { loyalty: { address: 'https://loyalty.example.com', callsPerSecond } };
  const all = grantsWith({ ...limited, storefront: {} });

  it('grants nothing of the storefront where there is none', () => {
    const added = without(all, grantsWith(limited));
    const itself = /^(?:receive-points|sync-balances|storefront): /;
    expect(added.filter((grant) => !itself.test(grant))).toEqual([
      'reconcile: sqs:GetQueueAttributes on the balances queue',
      'reconcile: sqs:SendMessage on the balances queue',
      'sync-orders: sqs:SendMessage on the balances queue',
    ]);
  });

  it('lets no other function book its calls to the loyalty service than where they are limited', () => {
    const books = /: dynamodb:UpdateItem on (?:.* and )?calls items of the ledger$/;
    const added = without(all, grantsWith({ storefront: {} }));
    expect(added.filter((grant) => !books.test(grant))).toEqual([]);
    expect(added.map((grant) => grant.split(':')[0])).toEqual([
      ...['reconcile', 'storefront', 'sync-balances'],
      ...['sync-coupons', 'sync-orders', 'sync-products'],
    ]);
  });

  it('grants no action that the code of the function never calls', async () => {
    const grants = grantsIn(template);
    for (const name of new Set(grants.map(({ role }) => role as Parameters<typeof entryOf>[0]))) {
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

  it('uses no wildcard but for the secrets of one purpose and the ledger items of one kind', () => {
    expect(policies).toHaveLength(8);
    const known = [
      /:secret:loyalty-connector\/prod\/\*\/(?:webhook|loyalty|store|points)-\?{6}"/g,
      /"[a-z-]+\|\*"/g,
    ];
    for (const { Properties } of policies) {
      const text = JSON.stringify(Properties.PolicyDocument);
      const rest = known.reduce((left, pattern) => left.replaceAll(pattern, ''), text);
      expect(rest).not.toMatch(/[*?]/);
    }
  });

  it('lets no function write an audit record, and the public one nothing of orders', () => {
    const writes = all.filter((grant) => /dynamodb:(?:Put|Update)Item/.test(grant));
    expect(writes.filter((grant) => !grant.endsWith(' items of the ledger'))).toEqual([]);
    expect(writes.filter((grant) => grant.includes('audit'))).toEqual([]);
    expect(writes.filter((grant) => grant.startsWith('storefront: '))).toEqual([
      'storefront: dynamodb:PutItem on redemption and reward-code and till and given and control items of the ledger',
      'storefront: dynamodb:UpdateItem on calls items of the ledger',
    ]);
  });

  it('lets the worker of orders erase a person in every kind of item that a redaction names', async () => {
    const connector = openWebhookConnector();
    const { ledger } = connector;
    // Of a storefront that is no longer in the settings: its own functions are gone with it.
    const left = { shop: SHOP, kind: 'redemption', id: '6' } as const;
    await ledger.write(left, { version: 1, uncertain: false, outcomes: [] }, undefined);
    const erased = new Set<string>();
    connector.parts.ledger = {
      ...ledger,
      async redact(keys, mark) {
        for (const { kind } of keys) erased.add(kind);
        return ledger.redact(keys, mark);
      },
    };
    const customer = { id: 6, email: 'robin@example.com' };
    await connector.handle('customers/redact', {
      shop_domain: SHOP,
      customer,
      orders_to_redact: [1],
    });
    expect([...erased]).toEqual(expect.arrayContaining(['order', 'member', 'redemption']));
    const may = grantsIn(synthesizeStack({})).flatMap(({ role, action, on }) =>
      role === 'sync-orders' && action === 'dynamodb:UpdateItem' ? on.split(/ and | items/) : [],
    );
    expect([...erased].filter((kind) => !may.includes(kind))).toEqual([]);
  });

  it('has the same size for one shop and for five hundred', () => {
    const shops = Array.from({ length: 500 }, (_, i) => ({ domain: `shop-${i}.myshopify.com` }));
    const rules = { currency: 'EUR' };
    const sizes = [shops.slice(0, 1), shops].map((some) => {
      const stack = synthesizeStack({ shops: some, rules, storefront: {} });
      const texts = Object.values(stack.findResources('AWS::IAM::Policy')).map((policy) =>
        JSON.stringify(policy),
      );
      const resources = Object.keys(stack.toJSON().Resources).length;
      return { resources, longest: Math.max(...texts.map(({ length }) => length)) };
    });
    expect(sizes[1]).toEqual(sizes[0]);
    // IAM, "IAM and AWS STS quotas": 10,240 for the inline policies of a role; CloudFormation: 500 resources.
    expect(sizes[0]?.longest).toBeLessThan(10_240);
    expect(sizes[0]?.resources).toBeLessThan(250);
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

const keyCondition = v.object({
  'ForAllValues:StringLike': v.object({
    'dynamodb:LeadingKeys': v.union([
      v.array(v.string()),
      v.pipe(
        v.string(),
        v.transform((one) => [one]),
      ),
    ]),
  }),
});

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Those that allow something. */
function statementsOf(stack: Template, output: string): readonly Statement[] {
  const { Outputs: outputs, Resources: resources } = stack.toJSON();
  const { Statement: all } = resources[outputs[output].Value.Ref].Properties.PolicyDocument;
  return all.filter(({ Effect }: Statement) => Effect === 'Allow');
}

const actionsOf = (output: string): readonly string[] =>
  statementsOf(template, output).flatMap(({ Action }) => Action);

/** The keys of the ledger that a person may write in this way; throws where a statement has no such condition. */
function writtenKeys(output: string, action: 'PutItem' | 'PartiQLInsert'): readonly string[] {
  const writes = statementsOf(template, output).filter(({ Action }) =>
    [Action].flat().includes(`dynamodb:${action}`),
  );
  return writes.flatMap(({ Condition }) => {
    const { 'ForAllValues:StringLike': like } = v.parse(keyCondition, Condition);
    return like['dynamodb:LeadingKeys'];
  });
}

describe('the policies for people', () => {
  it('let a reader see no secret, and write only that personal data is shown to them', () => {
    expect(actionsOf('ReadOnlyOperatorPolicy').toSorted()).toEqual([
      'cloudformation:DescribeStacks',
      'cloudwatch:GetMetricData',
      'dynamodb:BatchGetItem',
      'dynamodb:DescribeTable',
      'dynamodb:PartiQLInsert',
      'dynamodb:Query',
      'lambda:GetAccountSettings',
      'sns:ListSubscriptionsByTopic',
      // No ReceiveMessage: it takes a time for which the message is hidden from all others.
      'sqs:GetQueueAttributes',
    ]);
    expect(writtenKeys('ReadOnlyOperatorPolicy', 'PartiQLInsert')).toEqual([
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM, not of JavaScript
      'audit|operators-????-??|${aws:userid}|*|reveal-*',
    ]);
  });

  it('let an operator do all that and repair, but neither delete data nor deploy', () => {
    const looks = new Set(actionsOf('ReadOnlyOperatorPolicy'));
    const all = actionsOf('OperatorPolicy');
    expect([...looks].filter((action) => !all.includes(action))).toEqual([]);
    expect([...new Set(all)].filter((action) => !looks.has(action)).toSorted()).toEqual([
      'dynamodb:PutItem',
      'dynamodb:Scan',
      'lambda:InvokeFunction',
      'logs:FilterLogEvents',
      'secretsmanager:CreateSecret',
      'secretsmanager:DescribeSecret',
      'secretsmanager:GetSecretValue',
      'secretsmanager:PutSecretValue',
      'secretsmanager:TagResource',
      'sns:Subscribe',
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
    ]);
  });

  it('name no action by a pattern, and everything only where AWS knows no resources', () => {
    for (const { Action, Resource } of statementsOf(template, 'OperatorPolicy')) {
      expect(JSON.stringify(Action)).not.toContain('*');
      if (Resource !== '*') continue;
      expect(Action).toEqual(['cloudwatch:GetMetricData', 'lambda:GetAccountSettings']);
    }
  });

  it('let an operator create audit records of their own, and neither replace one nor write that of another', () => {
    expect(writtenKeys('OperatorPolicy', 'PartiQLInsert')).toEqual([
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM, not of JavaScript
      'audit|operators-????-??|${aws:userid}|*',
    ]);
    const kinds = writtenKeys('OperatorPolicy', 'PutItem').map((key) => key.replace('|*', ''));
    expect(kinds.toSorted()).toEqual([
      ...['control', 'coupon', 'cursor', 'dead-letter', 'member'],
      ...['order', 'product', 'redemption', 'waiting'],
    ]);
  });

  it.each([
    ['sqs:SendMessage', 'its messages wait in'],
    ['sqs:ReceiveMessage', 'its dead letters are in'],
  ])('let an operator call %s on every queue of the stack that %s', (action, role) => {
    const queues = Object.entries(template.findResources('AWS::SQS::Queue'));
    const sources = queues.filter(([, { Properties }]) => Properties.RedrivePolicy !== undefined);
    const deadLetters = queues.filter((one) => !sources.includes(one));
    const of = role === 'its messages wait in' ? sources : deadLetters;
    const may = JSON.stringify(
      statementsOf(template, 'OperatorPolicy').filter(({ Action }) =>
        [Action].flat().includes(action),
      ),
    );
    expect(of.length).toBeGreaterThan(3);
    expect(of.map(([id]) => id).filter((id) => !may.includes(`"${id}"`))).toEqual([]);
  });

  it('fit into the size of a policy, however many shops there are', () => {
    const statements = statementsOf(template, 'OperatorPolicy');
    expect(JSON.stringify(statements)).not.toContain('example-store');
    // A reference becomes an ARN of at most 130 characters. IAM, "IAM and AWS STS quotas": 6144.
    const text = JSON.stringify(statements).replaceAll(
      /\{"(?:Ref|Fn::GetAtt)":[^{}]*\}/g,
      'x'.repeat(130),
    );
    expect(text.length).toBeLessThan(6_144);
  });

  it('keep their descriptions and logical ids: another one would replace them unattached', () => {
    const policies = Object.entries(template.findResources('AWS::IAM::ManagedPolicy'));
    expect(policies.map(([id, { Properties }]) => [id, Properties.Description])).toEqual([
      [
        'OperatorPoliciesReadOnly80463994',
        'A person who looks at, but cannot change, loyalty-connector-prod',
      ],
      ['OperatorPoliciesOperator0A5E6B4A', 'A person who operates loyalty-connector-prod'],
    ]);
  });
});
