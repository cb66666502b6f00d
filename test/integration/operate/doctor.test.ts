import { describe, expect, it } from 'vitest';
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
      'loyalty',
      'clock',
    ]) {
      expect(about(stdout, name), name).toEqual([expect.stringMatching(/^pass /)]);
    }
    expect(about(stdout, 'webhooks')[0]).toContain("takes the shop's signature and refuses");
    // Nobody has made the subscriptions yet.
    expect(about(stdout, 'subscriptions')[0]).toMatch(/^FAIL .*orders\/create is missing, and/);
    expect(stdout).toContain(`fix: npx loyalty-connector webhooks sync --shop ${SHOP}`);
    expect(about(stdout, 'alarms')[0]).toMatch(/^warn /);
    expect(about(stdout, 'assumptions')).toHaveLength(6);
    expect(code).toBe(1);
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
});
