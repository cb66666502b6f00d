import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { entryOf } from '../../../infra/bundle-functions.ts';
import { grantsIn } from '../../support/role-grants.ts';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

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
  // The whole list, with every setting that adds to it, is that of docs/security.md (test/unit/security).
  const callsPerSecond = 5;
  const limited = { loyalty: { address: 'https://loyalty.example.com', callsPerSecond } };
  const all = grantsWith({ ...limited, storefront: {} });

  it('grants nothing of the storefront where there is none', () => {
    const added = without(all, grantsWith(limited));
    const itself = /^(?:receive-points|sync-balances|storefront): /;
    expect(added.filter((grant) => !itself.test(grant))).toEqual([
      'reconcile: sqs:GetQueueAttributes on the balances queue',
      'reconcile: sqs:SendMessage on the balances queue',
    ]);
  });

  it('lets no other function book its calls to the loyalty service than where they are limited', () => {
    expect(without(all, grantsWith({ storefront: {} }))).toEqual([
      'reconcile: dynamodb:UpdateItem on the ledger',
      'storefront: dynamodb:UpdateItem on the ledger',
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
