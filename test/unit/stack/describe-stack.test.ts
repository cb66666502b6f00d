import { describe, expect, it } from 'vitest';
import { describeStack } from '../../../local/stack/template/describe-stack.ts';
import type { Template, TemplateResource } from '../../../local/stack/template/template.ts';

const place = {
  region: 'us-east-1',
  account: '000000000000',
  stackName: 'connector-test',
  endpoint: 'http://127.0.0.1:4566',
  webAddress: 'http://127.0.0.1:4030/',
};

const describeOf = (
  resources: Readonly<Record<string, TemplateResource>>,
  rest: Partial<Template> = {},
) => describeStack({ Resources: resources, ...rest }, place);

const queue: TemplateResource = {
  Type: 'AWS::SQS::Queue',
  Properties: {
    FifoQueue: true,
    VisibilityTimeout: 720,
    RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 5 },
  },
};
const dead: TemplateResource = { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } };

describe('a template, read for this machine', () => {
  it('gives a queue the attributes it would be created with, its dead-letter queue by ARN', () => {
    const { queues } = describeOf({ Queue: queue, Dead: dead });
    const [source] = queues;
    expect(source).toMatchObject({
      name: 'connector-test-Queue.fifo',
      url: 'http://127.0.0.1:4566/000000000000/connector-test-Queue.fifo',
      attributes: { FifoQueue: 'true', VisibilityTimeout: '720' },
    });
    expect(JSON.parse(source?.attributes.RedrivePolicy ?? '')).toEqual({
      deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:connector-test-Dead.fifo',
      maxReceiveCount: 5,
    });
  });

  it('uses http for addresses on this machine', () => {
    const host = {
      'Fn::Select': [2, { 'Fn::Split': ['/', { 'Fn::GetAtt': ['Url', 'FunctionUrl'] }] }],
    };
    const { outputs } = describeOf(
      {
        Url: { Type: 'AWS::Lambda::Url', Properties: { AuthType: 'NONE', TargetFunctionArn: 'f' } },
      },
      { Outputs: { Address: { Value: { 'Fn::Join': ['', ['https://', host]] } } } },
    );
    expect(outputs.Address).toBe('http://127.0.0.1:4030');
  });

  it('gives a role the policies written in it and those attached to it, and no others', () => {
    const allow = (Action: string) => ({
      Statement: [{ Effect: 'Allow', Action, Resource: '*' }],
    });
    const { roles } = describeOf({
      Mine: {
        Type: 'AWS::IAM::Role',
        Properties: { Policies: [{ PolicyName: 'x', PolicyDocument: allow('sqs:SendMessage') }] },
      },
      Other: { Type: 'AWS::IAM::Role' },
      Policy: {
        Type: 'AWS::IAM::Policy',
        Properties: { PolicyDocument: allow('dynamodb:Query'), Roles: [{ Ref: 'Mine' }] },
      },
    });
    const actionsOf = (name: string) =>
      roles.find((role) => role.name === name)?.statements.flatMap(({ actions }) => actions);
    expect(actionsOf('connector-test-Mine')).toEqual(['sqs:SendMessage', 'dynamodb:Query']);
    expect(actionsOf('connector-test-Other')).toEqual([]);
  });
});

describe('an unsupported part of a template stops the start', () => {
  it.each<[string, Readonly<Record<string, TemplateResource>>]>([
    ['AWS::S3::Bucket', { Bucket: { Type: 'AWS::S3::Bucket' } }],
    [
      'Fn::ImportValue',
      { Queue: { ...dead, Properties: { DelaySeconds: { 'Fn::ImportValue': 'x' } } } },
    ],
    [
      'a managed policy',
      {
        Role: {
          Type: 'AWS::IAM::Role',
          Properties: { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] },
        },
      },
    ],
    [
      'the field NotAction',
      {
        Role: {
          Type: 'AWS::IAM::Role',
          Properties: {
            Policies: [
              {
                PolicyDocument: {
                  Statement: [{ Effect: 'Allow', NotAction: 'iam:*', Resource: '*' }],
                },
              },
            ],
          },
        },
      },
    ],
    [
      'the runtime python3.13',
      { Worker: { Type: 'AWS::Lambda::Function', Properties: { Runtime: 'python3.13' } } },
    ],
    [
      'the AuthType',
      {
        Url: {
          Type: 'AWS::Lambda::Url',
          Properties: { AuthType: 'AWS_IAM', TargetFunctionArn: 'f' },
        },
      },
    ],
  ])('%s', (what, resources) => {
    expect(() => describeOf(resources)).toThrow(`The local stack does not know`);
    expect(() => describeOf(resources)).toThrow(what);
  });

  it('but not alarms', () => {
    expect(() =>
      describeOf({
        Alarm: {
          Type: 'AWS::CloudWatch::Alarm',
          Properties: { Anything: { 'Fn::If': ['a', 1, 2] } },
        },
      }),
    ).not.toThrow();
  });
});
