import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startLoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import type { Finding, ShopDeps } from '../../../scripts/connector/ground/checks/check.ts';
import { orderOriginCheck } from '../../../scripts/connector/ground/checks/loyalty.ts';
import { createLoyaltyClient } from '../../../shared/loyalty/client.ts';
import { SECRETS, SHOP, useOperatedConnector } from '../../support/operated-connector.ts';

const connector = useOperatedConnector();

type Found = Pick<Finding, 'verdict' | 'shop' | 'what' | 'fix' | 'lacks'> & {
  readonly next?: readonly { readonly line: string }[];
};

/** The document as a program gets it, and the findings by check. */
async function doctor() {
  const { code, stdout } = await connector.run('doctor --json');
  const { data, ...document } = JSON.parse(stdout);
  const about = (name: string): readonly Found[] =>
    data.checks.find((one: { name: string }) => one.name === name)?.findings ?? [];
  return { code, document, about };
}

/** On one line, however wide it was printed. */
const flat = (text: string) => text.replace(/\s+/g, ' ');

describe('loyalty-connector doctor', () => {
  it('prints what is wrong with its fix, and counts the rest', async () => {
    const { code, stdout, stderr } = await connector.run('doctor');
    expect(stderr).toBe('');
    expect(code).toBe(1);
    // Nobody has made the subscriptions yet.
    expect(stdout).toMatch(/^FAIL {2}subscriptions +(\d+) of \1 subscriptions are missing$/m);
    expect(stdout).toContain(`npx loyalty-connector webhooks sync --shop ${SHOP}`);
    expect(stdout).toMatch(/^ {2}1 failed, (\d+ warnings?, )?\d+ passed, \d+ notes\.$/m);
    expect(stdout).toContain('npx loyalty-connector doctor --all');
    expect(stdout).not.toMatch(/^(pass|info) /m);
  });

  it('says with --all what is right, too', async () => {
    const { stdout } = await connector.run('doctor --all');
    const judged = stdout.split('\n').filter((line) => /^(pass|warn|FAIL) /.test(line));
    for (const name of [
      ...['settings', 'stack', 'AWS access', 'secrets', 'webhooks'],
      ...['Admin API', 'app', 'currency', 'loyalty'],
    ]) {
      const own = judged.filter((line) => line.slice(6).startsWith(`${name} `));
      expect(own, name).toEqual([expect.stringMatching(/^pass /)]);
    }
    expect(flat(stdout)).toContain("accepts the shop's signature and refuses a forged one");
    expect(stdout).toMatch(/^info {2}go-live +since \d{4}-\d\d-\d\d [\d:]+ UTC /m);
    for (const name of ['alarms', 'order origin', 'signatures']) {
      expect(stdout).toMatch(new RegExp(`^info {2}${name} `, 'm'));
    }
    expect(stdout).not.toContain('rewards ');
    // A console shows them with a button to copy, because what is typed belongs into a terminal.
    for (const secret of ['webhook --rotate', 'loyalty', 'store']) {
      const [purpose, rotate = ''] = secret.split(' ');
      const of = `secrets set ${purpose}`;
      expect(stdout).toMatch(
        new RegExp(`^ +npx loyalty-connector ${of}(?=.* --shop ${SHOP}).*${rotate}`, 'm'),
      );
    }
  });

  it('says once that secrets were never set, with what follows from it below', async () => {
    const outputs = { ...connector.outputs, SecretsPrefix: 'loyalty-connector/other' };
    await connector.describe({ outputs });
    const { document } = await doctor();
    await connector.describe();
    const { findings } = document.blocks[0];
    expect(findings.filter(({ tone }: { tone: string }) => tone === 'bad')).toMatchObject([
      {
        ...{ name: 'secrets', what: expect.stringContaining('the webhook secret was never set') },
        next: [{ line: `npx loyalty-connector setup --shop ${SHOP}` }],
        follows: expect.arrayContaining([
          expect.objectContaining({ name: 'Admin API' }),
          expect.objectContaining({ name: 'loyalty' }),
        ]),
      },
    ]);
    expect(document.verdict.kind).toBe('action required');
  });

  it('says of a loyalty service that does not answer that it could not ask', async () => {
    await connector.run('webhooks sync --yes');
    connector.loyalty.faults.add({ kind: 'outage' });
    const { code, document, about } = await doctor();
    connector.loyalty.faults.clear();
    expect([code, document.verdict.kind]).toEqual([4, 'unknown']);
    expect(about('loyalty')).toMatchObject([{ verdict: 'unknown' }]);
    expect(about('order origin')).toMatchObject([
      { verdict: 'info', what: 'no order changed in the last 7 days' },
    ]);
  });

  it('leaves no trace of its own but what the receiver counts', async () => {
    await connector.work();
    expect(await connector.queues.waiting()).toBe(0);
    expect(await connector.queues.deadLetters()).toEqual([]);
  });

  it('names the secret that is wrong, with the reason of the service that refused it', async () => {
    const wrong = { token: 'wrong-token-0a1b2c', key: 'wrong-key-3d4e5f' };
    for (const secret of Object.values(wrong)) connector.confidential.addSecret(secret);
    await connector.keepSecret('loyalty', JSON.stringify(wrong));
    await connector.keepSecret('store', '{"accessToken":"shpat_wrong-99ff00"}');
    connector.confidential.addSecret('shpat_wrong-99ff00');
    const { code, about } = await doctor();
    await connector.keepSecret('loyalty', JSON.stringify(SECRETS.loyalty));
    await connector.keepSecret('store', JSON.stringify(SECRETS.store));
    expect(code).toBe(1);
    expect(about('loyalty')).toMatchObject([
      {
        ...{ verdict: 'fail', shop: SHOP },
        next: [{ line: `npx loyalty-connector secrets set loyalty --shop ${SHOP}` }],
      },
    ]);
    expect(about('Admin API')).toMatchObject([
      {
        ...{ verdict: 'fail', what: expect.stringContaining('unauthorized') },
        next: [{ line: `npx loyalty-connector secrets set store --shop ${SHOP}` }],
      },
    ]);
  });

  it('says that the webhook address cannot be reached, and goes on with the rest', async () => {
    await connector.describe({
      outputs: { ...connector.outputs, WebhookAddress: 'http://127.0.0.1:9', NextCommand: '' },
    });
    const { about } = await doctor();
    await connector.describe();
    const [webhooks, stack, loyalty] = ['webhooks', 'stack', 'loyalty'].map((one) => about(one)[0]);
    expect(webhooks).toMatchObject({
      ...{ verdict: 'unknown', what: expect.stringContaining('cannot be reached') },
    });
    expect(stack).toMatchObject({
      ...{ verdict: 'fail', what: expect.stringContaining('lacks the outputs NextCommand') },
    });
    expect(loyalty?.verdict).toBe('pass');
  });

  it('warns when command and stack are of different versions, with what to do', async () => {
    for (const [version, advice] of [
      ['0.0.1', 'Stop "npm start" and start it again.'],
      ['99.0.0', 'npm install --save-exact loyalty-connector@99.0.0'],
    ] as const) {
      await connector.describe({ outputs: { ...connector.outputs, Version: version } });
      const { about } = await doctor();
      await connector.describe();
      expect(about('stack')).toMatchObject([
        { verdict: 'pass' },
        {
          ...{ verdict: 'warn', what: expect.stringContaining(`has version ${version}, `) },
          fix: expect.stringContaining(advice),
        },
      ]);
    }
  });
});

