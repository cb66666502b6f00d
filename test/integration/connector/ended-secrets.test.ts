import { describe, expect, it } from 'vitest';
import { sign } from '../../../shared/vendure/deliveries.ts';
import { orderAt, withId } from '../../fixtures/order-life.ts';
import { actionRequest } from '../../support/flow-action.ts';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { customerToken, newToken, openProgram, staffToken } from '../../support/running-program.ts';
import { proxyValues, signedQuery } from '../../support/signed-query.ts';

const connectors = runConnectors();

const VENDURE = 'vendure.example.com';
const vendure = { adminApi: `https://${VENDURE}/admin-api`, currency: 'EUR' };
const OLDER = 'older-secret-that-has-leaked';
const NEWER = 'newer-secret-of-the-app';

/** A shop of each platform, and everything at which an older secret can be tried; each gives a status. */
async function open() {
  const server = await connectors.open({
    shops: [{ domain: VENDURE, platform: 'vendure', vendure }],
  });
  const { connector, points, one, signUp } = await openProgram(connectors, {
    ...{ shops: [{ domain: SHOP }], storefront: { flow: {} } },
  });
  const robin = signUp();
  const olderToken = newToken();
  let tries = 0;
  const withToken = async (path: string, token: string) =>
    (await one.withToken(path, token)).status;

  const ENTRIES: Readonly<Record<string, (secret: string, token: string) => Promise<number>>> = {
    webhook: (secret) =>
      connector.post('orders/create', orderAt(1, {}, withId(++tries)), { secret }),
    async 'delivery of a Vendure server'(secret) {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const event = {
        id: `delivery-${++tries}`,
        kind: 'product',
        entityId: '1',
        change: 'changed',
      };
      const body = Buffer.from(JSON.stringify({ ...event, at: new Date().toISOString() }));
      const signature = sign(secret, timestamp, body);
      const headers = { 'x-loyalty-timestamp': timestamp, 'x-loyalty-signature': signature };
      const { status } = await server.receive({
        ...{ method: 'POST', target: '/vendure', headers, body },
      });
      return status;
    },
    async 'app proxy'(secret) {
      const query = signedQuery(proxyValues(SHOP, new Date(), robin), secret);
      return (await one.send('example-store/me', { query })).status;
    },
    'session token of a customer': (secret) =>
      withToken('account/view', customerToken(robin, {}, secret)),
    'session token of a till': (secret) =>
      withToken(`till/${robin}/view`, staffToken(undefined, {}, secret)),
    async 'action of a workflow'(secret) {
      const properties = { customer_id: robin, points: '1.0', reason: 'For Robin' };
      const run = { handle: 'loyalty-give-points', properties, runId: `run-${++tries}` };
      const request = actionRequest(run, { shop: SHOP, secret });
      return (await one.send('example-store/flow/give-points', request)).status;
    },
    'point event': (_, token) => points.request('example-store', '{}', token),
  };

  const opened = {
    pass: connector.pass,
    /** What becomes of the older secret and token, at every entry. */
    async store(older: { readonly previousUntil?: string } | undefined) {
      const secrets = { current: NEWER, ...(older && { previous: OLDER, ...older }) };
      await connector.keepSecret('example-store/webhook', secrets);
      await server.keepSecret('vendure/webhook', secrets);
      const previous = older && { previous: olderToken, ...older };
      await points.keepTokens('example-store', { current: newToken(), ...previous });
    },
    async answers(secret: string, token: string): Promise<Record<string, boolean>> {
      const answers: [string, boolean][] = [];
      for (const [entry, ask] of Object.entries(ENTRIES)) {
        const status = await ask(secret, token);
        expect(status, entry).toBeLessThan(500);
        answers.push([entry, status !== 401]);
      }
      return Object.fromEntries(answers);
    },
    older: () => opened.answers(OLDER, olderToken),
    newer: () => opened.answers(NEWER, points.tokenOf()),
    everywhere: (isAccepted: boolean) =>
      Object.fromEntries(Object.keys(ENTRIES).map((entry) => [entry, isAccepted])),
  };
  return opened;
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

describe('the older secret of a rotation', () => {
  /** A body that was signed with a leaked secret was accepted 211 days after the rotation. */
  it('ends at its moment at every entry, in processes that hold it, by their own clock', async () => {
    const { store, pass, older, newer, everywhere } = await open();
    await store({ previousUntil: inSeconds(420) });
    pass(301);
    expect(await older()).toEqual(everywhere(true));
    expect(await newer()).toEqual(everywhere(true));
    // What was read is still used.
    pass(118);
    expect(await older()).toEqual(everywhere(true));
    pass(2);
    expect(await older()).toEqual(everywhere(false));
    expect(await newer()).toEqual(everywhere(true));
    pass(211 * 86_400);
    expect(await older()).toEqual(everywhere(false));
    expect(await newer()).toEqual(everywhere(true));
  });

  it.each([
    ['without an end', {}],
    ['with an end that is no moment', { previousUntil: 'tomorrow' }],
  ])('is accepted nowhere when it was stored %s', async (_, stored) => {
    const { store, pass, older, newer, everywhere } = await open();
    await store(stored);
    pass(301);
    expect(await older()).toEqual(everywhere(false));
    expect(await newer()).toEqual(everywhere(true));
  });

  it('that has leaked is accepted for five minutes at most, where it was in use', async () => {
    const { store, pass, older, newer, everywhere } = await open();
    await store({ previousUntil: inSeconds(86_400) });
    pass(301);
    expect(await older()).toEqual(everywhere(true));
    await store(undefined);
    pass(301);
    expect(await older()).toEqual(everywhere(false));
    expect(await newer()).toEqual(everywhere(true));
  });
});
