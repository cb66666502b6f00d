import { describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { noteMerge } from '../../../shared/core/ledger/merged-customer.ts';
import { orderAt, storeOrderOf, withId } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';

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
  it('are read with the entries, and a merged one is recognized', async () => {
    const { connector, asked, merge, customerOf } = await openBatch([1, 2]);
    await merge();
    asked.length = 0;
    await connector.work('orders');
    expect(asked).toEqual([
      ['control', 'order', 'order', 'customer', 'member', 'customer', 'member'],
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

  it.each([
    ['the settings send no customers', { customers: 'with-orders' }, { fulfilledAfterDays: 1 }],
    ['the order is not completed, and skipped', { pendingOrders: 'skip' }, {}],
  ] as const)('are not read where %s', async (_, rules, spec) => {
    const { connector, asked } = await openBatch([], rules);
    await connector.deliver({ topic: 'orders/updated', payload: orderAt(1, spec) });
    await connector.work('orders');
    expect(asked).toEqual([['control', 'order']]);
  });
});
