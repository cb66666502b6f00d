import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { judgeConcurrency } from '../../../scripts/connector/doctor/check-aws.ts';
import { judgeClock } from '../../../scripts/connector/doctor/check-clock.ts';
import { judgeScopes } from '../../../scripts/connector/doctor/check-services.ts';
import { listAssumptions } from '../../../scripts/connector/doctor/check-settings.ts';
import { judgeAppSecrets } from '../../../scripts/connector/doctor/check-webhooks.ts';
import { type Check, pass, runChecks } from '../../../scripts/connector/doctor/finding.ts';
import { completeDeployment } from '../../../shared/config/deployment-settings.ts';
import { defaultAssumptions } from '../../../shared/config/loyalty-assumptions.ts';

const SCOPES = ['read_orders', 'read_customers', 'read_products', 'read_discounts'];
const verdicts = (findings: readonly { verdict: string }[]) => findings.map((one) => one.verdict);

describe("the scopes of a shop's app", () => {
  it('pass when all are there; a write scope includes its read scope', () => {
    expect(verdicts(judgeScopes([...SCOPES, 'read_all_orders'], { enrich: {} }))).toEqual(['pass']);
    const writing = [...SCOPES.map((scope) => scope.replace('read', 'write')), 'read_all_orders'];
    expect(verdicts(judgeScopes(writing, { enrich: {} }))).toEqual(['pass']);
  });

  it('fail by name for what the settings ask for, and warn of orders out of sight', () => {
    const findings = judgeScopes(SCOPES, { enrich: { locationNames: true, staffNames: true } });
    expect(verdicts(findings)).toEqual(['fail', 'fail', 'warn']);
    expect(findings[0]?.what).toContain('read_locations, needed for rules.enrich.locationNames');
    expect(findings[1]?.what).toContain('read_users');
    expect(findings[2]?.what).toContain('60 days');
  });

  it('must write customers, discounts and the app proxy where there is a storefront', () => {
    const reading = [...SCOPES, 'read_all_orders'];
    const findings = judgeScopes(reading, { enrich: {} }, true);
    expect(verdicts(findings)).toEqual(['fail', 'fail', 'fail']);
    for (const scope of ['write_customers', 'write_discounts', 'write_app_proxy']) {
      expect(findings.map(({ what }) => what).join('\n')).toContain(scope);
    }
    const writing = [...reading, 'write_customers', 'write_discounts', 'write_app_proxy'];
    expect(verdicts(judgeScopes(writing, { enrich: {} }, true))).toEqual(['pass']);
  });
});

describe("the account's concurrency quota", () => {
  const settings = completeDeployment();

  it.each([
    ['fits the usual quota', { total: 1_000, unreserved: 1_000 }, undefined, 'pass'],
    ['is tight in a new account', { total: 10, unreserved: 10 }, undefined, 'warn'],
    ['is used up by others', { total: 1_000, unreserved: 20 }, undefined, 'warn'],
    ['lets no reservation pass in a new account', { total: 10, unreserved: 10 }, 5, 'fail'],
    ['takes a reservation where a hundred stay free', { total: 150, unreserved: 145 }, 5, 'pass'],
  ])('%s', (_, limits, reservedReceiverConcurrency, verdict) => {
    const given = { ...settings, reservedReceiverConcurrency };
    expect(verdicts(judgeConcurrency(limits, given))).toEqual([verdict]);
  });
});

describe('app secrets', () => {
  const one = { shop: 'one', webhook: ['s1'], clientSecret: undefined };

  it('are not to be shared between shops, an older one included', () => {
    const two = { shop: 'two', webhook: ['s2', 's1'], clientSecret: undefined };
    const findings = judgeAppSecrets([one, two]);
    expect(verdicts(findings)).toEqual(['warn']);
    expect(JSON.stringify(findings)).not.toContain('s1');
    expect(verdicts(judgeAppSecrets([one, { ...two, webhook: ['s2'] }]))).toEqual(['pass']);
  });

  it('sign webhooks: a client secret of the store that differs was not rotated', () => {
    expect(verdicts(judgeAppSecrets([{ ...one, clientSecret: 'other' }]))).toEqual(['warn']);
    expect(judgeAppSecrets([{ ...one, clientSecret: 's1' }])).toEqual([]);
  });
});

describe('the clock', () => {
  const at = Date.parse('2026-11-15T03:00:00.400Z');

  it('passes within the tolerance and says by how much it is off beyond', () => {
    const aws = { whose: 'AWS', date: 'Sun, 15 Nov 2026 03:00:00 GMT', at };
    const store = { whose: 'the store', date: 'Sun, 15 Nov 2026 02:58:00 GMT', at };
    expect(verdicts(judgeClock([aws]))).toEqual(['pass']);
    expect(judgeClock([aws, store])).toEqual([
      expect.objectContaining({ verdict: 'warn', what: expect.stringContaining('120 s ahead of') }),
    ]);
    expect(verdicts(judgeClock([{ ...aws, date: undefined }]))).toEqual(['info']);
  });
});

it('lists every assumption about the loyalty service with its value', () => {
  const lines = listAssumptions({ ...defaultAssumptions }).map(({ what }) => what);
  for (const [name, value] of Object.entries(defaultAssumptions)) {
    expect(lines.filter((line) => line.startsWith(`${name}: ${value} (`))).toHaveLength(1);
  }
  expect(lines.at(-1)).toMatch(/^cashbackAddIs: unset/);
});

describe('checks', () => {
  const explain = () => ({ what: 'it broke', fix: 'mend it' });

  async function run(checks: readonly Check[], timeoutMs = 10_000) {
    const results: (readonly string[])[] = [];
    for await (const { name, findings } of runChecks(checks, timeoutMs, explain)) {
      results.push([name, ...findings.map(({ verdict, what }) => `${verdict} ${what}`)]);
    }
    return results;
  }

  it('are reported in their order, however long each takes, and a broken one is a finding', async () => {
    const results = await run([
      { name: 'slow', run: async () => sleep(30, [pass('fine')]) },
      { name: 'quick', run: async () => [pass('fine')] },
      { name: 'broken', run: () => Promise.reject(new Error('secret text')) },
    ]);
    expect(results).toEqual([
      ['slow', 'pass fine'],
      ['quick', 'pass fine'],
      ['broken', 'fail it broke'],
    ]);
  });

  it('that hang delay no other check', async () => {
    const hanging = { name: 'hanging', run: () => new Promise<never>(() => {}) };
    const results = await run([hanging, { name: 'other', run: async () => [pass('fine')] }], 20);
    expect(results).toEqual([
      ['hanging', 'fail no answer within 0.02 s'],
      ['other', 'pass fine'],
    ]);
  });
});
