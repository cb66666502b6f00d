import { beforeAll, describe, expect, it } from 'vitest';
import { askLoyalty } from '../../support/ask-loyalty.ts';
import { runConnectors, SECOND_SHOP, SHOP } from '../../support/running-connector.ts';
import {
  type Asked,
  customerToken,
  nowSeconds,
  openProgram,
  type Program,
  SECOND_CLIENT,
  SECOND_SECRET,
  STAFF,
  staffToken,
} from '../../support/running-program.ts';
import { CLIENT_ID } from '../../support/store-and-connector.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: Program;
let robin: string;
let sasha: string;
beforeAll(async () => {
  world = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
  robin = await world.shopper('Robin', 250);
  sasha = await world.shopper('Sasha', 7_777);
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
    ['without a signature', () => customerToken(robin).replace(/[^.]*$/, '')],
    ['signed with the client id', () => customerToken(robin, {}, CLIENT_ID)],
    ['signed with the secret of another shop', () => customerToken(robin, {}, SECOND_SECRET)],
    [
      'of another shop',
      () => customerToken(robin, { dest: SECOND_SHOP, aud: SECOND_CLIENT }, SECOND_SECRET),
    ],
    ['for another shop', () => account({ dest: SECOND_SHOP })],
    ['of another app', () => account({ aud: SECOND_CLIENT })],
    ['that has expired', () => account({ exp: nowSeconds() - 11 })],
    ['of a member of the staff', () => staffToken()],
  ])('for the account page %s is refused', async (_, tokenOf) => {
    const headers = bearer(tokenOf());
    await expectRefused('example-store/account/view', { headers });
    await expectRefused('example-store/account/redeem', { headers, body: world.click() });
  });

  it.each<[string, () => string]>([
    ['of the customer', () => customerToken(robin)],
    ['of another shop', () => staffToken(STAFF, { dest: `https://${SECOND_SHOP}` })],
    ['of another app', () => staffToken(STAFF, { aud: SECOND_CLIENT })],
    ['that has expired', () => staffToken(STAFF, { exp: nowSeconds() - 11 })],
  ])('for the till %s is refused', async (_, tokenOf) => {
    const headers = bearer(tokenOf());
    await expectRefused(`example-store/till/${robin}/view`, { headers });
    await expectRefused(`example-store/till/${robin}/redeem`, { headers, body: world.click() });
    await expectRefused(`example-store/till/${robin}/challenge`, { headers, body: {} });
  });

  it('is good at the address of its own shop only', async () => {
    for (const shop of ['second-store', 'third-store', 'EXAMPLE-STORE', '']) {
      await expectRefused(`${shop}/account/view`, { headers: bearer(customerToken(robin)) });
      await expectRefused(`${shop}/till/${robin}/view`, { headers: bearer(staffToken()) });
    }
  });

  it('beside the proof of the app proxy names no other customer', async () => {
    const headers = bearer(customerToken(sasha));
    const { json: view } = await world.one.proxy(robin, 'view', {}, { headers });
    expect(view.points).toBe(250);
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

  it('spends nothing of another', async () => {
    for (const field of ['customer', 'customerId', 'sub', 'shop', 'answer', '__proto__']) {
      const body = `{${JSON.stringify(world.click()).slice(1, -1)},"${field}":"${sasha}"}`;
      const { status } = await world.one.account(robin, 'redeem', { body });
      expect([field, status]).toEqual([field, 400]);
    }
    const before = world.pointsOf(sasha);
    const own = await world.one.account(robin, 'redeem', { body: world.click(3) });
    expect([own.status, own.json.redemption.state]).toEqual([200, 'ready']);
    expect([world.pointsOf(robin), world.pointsOf(sasha)]).toEqual([200, before]);
    expect((await world.one.view(sasha)).redemptions).toEqual([]);
    const again = { ...world.click(3), clientKey: own.json.redemption.id };
    const other = await world.one.account(sasha, 'redeem', { body: again });
    expect(other.answerText).not.toContain(own.json.redemption.code);
    await world.rest();
    expect(world.pointsOf(robin)).toBe(200);
  });
});
