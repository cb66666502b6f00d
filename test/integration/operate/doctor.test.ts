import { copyFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startLoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { checkOrigins } from '../../../scripts/connector/doctor/check-services.ts';
import { createLoyaltyClient } from '../../../shared/loyalty/client.ts';
import { SECRETS, SHOP, useOperatedConnector } from '../../support/operated-connector.ts';

const connector = useOperatedConnector();

/** The lines of one check. */
const about = (stdout: string, name: string) =>
  stdout.split('\n').filter((line) => line.slice(6).startsWith(`${name} `));

describe('loyalty-connector doctor', () => {
  it('says in one line each what is right, and how to fix what is not', async () => {
    const { code, stdout, stderr } = await connector.run('doctor');
    expect(stderr).toBe('');
    for (const name of [
      'settings',
      'stack',
      'AWS access',
      'secrets',
      'webhooks',
      'Admin API',
      'app',
      'currency',
      'loyalty',
      'clock',
    ]) {
      const judged = about(stdout, name).filter((line) => !line.startsWith('info'));
      expect(judged, name).toEqual([expect.stringMatching(/^pass /)]);
    }
    expect(about(stdout, 'go-live')[0]).toMatch(/: since \d{4}-\d\d-\d\dT[\d:.]+Z /);
    expect(about(stdout, 'webhooks')[0]).toContain("takes the shop's signature and refuses");
    // Nobody has made the subscriptions yet.
    expect(about(stdout, 'subscriptions')[0]).toMatch(/^FAIL .*orders\/create is missing, and/);
    expect(stdout).toContain(`fix: npx loyalty-connector webhooks sync --shop ${SHOP}`);
    expect(about(stdout, 'alarms')[0]).toMatch(/^info /);
    expect(about(stdout, 'assumptions').length).toBeGreaterThan(6);
    expect(about(stdout, 'order origin')[0]).toMatch(/^info /);
    expect(about(stdout, 'rewards')).toEqual([]);
    expect(code).toBe(1);
  });

  it('says how many webhooks were refused for their signature, with the fix, until some are accepted', async () => {
    const figure = (name: string, value: number, secondsAgo: number) => ({
      ...{ name, value, at: Date.now() - secondsAgo * 1_000, dimensions: {} },
    });
    connector.metrics.push(figure('received', 9, 900), figure('signatures-refused', 72, 600));
    const refused = (await connector.run('doctor')).stdout;
    expect(about(refused, 'webhooks')[1]).toMatch(/^FAIL .*72 webhooks were refused for their/);
    expect(refused.replace(/\s+/g, ' ')).toContain('UTC; none accepted since');
    expect(refused).toContain(
      `now: npx loyalty-connector secrets set webhook --rotate --shop ${SHOP}`,
    );
    connector.metrics.push(figure('received', 4, 60));
    const repaired = (await connector.run('doctor')).stdout;
    expect(about(repaired, 'webhooks')[1]).toMatch(/^warn /);
    expect(repaired.replace(/\s+/g, ' ')).toContain('UTC; 4 accepted since');
    connector.metrics.length = 0;
  });

  it('says that a shop of the settings was never deployed, instead of asking for its secrets', async () => {
    const outputs = { ...connector.outputs, SecretsPrefix: 'loyalty-connector/other' };
    await connector.describe({ outputs });
    const { stdout } = await connector.run('doctor');
    await connector.describe();
    expect(about(stdout, 'secrets')).toEqual([
      expect.stringMatching(/^FAIL .*is in the settings, but was never deployed/),
    ]);
    expect(stdout).toContain('fix: Stop "npm start" and start it again.');
    expect(stdout).not.toContain('secrets set');
  });

  it('names the settings file that it read', async () => {
    const file = `${connector.folder}/.connector/copied.config.ts`;
    await copyFile(`${connector.folder}/connector.config.ts`, file);
    await connector.describe({ settings: file });
    const { stdout } = await connector.run('doctor');
    await connector.describe();
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      '.connector/copied.config.ts, the copy of connector.config.ts that "npm start" runs with, is valid',
    );
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
    const { code, stdout } = await connector.run('doctor --json');
    await connector.keepSecret('loyalty', JSON.stringify(SECRETS.loyalty));
    await connector.keepSecret('store', JSON.stringify(SECRETS.store));
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout);
    const find = (name: string) =>
      checks.find((one: { name: string }) => one.name === name).findings[0];
    expect(find('loyalty')).toMatchObject({
      verdict: 'fail',
      fix: `npx loyalty-connector secrets set loyalty --shop ${SHOP}`,
      command: `npx loyalty-connector secrets set loyalty --shop ${SHOP}`,
    });
    expect(find('Admin API')).toMatchObject({
      verdict: 'fail',
      what: expect.stringContaining('unauthorized'),
      fix: `npx loyalty-connector secrets set store --shop ${SHOP}`,
    });
  });

  it('says that the webhook address cannot be reached, and goes on with the rest', async () => {
    await connector.describe({
      outputs: { ...connector.outputs, WebhookAddress: 'http://127.0.0.1:9', NextCommand: '' },
    });
    const { stdout } = await connector.run('doctor');
    await connector.describe();
    expect(about(stdout, 'webhooks')[0]).toMatch(/^FAIL .*cannot be reached/);
    expect(about(stdout, 'stack')[0]).toMatch(/^FAIL .*lacks the outputs NextCommand/);
    expect(about(stdout, 'loyalty')[0]).toMatch(/^pass /);
  });

  it('warns when command and stack are of different versions, with what to do', async () => {
    for (const [version, advice] of [
      ['0.0.1', 'fix: Stop "npm start" and start it again.'],
      ['99.0.0', 'npm install --save-exact loyalty-connector@99.0.0'],
    ] as const) {
      await connector.describe({ outputs: { ...connector.outputs, Version: version } });
      const { stdout } = await connector.run('doctor');
      await connector.describe();
      expect(about(stdout, 'stack')[0]).toMatch(/^pass /);
      expect(stdout).toContain(`warn  stack         the stack has version ${version}, `);
      expect(stdout).toContain(advice);
    }
  });
});

