import { beforeAll, describe, expect, it } from 'vitest';
import { askLoyalty } from '../../support/ask-loyalty.ts';
import { runConnectors, SECOND_SHOP, SHOP } from '../../support/running-connector.ts';
import {
  type Asked,
  customerToken,
  openProgram,
  type Program,
  SECOND_CLIENT,
  SECOND_SECRET,
  staffToken,
} from '../../support/running-program.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: Program;
let robin: string;
beforeAll(async () => {
  world = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
  robin = await world.shopper('Robin', 250);
});

/** Refused like a request without any proof; nothing was asked of the service, and nothing moved. */
async function expectRefused(path: string, asked: Asked): Promise<void> {
  const { connector, one } = world;
  connector.newCalls();
  const ledger = await connector.ledgerText();
  const expected = await one.send('example-store/account/view');
  expect(expected).toMatchObject({ status: 401, json: { error: { code: 'bad-token' } } });
  expect(await one.send(path, asked)).toEqual(expected);
  expect(connector.newOperations()).toEqual([]);
  expect(await connector.ledgerText()).toBe(ledger);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const account = (changes: Readonly<Record<string, unknown>>) => customerToken(robin, changes);

/** Which tokens prove what is in prove-token.test.ts; here are those whose proof needs the settings and secrets. */
describe('a token', () => {
  it('for the account page that is right shows this customer', async () => {
    const newer = account({ dest: `https://${SHOP}`, iss: `https://${SHOP}/admin`, sid: '1' });
    for (const token of [customerToken(robin), newer]) {
      const { status, json: view } = await world.one.withToken('account/view', token);
      expect([status, view?.points]).toEqual([200, 250]);
    }
  });

  it.each<[string, () => string]>([
    ['signed with the secret of another shop', () => customerToken(robin, {}, SECOND_SECRET)],
    [
      'of another shop',
      () => customerToken(robin, { dest: SECOND_SHOP, aud: SECOND_CLIENT }, SECOND_SECRET),
    ],
    ['of another app', () => account({ aud: SECOND_CLIENT })],
  ])('for the account page %s is refused', async (_, tokenOf) => {
    const headers = bearer(tokenOf());
    await expectRefused('example-store/account/view', { headers });
    await expectRefused('example-store/account/redeem', { headers, body: world.click() });
  });

  it('is good at the address of its own shop only', async () => {
    for (const shop of ['second-store', 'third-store', 'EXAMPLE-STORE', '']) {
      await expectRefused(`${shop}/account/view`, { headers: bearer(customerToken(robin)) });
      await expectRefused(`${shop}/till/${robin}/view`, { headers: bearer(staffToken()) });
    }
  });
});

describe('a token of one customer', () => {
  it('is of the exact number, however large', async () => {
    const ids = ['9007199254740992', '9007199254740993', '9223372036854775807'];
    for (const [index, OriginalId] of ids.entries()) {
      const Email = `large.numberson${index}@example.com`;
      const member = { OriginalId, Name: 'Large', Email };
      await askLoyalty(world.loyalty, 'POST', '/Customer/upsert', member);
      await world.give(OriginalId, 1_001 + index);
      const { rows } = world.store;
      const [customer] = rows.customers.values();
      if (customer) rows.customers.put(OriginalId, { ...customer, id: OriginalId, email: Email });
    }
    for (const [index, id] of ids.entries()) {
      expect((await world.one.view(id)).points).toBe(1_001 + index);
      // A till asks the store, which a busy machine may answer too late: then it is asked again.
      const atTill = async () => (await world.one.till(id, 'view')).json.points;
      await expect.poll(atTill).toBe(1_001 + index);
    }
    expect((await world.one.view('9007199254740994')).points).toBeNull();
  });
});
