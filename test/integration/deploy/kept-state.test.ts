import { describe, expect, it } from 'vitest';
import {
  type Account,
  type Change,
  deployed,
  SOME,
  TABLE,
  UPDATE,
  useDeploy,
} from './deployed-stack.ts';

const deploy = useDeploy();

describe('what holds state', () => {
  const losing = (...changes: Change[]): Account => ({ ...deployed, changes });
  const replaced: Change = ['Table', TABLE, 'Modify', 'True', 'ReplaceAndRetain'];

  it.each([
    ['replaced', replaced],
    ['perhaps replaced', ['Table', TABLE, 'Modify', 'Conditional']],
    ['deleted', ['Queue', 'AWS::SQS::Queue', 'Remove', '', 'Delete']],
    ['left behind', ['Queue', 'AWS::SQS::Queue', 'Remove', '', 'Retain']],
  ] as const)('is never %s without its name being given', async (_, change) => {
    const refused = await deploy({}, losing(change));
    expect(refused.done).toEqual(UPDATE.slice(0, 3));
    expect(refused).toMatchObject({ result: 'not deployed', discarded: true, policies: [] });
    expect(refused.text).toContain(`--allow-loss ${change[0]}`);
  });

  it('goes when its name is given; the policy lets it go once', async () => {
    const words = { allowLoss: ['Table'] };
    const { result, text, done, policies } = await deploy(words, losing(replaced));
    expect(done).toEqual(UPDATE);
    expect(text).toContain('Table (AWS::DynamoDB::Table) is REPLACED');
    const [during, after] = policies.map((policy) => JSON.parse(policy).Statement[1]);
    expect(during).toMatchObject({ NotResource: ['LogicalResourceId/Table'] });
    expect(after).toMatchObject({ Resource: '*' });
    expect(result).toBe('deployed');
  });

  it('is protected again also after a deployment that failed', async () => {
    const words = { allowLoss: ['Table'] };
    const steps = { 'execute-change-set': { exits: 1 } };
    const { result, policies } = await deploy(words, losing(replaced), steps);
    const [, statement] = JSON.parse(policies.at(-1) ?? '').Statement;
    expect(statement).toMatchObject({ Resource: '*' });
    expect(result).toBe('not deployed');
  });

  it('is shown beside everything else that is replaced', async () => {
    const url: Change = ['Url', 'AWS::Lambda::Url', 'Modify', 'True'];
    const { result, text } = await deploy({}, losing(url, ...SOME));
    expect(text).toContain('Url (AWS::Lambda::Url) is REPLACED');
    expect(text).not.toContain('Worker (');
    expect(result).toBe('deployed');
  });
});
