import { describe, expect, it } from 'vitest';
import { deployed, TABLE, UPDATE, useDeploy } from './deployed-stack.ts';

const BOOTSTRAP = '/cdk-bootstrap/hnb659fds/version';

const deploy = useDeploy();

describe('loyalty-connector deploy', () => {
  it('makes a stack, protects what holds state, and says what to type next', async () => {
    const { result, text, runs, done, policies } = await deploy({});
    expect(done).toEqual(['synth', 'diff', 'deploy']);
    expect(runs[0]?.words).toContain('stage=prod');
    for (const { words } of runs.slice(1)) {
      expect(words[1]).toBe('loyalty-connector-prod');
      expect(words.join(' ')).toContain('--app cdk.out');
    }
    expect(policies).toHaveLength(1);
    expect(JSON.parse(policies[0] ?? '').Statement[1]).toMatchObject({
      Effect: 'Deny',
      Action: ['Update:Replace', 'Update:Delete'],
      Resource: '*',
      Condition: { StringEquals: { ResourceType: expect.arrayContaining([TABLE]) } },
    });
    expect(text).toContain('https://hooks.example/<path of the shop>');
    expect(text).toContain('Next: npx next');
    expect(result).toBe('deployed');
  });

  it('makes a stack anew whose first deployment failed', async () => {
    const failed = { ...deployed, status: 'ROLLBACK_COMPLETE' };
    const { done, calls } = await deploy({}, { ...failed, isProtected: true });
    expect(done).toEqual(['synth', 'diff', 'deploy']);
    // CDK protects `prod` before it is made, and could not delete what is left.
    expect(calls).toContain('UpdateTerminationProtection');
  });

  it('carries out exactly the change set that was judged', async () => {
    const { result, done, runs, policies } = await deploy({}, deployed);
    expect(done).toEqual(UPDATE);
    const names = runs.slice(2).map(({ words }) => words[words.indexOf('--change-set-name') + 1]);
    expect(new Set(names).size).toBe(1);
    expect(policies).toHaveLength(1);
    expect(result).toBe('deployed');
  });

  it('deploys nothing without consent, and leaves no change set behind', async () => {
    const { result, text, done, discarded } = await deploy({ yes: false }, deployed);
    expect(done).toEqual(UPDATE.slice(0, 3));
    expect(text).toContain('Nothing was deployed');
    expect(discarded).toBe(true);
    expect(result).toBe('not deployed');
  });

  it('asks and deploys nothing when nothing has changed', async () => {
    const { changes: _, ...same } = deployed;
    const { result, text, done, discarded } = await deploy({ yes: false }, same);
    expect(done).toEqual(UPDATE.slice(0, 3));
    expect(text).toContain('already deployed');
    expect(discarded).toBe(true);
    expect(result).toBe('deployed');
  });

  it('stops at faulty settings, whose faults were reported already', async () => {
    const fault = 'connector.config.ts: loyalty.address must begin with https://';
    const steps = { synth: { says: fault, exits: 1 } };
    const { result, text, done } = await deploy({}, deployed, steps);
    expect(done).toEqual(['synth']);
    expect(text).toContain('the output above says what is wrong');
    expect(result).toBe('not deployed');
  });

  it('stops where the stack cannot be read: it may hold a newer version', async () => {
    await expect(deploy({}, { denied: true })).rejects.toThrow('cloudformation:DescribeStacks');
  });

  it.each([
    [
      `SSM parameter ${BOOTSTRAP} not found. Has the environment been bootstrapped?`,
      'cdk bootstrap',
    ],
    ['Action denied by stack policy: Statement [#1] does not allow', '--allow-loss'],
    ['UPDATE_ROLLBACK_COMPLETE', 'rolled everything back'],
  ])('says what to do about: %s', async (says, advice) => {
    const steps = { 'execute-change-set': { says, exits: 1 } };
    const { result, text } = await deploy({}, deployed, steps);
    expect(text).toContain(advice);
    expect(result).toBe('not deployed');
  });
});

describe('the quota of concurrent executions', () => {
  const concurrencyIn = ({ runs }: Awaited<ReturnType<typeof deploy>>) =>
    runs[0]?.words.find((word) => word.startsWith('concurrency='));

  it('decides how many workers there are, before anything is synthesized', async () => {
    const small = await deploy({}, { quota: 10 });
    expect(concurrencyIn(small)).toBe('concurrency={"orders":2,"products":2,"coupons":2}');
    expect(small.text).toContain('at most 2 workers for orders');
  });

  it("has this stack's own reservation added back, so that a second deployment chooses the same", async () => {
    const chosen = '{"orders":10,"products":5,"coupons":5,"receiver":50}';
    const first = await deploy({}, { quota: 160 });
    expect(concurrencyIn(first)).toBe(`concurrency=${chosen}`);
    const second = await deploy({}, { ...deployed, quota: 110, concurrency: chosen });
    expect(concurrencyIn(second)).toBe(`concurrency=${chosen}`);
  });

  it('without room for the receiver refuses, with the request to make', async () => {
    const refused = await deploy({}, { quota: 9 });
    expect(refused).toMatchObject({ result: 'not deployed', done: [] });
    const request = '--quota-code L-B99A9384 --desired-value 1000 --region eu-west-1';
    expect(refused.text).toContain(request);
  });
});

describe('another version', () => {
  it('that is older is upgraded, with the way back', async () => {
    const upgraded = await deploy({}, { ...deployed, version: '0.1.9' });
    expect(upgraded.text).toContain('an upgrade');
    expect(upgraded.text).toContain('npm install --save-exact loyalty-connector@0.1.9');
  });

  it('that is newer is rolled back only on purpose, and says what waits', async () => {
    const newer = { ...deployed, version: '99.0.0' };
    const refused = await deploy({}, newer);
    expect(refused).toMatchObject({ result: 'not deployed', done: [] });
    expect(refused.text).toContain('wait until 99.0.0 is deployed again');
    expect(refused.text).toContain('--roll-back');
    const back = await deploy({ rollBack: true }, newer);
    expect(back).toMatchObject({ result: 'deployed', done: UPDATE });
  });
});
