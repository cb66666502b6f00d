import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type Check,
  checksDocument,
  type Finding,
  fail,
  findingsBlock,
  fixDocument,
  info,
  judgeCurrency,
  pass,
  runChecks,
  type ShopDeps,
  unknown,
  verdictOf,
  warn,
} from '../../../scripts/connector/ground/checks/check.ts';
import { settingsCheck } from '../../../scripts/connector/ground/checks/settings.ts';
import { text } from '../../../scripts/connector/ground/terminal/document.ts';
import { line } from '../../../scripts/connector/ground/terminal/line.ts';
import { judgeAppSecrets, replaceSecrets } from '../../../scripts/connector/look/doctor.ts';
import { judgeSignatures } from '../../../scripts/connector/look/judge-status.ts';
import {
  adminApiCheck,
  judgeRollouts,
  judgeScopes,
} from '../../../scripts/connector/set-up/shopify/store-checks.ts';
import type { Connector } from '../../../shared/config/connector-config.ts';
import { failure } from '../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../shared/shopify/admin/client/admin-client.ts';
import { askShop } from '../../../shared/shopify/commands.ts';

const verdicts = (findings: readonly { verdict: string }[]) => findings.map((one) => one.verdict);

describe('the currency of a shop', () => {
  const judge = (currency: string | undefined, wanted: string | undefined, sharedAccount = true) =>
    judgeCurrency({ currency: wanted, sharedAccount }, currency);

  it('fails where it is another one than the settings allow, with the ways to correct it', () => {
    expect(judge('BRL', 'BRL')).toEqual(pass("the store's currency is BRL"));
    expect(judge('USD', 'BRL')).toMatchObject({
      ...{ verdict: 'fail', what: expect.stringContaining('rules.currency is BRL') },
      fix: expect.stringMatching(/sharedAccount to false.*'any'.*50 BRL and 50 USD count alike/),
    });
    expect(judge('JPY', 'USD', false).fix).not.toContain('any');
  });

  it('needs no setting on an account of its own, and is not known without an answer', () => {
    expect([judge('JPY', undefined, false).verdict, judge('USD', 'any').verdict]).toEqual([
      ...['pass', 'pass'],
    ]);
    for (const wanted of ['BRL', 'any', undefined]) {
      expect(judge(undefined, wanted).verdict).toBe('unknown');
    }
  });
});

describe('a store that answers 403', () => {
  it('is explained by an IP allowlist, beside the credentials', async () => {
    const shop = { domain: 'one' } as Connector['shops'][number];
    const ask: Ask = async () => failure('forbidden');
    const deps = {
      shops: [shop],
      services: () => ({ asked: () => askShop(ask, 'one') }),
    } as unknown as ShopDeps;
    expect(await adminApiCheck(deps).look()).toMatchObject([
      {
        ...{ verdict: 'fail', shop: 'one', what: expect.stringContaining('forbidden') },
        fix: expect.stringContaining('IP allowlist'),
        next: [{ line: line('secrets set', ['store'], { shop: 'one' }) }],
      },
    ]);
  });
});

describe('the settings', () => {
  it('warn of a loyalty address that is not https', async () => {
    const shops = [{ domain: 'paper.myshopify.com' }];
    const look = (address: string) =>
      settingsCheck({
        ...{ where: 'aws', stage: 'prod' },
        connector: { shops, loyalty: { address } } as unknown as Connector,
      }).look();
    expect(verdicts(await look('http://loyalty.shop'))).toEqual(['pass', 'warn']);
    expect(verdicts(await look('https://loyalty.shop'))).toEqual(['pass']);
  });
});

describe('the signatures of webhooks', () => {
  it('name the command that enters the secret, and are not seen where none came', () => {
    const judging = { shops: ['one'], now: new Date(), credentials: [] };
    const judge = (refused: number, received: number) =>
      judgeSignatures({ 'signatures-refused': refused, received, signs: {} }, judging);
    expect(judge(72, 0)).toMatchObject({
      ...{ verdict: 'fail', what: expect.stringContaining('none accepted since') },
      next: [{ line: line('secrets set', ['webhook'], { rotate: true, shop: 'one' }) }],
    });
    expect([judge(2, 9).verdict, judge(0, 0).verdict]).toEqual(['pass', 'info']);
    expect(judge(1, 0)).toMatchObject({ verdict: 'unknown', next: [{}] });
  });
});