describe('the program in the loyalty service', () => {
  it('is shown in one line where there is a storefront, the title of each reward beside what the settings say of its type', async () => {
    await connector.describe({ settings: resolve('local/harness/storefront.config.ts') });
    const { about } = await doctor();
    await connector.describe();
    const texts = about('rewards').map(({ what }) => what);
    expect(texts).toEqual([
      expect.stringMatching(
        /^9 active: "5 off" \(fixed 5\), "10 percent off" \(percent 10\), .*\(custom\)$/,
      ),
    ]);
    expect(texts.join()).not.toContain('50 off"');
  });

  it.each([
    [0, 'warn', '1 with Origin 0'],
    [1, 'info', 'none from a built-in integration (Origin 0)'],
  ] as const)(
    'is searched for orders of Origin 0: %i gives %s, and an outage that it is not known',
    async (origin, verdict, text) => {
      const sandbox = await startLoyaltySandbox();
      const { address: baseUrl, credentials } = sandbox;
      const loyalty = createLoyaltyClient({ baseUrl, credentials });
      const now = new Date();
      const order = {
        OriginalId: '2',
        OrderPlacementDate: now.toISOString(),
        OrderTotal: 10,
        Customer: { OriginalId: '7', Email: 'sam@example.com' },
      };
      if (origin === 0) sandbox.integrate({ operation: 'sendOrder', body: order });
      // Whoever sends it again, it stays of that origin.
      await loyalty.sendOrder(order);
      const changed = ['1', '2'].map((id) => ({
        id,
        updatedAt: now.toISOString(),
        value: undefined,
      }));
      const store = { changedOrders: async () => ({ kind: 'found' as const, value: { changed } }) };
      const services = () => ({ store, loyalty: () => loyalty });
      const deps = { shops: [{ domain: SHOP }], services } as unknown as ShopDeps;
      const [found] = await orderOriginCheck(deps, now).look();
      sandbox.faults.add({ kind: 'outage' });
      expect(await orderOriginCheck(deps, now).look()).toMatchObject([{ verdict: 'unknown' }]);
      await sandbox.stop();
      expect(found).toMatchObject({ verdict, what: expect.stringContaining(text) });
      expect(found?.what).toContain('the service holds 1');
    },
  );
});
