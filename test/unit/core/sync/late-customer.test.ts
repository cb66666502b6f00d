import { describe, expect, it } from 'vitest';
import { noteMerge } from '../../../../shared/core/ledger/entry.ts';
import {
  contactHash,
  memberMemory,
  plainCustomerForm,
} from '../../../../shared/core/mapping/customer-form.ts';
import { isLateFor } from '../../../../shared/core/sync/decide.ts';
import { orderAt, storeOrderOf, withId } from '../../../fixtures/order-life.ts';
import { persons } from '../../../fixtures/persons.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';

const { quillane: gone, ...others } = persons;
const [kept = gone] = Object.values(others);

/** A batch of one completed order each; the store has them for the kept customer, as after a merge. */
async function openBatch(ids: readonly number[], rules = {}) {
  const connector = openConnector({ parallel: 1, rules });
  for (const id of ids) {
    const at = (person: typeof gone | typeof kept) =>
      orderAt(1, { fulfilledAfterDays: 1 }, withId(id), person);
    connector.store.putOrder(SHOP, storeOrderOf(at(kept)));
    await connector.deliver({ topic: 'orders/updated', payload: at(gone) });
  }
  const asked: string[][] = [];
  const { ledger } = connector;
  connector.parts.ledger = {
    ...ledger,
    readMany: (keys) => {
      asked.push(keys.map(({ kind }) => kind));
      return ledger.readMany(keys);
    },
  };
  const merge = () =>
    noteMerge({ shop: SHOP, id: String(gone.id) }, String(kept.id), {
      ...{
        ledger,
        now: new Date(connector.clock.ms),
        topic: 'customers/merge',
        retentionDays: 400,
      },
    });
  /** What happens while the first order is being sent. */
  const duringTheFirst = (happens: () => Promise<unknown>) => {
    connector.loyalty.world.interfere = (_, pass) => {
      connector.loyalty.world.interfere = undefined;
      void happens();
      return pass();
    };
  };
  const customerOf = (id: number) => {
    const { customerId } = connector.loyalty.rows.orders.get(String(id)) ?? {};
    return customerId === undefined ? undefined : Number(customerId);
  };
  return { connector, asked, merge, duringTheFirst, customerOf };
}

describe('the customers of a batch of orders', () => {
  it('are no reason to map an order again, unless what the ledger says of them changes it', async () => {
    let mapped = 0;
    const metadata = () => {
      mapped += 1;
      return {};
    };
    const { connector } = await openBatch([1, 2], { metadata });
    await connector.work('orders');
    expect(mapped).toBe(2);
    const late = await openBatch([3], { metadata });
    await late.merge();
    await late.connector.work('orders');
    // Before it is known that the customer was merged, and with the store's answer.
    expect(mapped).toBe(4);
    expect(late.customerOf(3)).toBe(kept.id);
  });

  it('are read with the entries, and a merged one is recognized', async () => {
    const { connector, asked, merge, customerOf } = await openBatch([1, 2]);
    await merge();
    asked.length = 0;
    await connector.work('orders');
    expect(asked).toEqual([
      ['control', 'order', 'order', 'customer', 'member', 'customer', 'member'],
      // The kept customer, whom the store names: were they redacted?
      ...[
        ['customer', 'member'],
        ['customer', 'member'],
      ],
    ]);
    expect([1, 2].map(customerOf)).toEqual([kept.id, kept.id]);
  });

  it('are read again where the batch has waited for long', async () => {
    const { connector, merge, duringTheFirst, customerOf } = await openBatch([1, 2]);
    duringTheFirst(() => {
      connector.clock.ms += 11_000;
      return merge();
    });
    await connector.work('orders');
    expect([1, 2].map(customerOf)).toEqual([gone.id, kept.id]);
  });

  it('are read once, with the entries, where none changed', async () => {
    const { connector, asked, customerOf } = await openBatch([1, 2]);
    await connector.work('orders');
    expect(asked).toHaveLength(1);
    expect([1, 2].map(customerOf)).toEqual([gone.id, gone.id]);
  });

  it('are not read where the order is not completed, and skipped', async () => {
    const { connector, asked } = await openBatch([], { pendingOrders: 'skip' });
    await connector.deliver({ topic: 'orders/updated', payload: orderAt(1, {}) });
    await connector.work('orders');
    expect(asked).toEqual([['control', 'order']]);
  });
});

describe('an order and the address that its customer has in the ledger', () => {
  const order = storeOrderOf(orderAt(1, { fulfilledAfterDays: 1 }, withId(1), gone));
  const { customer } = order;
  if (!customer) throw new Error('the order has no customer');
  const same = contactHash(plainCustomerForm(customer));
  const other = contactHash({ ...plainCustomerForm(customer), Email: 'other@example.com' });
  const phone = contactHash({ ...plainCustomerForm(customer), Phone: '+5511900000000' });

  it.each([
    ['is late where a newer address is another one', true, 11, other, 'event'],
    ['is late where a newer phone number is another one', true, 11, phone, 'event'],
    ['is not late where the newer address is the same', false, 11, same, 'event'],
    ['is late where another address is of the same second', true, 10, other, 'event'],
    ['is not late where the address is older', false, 9, other, 'event'],
    ['is not late where the store was asked', false, 11, other, 'store'],
    ['is not late where nothing of a person is remembered', false, 11, undefined, 'event'],
  ] as const)('%s', (_, isLate, version, contact, source) => {
    const known = contact && { remembered: memberMemory.write({ contact }) };
    const member = { version, uncertain: false, outcomes: [], revision: 1, ...known };
    const snapshot = {
      kind: 'snapshot',
      entity: { kind: 'order', order },
      source,
      version: 10,
    } as const;
    expect(isLateFor({ id: customer.id, record: undefined, member }, snapshot)).toBe(isLate);
  });
});
