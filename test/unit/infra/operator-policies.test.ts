import type { Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { synthesizeStack } from '../../support/synthesized-stack.ts';

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

const template = synthesizeStack({ storefront: {} });

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

/** The keys of the ledger that a person may write; throws where a statement has no such condition. */
function writtenKeys(output: string): readonly string[] {
  const writes = statementsOf(template, output).filter(({ Action }) =>
    [Action].flat().includes('dynamodb:PutItem'),
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
      'dynamodb:PutItem',
      'dynamodb:Query',
      'lambda:GetAccountSettings',
      'sns:ListSubscriptionsByTopic',
      'sqs:ChangeMessageVisibility',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
    ]);
    expect(writtenKeys('ReadOnlyOperatorPolicy')).toEqual([
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM, not of JavaScript
      'audit|operators-????-??|${aws:userid}|*|reveal-*',
    ]);
  });

  it('let an operator do all that and repair, but neither delete data nor deploy', () => {
    const looks = new Set(actionsOf('ReadOnlyOperatorPolicy'));
    const all = actionsOf('OperatorPolicy');
    expect([...looks].filter((action) => !all.includes(action))).toEqual([]);
    expect(all.filter((action) => !looks.has(action)).toSorted()).toEqual([
      'lambda:InvokeFunction',
      'secretsmanager:DescribeSecret',
      'secretsmanager:GetSecretValue',
      'secretsmanager:PutSecretValue',
      'sns:Subscribe',
      'sqs:DeleteMessage',
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

  it('let an operator write no audit record of another person', () => {
    const keys = writtenKeys('OperatorPolicy');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM, not of JavaScript
    const own = 'audit|operators-????-??|${aws:userid}|*';
    expect(keys.filter((key) => /^[a-z-]+\|\*$/.test(key) === false)).toEqual([own]);
    expect(keys).toContain('order|*');
    expect(keys).not.toContain('audit|*');
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