describe("the scopes of a shop's app", () => {
  const wanted = [
    { scope: 'read_orders', for: 'orders' },
    { scope: 'write_customers', for: 'balances' },
  ];
  const all = ['read_orders', 'write_customers', 'read_all_orders'];

  it('pass when all are there; a write scope includes its read scope', () => {
    expect(verdicts(judgeScopes(all, wanted))).toEqual(['pass']);
    const reading = wanted.map((one) => ({ ...one, scope: one.scope.replace('write', 'read') }));
    expect(verdicts(judgeScopes(all, reading))[0]).toBe('pass');
  });

  it('fail by name for what the settings ask for, and warn of orders out of sight', () => {
    const findings = judgeScopes(['read_customers'], wanted);
    expect(verdicts(findings)).toEqual(['fail', 'fail', 'warn']);
    expect(findings[0]?.what).toContain('read_orders, needed for orders');
    expect(findings[1]?.what).toContain('write_customers');
    expect(findings[2]?.what).toContain('60 days');
  });

  it('pass without an optional one', () => {
    const optional = { scope: 'read_rollouts', for: 'Rollouts', isOptional: true } as const;
    expect(verdicts(judgeScopes(all, [...wanted, optional]))).toEqual(['pass']);
  });

  it('are named when the settings do not need them', () => {
    const findings = judgeScopes([...all, 'write_orders', 'read_users'], wanted);
    expect(verdicts(findings)).toEqual(['pass', 'info']);
    expect(findings[1]?.what).toContain('scopes that nothing needs: write_orders, read_users');
  });
});

describe('the Rollouts of a shop', () => {
  it('are not known without the scope, and name it', () => {
    const [finding] = judgeRollouts({ kind: 'not-known', why: 'access-denied-read-rollouts' });
    expect(finding?.verdict).toBe('unknown');
    expect(finding?.fix).toContain('approve the scope read_rollouts');
    const away = judgeRollouts({ kind: 'unavailable', why: 'time-out' });
    expect(verdicts(away)).toEqual(['unknown']);
  });

  it('show which discounts follow one, and which are left out because only some buyers get them', () => {
    const change = (discountId: string, share: number) =>
      ({ discountId, does: 'activate', share }) as const;
    const rollout = {
      ...{ name: 'Launch', startedAt: undefined, endsAt: '2026-12-01T00:00:00.000Z' },
      changes: [change('11', 100), change('12', 40), change('13', 40)],
    };
    expect(judgeRollouts({ kind: 'read', rollouts: [rollout] })).toEqual([
      info(
        '"Launch" until 2026-12-01T00:00:00.000Z activates for 100 % of buyers: discounts 11; coupons follow it',
      ),
      info(
        expect.stringMatching(/activates for 40 % .* discounts 12, 13; .*coupon-for-some-buyers/),
      ),
    ]);
    expect(verdicts(judgeRollouts({ kind: 'read', rollouts: [] }))).toEqual(['pass']);
  });
});

describe('app secrets', () => {
  const one = { shop: 'one', webhook: ['s1'] };

  it('are not to be shared between shops, an older one included', () => {
    const two = { shop: 'two', webhook: ['s2', 's1'] };
    const findings = judgeAppSecrets([one, two]);
    expect(verdicts(findings)).toEqual(['warn']);
    expect(JSON.stringify(findings)).not.toContain('s1');
    expect(verdicts(judgeAppSecrets([one, { ...two, webhook: ['s2'] }]))).toEqual(['pass']);
  });
});

describe('checks', () => {
  const shown = ({ verdict, what }: Finding) => `${verdict} ${what}`;
  const run = async (checks: readonly Check[], timeoutMs?: number) =>
    (await runChecks(checks, {}, timeoutMs)).map(({ name, findings }) => [
      name,
      ...findings.map(shown),
    ]);

  it('are reported in their order, however long each takes, and one that throws could not ask', async () => {
    const results = await run([
      { name: 'slow', look: async () => sleep(30, [pass('fine')]) },
      { name: 'quick', look: async () => [pass('fine')] },
      { name: 'broken', look: () => Promise.reject(new Error('it broke')) },
    ]);
    expect(results).toEqual([
      ['slow', 'pass fine'],
      ['quick', 'pass fine'],
      ['broken', 'unknown Error: it broke'],
    ]);
  });

  it('that hang delay no other check', async () => {
    const hanging = { name: 'hanging', look: () => new Promise<never>(() => {}) };
    const results = await run([hanging, { name: 'other', look: async () => [pass('fine')] }], 20);
    expect(results).toEqual([
      ['hanging', 'unknown no answer within 0.02 s'],
      ['other', 'pass fine'],
    ]);
  });
});

