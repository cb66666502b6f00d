import { describe, expect, it } from 'vitest';
import { canTypeInto, typeInto } from '../../support/connector-command.ts';
import {
  placeOrder,
  SECRETS,
  SHOP,
  useOperatedConnector,
} from '../../support/operated-connector.ts';

const connector = useOperatedConnector();

const NEW_SECRET = 'webhook-secret-new-d04f13';

describe('loyalty-connector secrets set', () => {
  it('stores what a pipe gives it and says when it is used and what to run next', async () => {
    const given = { token: 'other-token-77aa01', key: 'other-key-88bb02' };
    for (const secret of Object.values(given)) connector.confidential.addSecret(secret);
    const { code, stdout, stderr } = await connector.run(
      'secrets set loyalty --untried',
      JSON.stringify(given),
    );
    expect(stdout).toContain('UNKNOWN\n  Untried: ');
    expect(code).toBe(4);
    expect(stderr).toContain(`The loyalty secret of ${SHOP} is stored`);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'within 5 seconds where the older one is refused, otherwise within 5 minutes',
    );
    expect(stdout).toContain('npx loyalty-connector status');
    expect(await connector.secret('loyalty')).toEqual(given);
    await connector.keepSecret('loyalty', JSON.stringify(SECRETS.loyalty));
  });

  it.each([
    [
      'loyalty',
      { token: 'wrong-token-31', key: 'wrong-key-32' },
      'the loyalty service refuses them',
    ],
    [
      'store',
      { accessToken: 'shpat_wrong-33' },
      `the Admin API of ${SHOP} refuses the connector (unauthorized)`,
    ],
  ] as const)(
    'tries %s credentials, and stores none that are refused',
    async (purpose, given, words) => {
      for (const secret of Object.values(given)) connector.confidential.addSecret(secret);
      const { code, stderr } = await connector.run(`secrets set ${purpose}`, JSON.stringify(given));
      expect(stderr).toContain(`Nothing was stored: ${words}`);
      expect(stderr).toContain('--untried');
      expect(code).toBe(1);
      expect(await connector.secret(purpose)).toEqual(SECRETS[purpose]);

      const right = await connector.run(`secrets set ${purpose}`, JSON.stringify(SECRETS[purpose]));
      expect(right.stdout).toMatch(/^ {2}The (store|loyalty service) accepts the credentials\.$/m);
      expect(right.code).toBe(0);
    },
  );

  it('says that a service does not answer, and stores only when it need not be tried', async () => {
    connector.loyalty.faults.add({ kind: 'outage' });
    const input = JSON.stringify(SECRETS.loyalty);
    const down = await connector.run('secrets set loyalty', input);
    expect(down.stderr).toContain('the loyalty service gave no usable answer');
    expect(down.stderr).toContain('To store it untried: --untried');
    expect(down.code).toBe(1);
    expect((await connector.run('secrets set loyalty --untried', input)).code).toBe(4);
    connector.loyalty.faults.clear();
  });

  it('rotates a webhook secret with an overlap, which ends by itself', async () => {
    connector.confidential.addSecret(NEW_SECRET);
    // As it is pasted, with an end of line.
    const input = `${NEW_SECRET}\n`;
    const replaced = await connector.run('secrets set webhook', input);
    expect(replaced.code).toBe(1);
    expect(replaced.stderr).toContain('--rotate accepts both for a while');
    expect(await connector.secret('webhook')).toEqual(SECRETS.webhook);

    const rotated = await connector.run('secrets set webhook --rotate', input);
    expect(rotated.code).toBe(0);
    // Nobody can try it.
    expect(rotated.stdout).toContain('The next webhook shows');
    expect(rotated.stdout).not.toContain('OK');
    const both = (await connector.secret('webhook')) as Readonly<Record<string, string>>;
    const previousUntil = expect.any(String);
    expect(both).toEqual({ current: NEW_SECRET, previous: SECRETS.webhook.current, previousUntil });
    const inHours = (Date.parse(both.previousUntil ?? '') - Date.now()) / 3_600_000;
    expect(inHours).toBeGreaterThan(23);
    expect(inHours).toBeLessThanOrEqual(24);
    const end = both.previousUntil?.slice(0, 16).replace('T', ' ');
    expect(rotated.stdout).toContain(`The older secret is accepted until ${end}`);
    expect(rotated.stdout).not.toContain('plugin');
    const seen = (await connector.run('status')).stdout;
    expect(seen).toContain(`the older webhook secret is accepted until ${end?.slice(0, 10)}`);

    const again = await connector.run('secrets set webhook --rotate', input);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('This secret is already stored');
    expect(await connector.secret('webhook')).toEqual(both);

    const third = JSON.stringify({ current: 'webhook-secret-third-a8' });
    connector.confidential.addSecret('webhook-secret-third-a8');
    const hasty = await connector.run('secrets set webhook --rotate', third);
    expect(hasty.code).toBe(1);
    expect(hasty.stderr).toContain('A rotation is already running');
    expect(hasty.stderr).toContain('If the newest was mistyped, leave --rotate out');
    expect(await connector.secret('webhook')).toEqual(both);

    // What was mistyped is corrected, and what the store signs with until then stays accepted.
    expect((await connector.run('secrets set webhook --yes', third)).code).toBe(0);
    expect(await connector.secret('webhook')).toEqual({
      ...{ ...both, current: 'webhook-secret-third-a8' },
    });

    await connector.keepSecret('webhook', JSON.stringify(SECRETS.webhook));
  });

  it('replaces a webhook secret that has leaked without an overlap and without a question', async () => {
    const set = (secret: string) => connector.run('secrets set webhook --leaked', `${secret}\n`);
    const same = await set(SECRETS.webhook.current);
    expect(same.stderr).toContain('This secret is already stored');
    expect(same.code).toBe(1);

    const leaked = await set(NEW_SECRET);
    expect(leaked.stdout).toMatch(/older one are accepted for at most 5 more minutes/);
    expect(leaked.code).toBe(0);
    expect(await connector.secret('webhook')).toEqual({ current: NEW_SECRET });

    // During a rotation both end, unless the newest is given; the older one is never taken for it.
    const third = 'webhook-secret-third-b9';
    connector.confidential.addSecret(third);
    await connector.run('secrets set webhook --rotate', third);
    expect((await set(NEW_SECRET)).stderr).toContain('This secret is already stored');
    expect(await connector.secret('webhook')).toMatchObject({ previous: NEW_SECRET });
    expect((await set(third)).code).toBe(0);
    expect(await connector.secret('webhook')).toEqual({ current: third });
    await connector.keepSecret('webhook', JSON.stringify(SECRETS.webhook));
  });

  it('tries the secret of an app with a client id before it is stored', async () => {
    const { clientId, clientSecret } = connector.store.credentials;
    const app = { clientId, clientSecret };
    await connector.keepSecret('store', JSON.stringify(app));
    connector.confidential.addSecret('mistyped-secret-f2');
    const mistyped = await connector.run('secrets set webhook --rotate', 'mistyped-secret-f2');
    expect(mistyped.stderr).toContain(`Nothing was stored: the Admin API of ${SHOP} refuses`);
    expect(mistyped.code).toBe(1);
    expect(await connector.secret('webhook')).toEqual(SECRETS.webhook);

    connector.store.rotateSecret(NEW_SECRET);
    const right = await connector.run('secrets set webhook --rotate', NEW_SECRET);
    expect(right.stdout).toContain('The store accepts it as the secret of its app.');
    // Once the older one is revoked, it opens the store no more.
    expect(right.stdout).toContain('npx loyalty-connector secrets set store');
    expect(right.code).toBe(0);
    connector.store.rotateSecret(SECRETS.webhook.current);
    for (const purpose of ['store', 'webhook'] as const) {
      await connector.keepSecret(purpose, JSON.stringify(SECRETS[purpose]));
    }
  });

  it('does not count a secret that has ended as one of three', async () => {
    const ended = { current: 'secret-now-51c', previous: 'secret-then-52d' };
    for (const secret of Object.values(ended)) connector.confidential.addSecret(secret);
    const previousUntil = new Date(Date.now() - 1_000).toISOString();
    await connector.keepSecret('webhook', JSON.stringify({ ...ended, previousUntil }));
    expect((await connector.run('status')).stdout).not.toContain('older webhook secret');
    connector.confidential.addSecret(NEW_SECRET);
    const rotated = await connector.run('secrets set webhook --rotate', NEW_SECRET);
    expect(rotated.code).toBe(0);
    expect(await connector.secret('webhook')).toMatchObject({
      ...{ current: NEW_SECRET, previous: ended.current },
    });
    await connector.keepSecret('webhook', JSON.stringify(SECRETS.webhook));
  });

  it.runIf(canTypeInto)('asks in a terminal and shows nothing of what is typed', async () => {
    const typed = {
      'token (not shown): ': 'typed-token-19c3',
      'key (not shown): ': 'typed-key-55e0',
    };
    for (const secret of Object.values(typed)) connector.confidential.addSecret(secret);
    const { code, screen } = await typeInto(
      'secrets set loyalty --untried',
      connector.folder,
      typed,
    );
    expect(connector.confidential.disclosedIn([screen])).toEqual([]);
    expect(screen).toContain(`${SHOP}: the loyalty service's token (not shown): `);
    expect(screen).toContain('is stored');
    expect(code).toBe(4);
    const [token, key] = Object.values(typed);
    expect(await connector.secret('loyalty')).toEqual({ token, key });
    await connector.keepSecret('loyalty', JSON.stringify(SECRETS.loyalty));
  });

  it.runIf(canTypeInto)('stores nothing when the person gives up', async () => {
    const gaveUp = { 'token (not shown): ': '\u0003' };
    const { code, screen } = await typeInto('secrets set loyalty', connector.folder, gaveUp);
    expect(screen).toContain('Nothing was stored');
    expect(code).not.toBe(0);
    expect(await connector.secret('loyalty')).toEqual(SECRETS.loyalty);
  });

  it.each([
    ['no JSON', 'secret', 'pipe in {"token": "…", "key": "…"}'],
    ['a field too few', '{"token":"t-111111"}', 'key must be a text that is not empty'],
    ['a misspelt field', '{"tokn":"t-111111","key":"k-222222"}', 'tokn is not a field'],
    ['a value torn by a line break', '{"token":"t-111111\\n","key":"k-222222"}', 'token contains'],
    ['a token that would swallow the key', '{"token":"a:b","key":"k-222222"}', 'colon'],
  ])('stores nothing when the input holds %s', async (_, input, words) => {
    const { code, stderr } = await connector.run('secrets set loyalty', input);
    expect(stderr).toContain(words);
    expect(code).toBe(1);
    expect(await connector.secret('loyalty')).toEqual(SECRETS.loyalty);
  });

  /** Its messages waited for up to half an hour, and the worker kept the refused credentials for five minutes. */
  it('sends within seconds what waited for the credentials', async () => {
    await connector.keepSecret('loyalty', JSON.stringify({ token: 'revoked-1', key: 'revoked-2' }));
    await placeOrder(connector);
    await connector.work();
    const orders = () => connector.loyalty.state().orders.length;
    expect(orders()).toBe(0);

    const set = await connector.run('secrets set loyalty', JSON.stringify(SECRETS.loyalty));
    expect(set.stdout).toContain('The loyalty service accepts the credentials.');
    expect(set.stdout).toContain('Retrying 1 message in 6 seconds: orders 1.');
    const sent = async () => {
      await connector.work();
      return orders();
    };
    await expect.poll(sent, { timeout: 120_000, interval: 500 }).toBe(1);
  });
});
