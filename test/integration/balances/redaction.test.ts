import { afterEach, describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../../local/harness/sdk-clients.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import type { Redemption } from '../../../shared/core/redemptions/redemption.ts';
import {
  redemptionsKey,
  rememberRedemptions,
} from '../../../shared/core/redemptions/redemption-record.ts';
import { persons } from '../../fixtures/persons.ts';
import { bodyOf } from '../../fixtures/store-event.ts';
import { createConfidential } from '../../support/disclosure.ts';
import { openBalances } from '../../support/running-balances.ts';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

const connectors = runConnectors();
let stop: (() => Promise<void>) | undefined;
afterEach(async () => stop?.());

const { quillane } = persons;

/** All that anybody could recognise the person by, and the code that was made for them. */
const person = createConfidential();
const { first_name, last_name, email, phone } = quillane;
person.addPersonal({ customer: { first_name, last_name, email, phone } });
person.addSecret('QUILL-7QK2M9XA');

async function open() {
  const both = await openStoreAndConnector(connectors, { seed: 11 });
  stop = both.stop;
  const balances = await openBalances(both.connector);
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
  const ledger = createDynamoDbLedger({
    client: createDynamoDbClient({ budget }),
    table: both.connector.name,
  });
  return { ...both, balances, ledger };
}

type World = Awaited<ReturnType<typeof open>>;

async function settle({ store, connector, balances }: World): Promise<void> {
  await store.deliveries.settled();
  await connector.settle();
  await balances.forward();
  await balances.settle();
}

/** Everything that the person leaves behind while they buy, save and redeem. */
async function live(world: World): Promise<string> {
  const { store, connector, ledger } = world;
  const { id } = store.actions.createCustomer({
    firstName: first_name,
    lastName: last_name,
    email,
    phone,
  });
  const buy = () => {
    const lines = [{ title: 'Kettle', price: 64.9, quantity: 1 }];
    const order = store.actions.placeOrder({ customerId: id, lines, payment: 'paid' });
    store.actions.fulfilOrder({ orderId: order.id });
  };
  store.actions.createDiscount({ percentage: 10, codes: ['ONLYYOU'], customerIds: [id] });
  buy();
  await settle(world);
  connector.loyalty.faults.add({ kind: 'business-error', code: 50, operation: 'sendOrder' });
  buy();
  await settle(world);
  connector.loyalty.faults.clear();
  const at = new Date().toISOString();
  const code = { code: 'QUILL-7QK2M9XA', kind: 'fixed', value: 5, startsAt: at } as const;
  const terms = { title: 'Five off', points: 50, kind: 'fixed', value: 5 } as const;
  const redemption: Redemption = {
    id: 'A1',
    rewardId: 1,
    clientKeys: [],
    terms: { ...terms, combines: false, codePrefix: 'QUILL', limited: false },
    intendedAt: at,
    since: at,
    state: { at: 'ready', code, discountId: 'gid://shopify/DiscountCodeNode/1' },
  };
  const book = rememberRedemptions({ redemptions: [redemption], intents: [] });
  await ledger.write(
    redemptionsKey({ shop: SHOP, customerId: id }),
    { version: Date.now(), uncertain: false, remembered: book, outcomes: [] },
    undefined,
  );
  return id;
}

/** The bodies in dead letters, as a person would read them. */
async function lettersOf({ connector, balances }: World): Promise<string[]> {
  const letters = [...(await connector.deadLetters()), ...(await balances.deadLetters())];
  return letters.map(({ body }) => {
    const decoded = decodeEvent(body);
    const carried = decoded.kind === 'event' ? bodyOf(decoded.event) : undefined;
    return `${body} ${carried ? Buffer.from(carried).toString('utf8') : ''}`;
  });
}

describe('a customer whom the store asks to be redacted', () => {
  it('leaves neither a name nor a balance nor a code in the ledger, and nothing on its way', async () => {
    const world = await open();
    const id = await live(world);
    const before = await world.connector.ledgerText();
    expect(person.disclosedIn([before]).length).toBeGreaterThanOrEqual(5);
    expect(before).toMatch(/b1\{/);

    world.store.actions.redactCustomer({ customerId: id });
    await settle(world);
    const text = await world.connector.ledgerText();
    expect(person.disclosedIn([text])).toEqual([]);
    for (const form of ['b1{', 'r1{', email, '54.08']) expect(text).not.toContain(form);
    expect(await world.connector.waiting()).toBe(0);
    expect(await world.balances.waiting()).toBe(0);
    // Told in docs/security.md: the number by which the store knows the person stays, and says no more.
    expect(text).toContain(`customer|${SHOP}|${id}`);
    // Told there too: what was a dead letter before stays one, as long as it is kept or until it is dropped.
    expect(person.disclosedIn(await lettersOf(world))).toContain(email);
  });
});