describe('the findings of all checks', () => {
  const secrets = {
    name: 'secrets',
    findings: [
      { ...fail('never set'), shop: 'one', lacks: ['store secret'] },
      { ...pass('set'), shop: 'two' },
    ],
  };
  const store = {
    ...{ name: 'Admin API', needs: ['store secret'] },
    findings: [
      { ...unknown('no credentials'), shop: 'one' },
      { ...fail('refused'), shop: 'two' },
    ],
  };
  const currency = {
    ...{ name: 'currency', needs: ['Admin API'] },
    findings: [
      { ...unknown('no answer'), shop: 'one' },
      { ...pass('EUR'), shop: 'two' },
    ],
  };

  it('have the root cause first, and below it what follows from it in the same shop', () => {
    const { findings } = findingsBlock([currency, store, secrets], { all: false });
    expect(findings).toMatchObject([
      { tone: 'bad', name: 'Admin API', what: 'two: refused' },
      {
        ...{ tone: 'bad', name: 'secrets', what: 'one: never set' },
        follows: [{ name: 'Admin API', follows: [{ what: 'one: unknown: no answer' }] }],
      },
    ]);
    expect(JSON.stringify(findings)).not.toContain('EUR');
  });

  it('name each of what one command repairs, and the command once', () => {
    const sync = { label: 'Repair', line: line('webhooks sync') };
    const faults = ['a', 'b'].map((one) => fail(`${one} is missing`, sync));
    const { findings } = findingsBlock([{ name: 'subscriptions', findings: faults }]);
    expect(findings.map(({ what, next }) => [what, next?.length])).toEqual([
      ['a is missing', undefined],
      ['b is missing', 1],
    ]);
  });

  it('are well only where everything could be asked', () => {
    const kind = (...findings: readonly Finding[]) => verdictOf([{ name: '', findings }]).kind;
    expect(kind(pass(''), warn(''), info(''))).toBe('ok');
    expect(kind(pass(''), unknown(''))).toBe('unknown');
    expect(kind(unknown(''), fail(''))).toBe('action required');
    const paused = { ...warn('all calls paused'), lacks: ['calls'] };
    expect(kind(pass(''), paused)).toBe('pending');
    const both = [paused, pass('')].map((one, index) => ({ name: `${index}`, findings: [one] }));
    expect(verdictOf(both).what).toBe('All calls paused. 1 warning, 1 passed.');
  });

  it('are counted so that the numbers add up', () => {
    const rest = { name: 'go-live', findings: [info('since')] };
    const none = { name: 'app secrets', findings: [] };
    const bad = { ...secrets, findings: secrets.findings.slice(0, 1) };
    const follows = { ...store, findings: store.findings.slice(0, 1) };
    expect(verdictOf([bad, follows, rest, none]).what).toBe('1 failed, 1 caused by that, 1 note.');
  });

  it('of one check are its verdict, and are not said twice', () => {
    const { verdict, blocks } = checksDocument('', [{ name: 'x', findings: [pass('12 right')] }]);
    expect([verdict?.what, blocks]).toEqual(['12 right.', []]);
  });
});

it('a second rotation is offered with what it ends', () => {
  const shops = [{ domain: 'example-store.myshopify.com' }];
  const of = { shop: 'example-store.myshopify.com', purpose: 'webhook', state: 'there' } as const;
  const saysOf = (olderUntil?: string) =>
    replaceSecrets(shops, [{ ...of, ...(olderUntil && { olderUntil }) }]).map(({ say }) => say);
  expect(saysOf()).toEqual([undefined, undefined, undefined]);
  expect(saysOf('2026-11-20T02:05:33Z')).toContainEqual(
    expect.stringContaining('you are asked first'),
  );
});

describe('a command that looks before it changes', () => {
  const blocksOf = async (found: Finding) => {
    const check = { name: 'webhooks', look: async () => [found] };
    const next = () => ({ label: 'Repair', line: line('webhooks sync') });
    const given = { title: 'Webhooks', yes: true, isWanted: () => false, next };
    return (await fixDocument(check, given)).blocks;
  };

  it('shows what is wrong before it is agreed to, also where that is one thing', async () => {
    const look = async () => [fail('22 of 22 subscriptions are missing')];
    const next = () => ({ label: 'Repair', line: line('webhooks sync') });
    const given = { title: 'Webhooks', yes: false, isWanted: () => true, next };
    const [shown, end] = (await fixDocument({ name: 'webhooks', look }, given)).blocks;
    expect(shown).toMatchObject({ findings: [{ what: '22 of 22 subscriptions are missing' }] });
    expect(end).toEqual(text('Nothing was changed.'));
  });

  it('says that there is nothing to do only where it could look', async () => {
    expect(await blocksOf(pass('12 right'))).toContainEqual(text('Nothing to do.'));
    expect(await blocksOf(unknown('the store did not answer'))).toContainEqual(
      text('Nothing was changed.'),
    );
  });
});