describe('the program in the loyalty service', () => {
  it('is shown reward by reward where there is a storefront, each title beside its reading', async () => {
    await connector.describe({ settings: resolve('local/harness/storefront.config.ts') });
    const { stdout } = await connector.run('doctor --json');
    await connector.describe();
    const { checks } = JSON.parse(stdout);
    const { findings } = checks.find((one: { name: string }) => one.name === 'rewards');
    const texts = findings.map((one: { what: string }) => one.what.replace(`${SHOP}: `, ''));
    expect(texts).toEqual(
      expect.arrayContaining([
        '"5 off" (reward 1): 5 off, from 20, 100 points, a code for this customer',
        '"10 percent off" (reward 2): 10 % off, 200 points, a code for this customer',
        '"A visit to the workshop" (reward 10): shown, not redeemable: custom reward',
      ]),
    );
    expect(texts.join()).not.toContain('50 off" (reward 7)');
    expect(findings[0].about).toEqual({
      ...{ kind: 'reward', shop: SHOP, id: 1, title: '5 off' },
      becomes: { kind: 'code', text: '5 off, from 20, 100 points, a code for this customer' },
    });
  });

  it.each([
    [0, 'warn', '1 of Origin 0'],
    [1, 'pass', 'none of Origin 0'],
  ] as const)(
    'is searched for orders of Origin 0: %i gives %s',
    async (orderOrigin, verdict, text) => {
      const sandbox = await startLoyaltySandbox({ settings: { orderOrigin } });
      const { address: baseUrl, credentials } = sandbox;
      const loyalty = createLoyaltyClient({ baseUrl, credentials });
      const now = new Date();
      await loyalty.sendOrder({
        OriginalId: '2',
        OrderPlacementDate: now.toISOString(),
        OrderTotal: 10,
        Customer: { OriginalId: '7', Email: 'sam@example.com' },
      });
      const changed = ['1', '2'].map((id) => ({
        id,
        updatedAt: now.toISOString(),
        value: undefined,
      }));
      const store = { changedOrders: async () => ({ kind: 'found' as const, value: { changed } }) };
      const [found] = await checkOrigins({ domain: SHOP }, store, loyalty, now);
      await sandbox.stop();
      expect(found).toMatchObject({ verdict, what: expect.stringContaining(text) });
      expect(found?.what).toContain('the service holds 1');
    },
  );
});
