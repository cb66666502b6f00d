import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import type { Redemption } from '../../../shared/rewards/redeem/redemption.ts';
import {
  redemptionsKey,
  rememberRedemptions,
} from '../../../shared/rewards/redeem/redemption-record.ts';
import { persons } from '../../fixtures/persons.ts';
import { bodyOf } from '../../fixtures/store-event.ts';
import { createConfidential } from '../../support/disclosure.ts';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { openProgram, type Program } from '../../support/running-program.ts';

const connectors = runConnectors();

const { quillane } = persons;

/** All that anybody could recognise the person by, and the code that was made for them. */
const person = createConfidential();
const { first_name, last_name, email, phone } = quillane;
person.addPersonal({ customer: { first_name, last_name, email, phone } });
person.addSecret('QUILL-7QK2M9XA');

/** Everything that the person leaves behind while they buy, save and redeem. */
async function live(program: Program): Promise<string> {
  const { store, connector } = program;
  const { id } = store.actions.createCustomer({
    firstName: first_name,
    lastName: last_name,
    email,
    phone,
  });
  store.actions.createDiscount({ percentage: 10, codes: ['ONLYYOU'], customerIds: [id] });
  program.buy(id, 54.08);
  await program.rest();
  connector.loyalty.faults.add({ kind: 'business-error', code: 50, operation: 'sendOrder' });
  program.buy(id, 54.08);
  await program.rest();
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
    state: {
      at: 'ready',
      code,
      discountId: 'gid://shopify/DiscountCodeNode/1',
      redeemedRewardId: 7,
    },
  };
  const book = rememberRedemptions({ redemptions: [redemption], intents: [] });
  await connector.deployment.ledger.write(
    redemptionsKey({ shop: SHOP, customerId: id }),
    { version: Date.now(), uncertain: false, remembered: book, outcomes: [] },
    undefined,
  );
  return id;
}

/** The bodies in dead letters, as a person would read them. */
async function lettersOf({ connector }: Program): Promise<string[]> {
  const letters = await connector.deadLetters();
  return letters.map(({ body }) => {
    const decoded = decodeEvent(body);
    const carried = decoded.kind === 'event' ? bodyOf(decoded.event) : undefined;
    return `${body} ${carried ? Buffer.from(carried).toString('utf8') : ''}`;
  });
}

describe('a customer whom the store asks to be redacted', () => {
  it('leaves neither a name nor a balance nor a code in the ledger, and nothing on its way', async () => {
    const world = await openProgram(connectors);
    const id = await live(world);
    const before = await world.connector.ledgerText();
    expect(person.disclosedIn([before]).length).toBeGreaterThanOrEqual(5);
    expect(before).toMatch(/b1\{/);

    world.store.actions.redactCustomer({ customerId: id });
    await world.rest();
    const text = await world.connector.ledgerText();
    expect(person.disclosedIn([text])).toEqual([]);
    for (const form of ['b1{', 'r1{', email, '54.08']) expect(text).not.toContain(form);
    expect(await world.connector.waiting()).toBe(0);
    // Told in docs/personal-data.md: the number by which the store knows the person stays, and says no more.
    expect(text).toContain(`customer|${SHOP}|${id}`);
    // Told there too: what was a dead letter before stays one, as long as it is kept or until it is dropped.
    expect(person.disclosedIn(await lettersOf(world))).toContain(email);
  });
});
