import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-4e5f';
const storefront = {};
const endpoint = { kind: 'http-api' } as const;
const before = synthesizeStack({ storefront, deployment: { endpoint } });
const after = synthesizeStack({ storefront, deployment: { endpoint, encryptionKey: KEY } });

const isKeyOf = (template: Template, type: string, name: string) =>
  propertiesOf(template, type).map((properties) => properties[name]);

describe('a key of the account', () => {
  it('encrypts every queue, the ledger, every secret and every log', () => {
    const all = [
      ...isKeyOf(after, 'AWS::SQS::Queue', 'KmsMasterKeyId'),
      ...isKeyOf(after, 'AWS::SecretsManager::Secret', 'KmsKeyId'),
      ...isKeyOf(after, 'AWS::Logs::LogGroup', 'KmsKeyId'),
      ...isKeyOf(after, 'AWS::DynamoDB::Table', 'SSESpecification').map(
        ({ KMSMasterKeyId }) => KMSMasterKeyId,
      ),
    ];
    expect(all.length).toBeGreaterThan(20);
    expect(new Set(all)).toEqual(new Set([KEY]));
  });

  it('may be used by every function and by people, only through the services that hold the data', () => {
    const policies = [
      ...propertiesOf(after, 'AWS::IAM::Policy'),
      ...propertiesOf(after, 'AWS::IAM::ManagedPolicy'),
    ];
    const uses = policies.map(({ PolicyDocument }) =>
      PolicyDocument.Statement.filter(({ Resource }: { Resource: unknown }) => Resource === KEY),
    );
    expect(uses).toHaveLength(10);
    for (const [statement, ...others] of uses) {
      expect(others).toEqual([]);
      expect(Object.keys(statement.Condition.StringEquals)).toEqual(['kms:ViaService']);
      expect(statement.Condition.StringEquals['kms:ViaService']).toHaveLength(3);
    }
  });

  it('is not used unless it is set', () => {
    expect(new Set(isKeyOf(before, 'AWS::SQS::Queue', 'KmsMasterKeyId'))).toEqual(
      new Set([undefined]),
    );
    expect(isKeyOf(before, 'AWS::SQS::Queue', 'SqsManagedSseEnabled')).not.toContain(undefined);
    expect(isKeyOf(before, 'AWS::DynamoDB::Table', 'SSESpecification')).toEqual([undefined]);
  });

  it('can be set later: nothing that holds data is replaced', () => {
    const changed = changesBetween(before, after);
    expect(changed.map(({ type }) => type)).toContain('AWS::DynamoDB::Table');
    expect(changed.filter(({ type, name }) => replaces(type, name))).toEqual([]);
    // The check can fail.
    expect(replaces('AWS::SQS::Queue', 'FifoQueue')).toBe(true);
  });
});

function changesBetween(one: Template, other: Template) {
  const { Resources: old } = one.toJSON();
  const { Resources: next } = other.toJSON();
  expect(Object.keys(next)).toEqual(Object.keys(old));
  return Object.keys(next).flatMap((id) => {
    const type: string = next[id].Type;
    const [from, to] = [old[id].Properties ?? {}, next[id].Properties ?? {}];
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names]
      .filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]))
      .map((name) => ({ type, name }));
  });
}

/** What CloudFormation does with a changed property, as the command line of CDK knows it. */
function replaces(type: string, name: string): boolean {
  const { schema } = knowledge;
  const found = Object.values<Resource>(schema.resource.entities ?? schema.resource).find(
    ({ cloudFormationType }) => cloudFormationType === type,
  );
  const property = found?.properties[name];
  if (!property) throw new Error(`${type} has no ${name}`);
  return property.causesReplacement === 'yes' || property.causesReplacement === 'maybe';
}

interface Resource {
  readonly cloudFormationType: string;
  readonly properties: Readonly<Record<string, { readonly causesReplacement?: string }>>;
}

const knowledge = JSON.parse(
  gunzipSync(readFileSync('node_modules/aws-cdk/db.json.gz')).toString(),
);
