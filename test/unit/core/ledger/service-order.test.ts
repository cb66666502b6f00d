import { describe, expect, it } from 'vitest';
import { toItem } from '../../../../shared/aws/ledger-item.ts';
import {
  cancelKey,
  countsOf,
  ledgerKeyText,
  ownCount,
  type ServiceOrder,
} from '../../../../shared/core/ledger/ledger.ts';
import type { WantedOrder } from '../../../../shared/core/mapping/wanted-state.ts';
import {
  afterStep,
  nextCall,
  type RefundSettings,
} from '../../../../shared/core/sync/decide-order.ts';
import { SHOP } from '../../../support/in-process-connector.ts';
import { exactly, openScene, type Scene } from '../../../support/order-scene.ts';

const record: ServiceOrder = {
  ...{ completedAt: '2026-10-09T11:00:00.000Z', total: 50_000, products: [], taken: 0 },
};

describe('what an order counts in the service', () => {
  it('is what it was told less what was taken, nothing once it ended, and not known while it is pending', () => {
    expect(countsOf(record)).toBe(50_000);
    expect(countsOf({ ...record, taken: 20_000 })).toBe(30_000);
    expect(countsOf({ ...record, ended: true })).toBe(0);
    const { completedAt: _, ...pending } = record;
    expect(countsOf(pending)).toBeUndefined();
  });

  it('is ours without the difference of the integration that sent it', () => {
    expect(ownCount({ ...record, total: 57_000, theirs: 7_000, taken: 20_000 })).toBe(30_000);
    expect(ownCount({ ...record, total: 43_000, theirs: -7_000 })).toBe(50_000);
  });
});

function entryOf({ shop }: Scene, id: string) {
  const key = { shop: SHOP, kind: 'order', id } as const;
  const entry = shop.connector.ledger.entries.get(ledgerKeyText(key));
  if (!entry) throw new Error('no entry');
  return { key, entry };
}

/** As DynamoDB bills it: names and values count, types do not; numbers count less than their text. */
function itemSize(scene: Scene, id: string): number {
  const { key, entry } = entryOf(scene, id);
  const item = toItem(key, entry, entry.revision, '0123456789abcdef0123');
  return Object.entries(item)
    .map(([name, value]) => Buffer.byteLength(name + Object.values(value).join('')))
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Of an item: what one write costs one unit for. */
const WRITE_UNIT = 1_024;

describe('the record of an order is bounded', () => {
  it('under a kilobyte after two changes of an ordinary order, and after each step before', async () => {
    const scene = openScene();
    const order = await scene.sell({
      shipping: 4.9,
      lines: [
        { title: 'Coat', price: 79.9, quantity: 2 },
        { title: 'Shirt', price: 24.95, quantity: 1 },
      ],
    });
    const sizes = [itemSize(scene, order.id)];
    for (const title of ['Coat', 'Shirt']) {
      scene.pass(1);
      order.refund({ [title]: 1 });
      await scene.process();
      sizes.push(itemSize(scene, order.id));
    }
    expect(await order.settled()).toEqual(exactly(79.9));
    console.log(`the item of an ordinary order: ${sizes.join(', ')} bytes`);
    expect(Math.max(...sizes)).toBeLessThan(WRITE_UNIT);
  });

  it('keeps a sum, not a list: 1,000 refunds', () => {
    const refunds = 1_000;
    const settings: RefundSettings = {
      refunds: 'partial-cancel',
      raiseAfterPartialCancel: 'park',
      ordersAreReplaced: true,
    };
    const wantedOf = (pieces: number): WantedOrder => ({
      ...{ kind: 'order', id: '7', sold: [], changed: true, isFine: false },
      order: {
        ...{ OriginalId: '7', OrderTotal: pieces, IsCompleted: true },
        OrderCompletedDate: '2026-10-09T11:00:00.000Z',
        Products: [{ OriginalId: 'pen', Title: 'Pen', ProductPrice: pieces }],
      },
    });
    let known: ServiceOrder | undefined;
    const keys = new Set<string>();
    const sizes: number[] = [];
    for (let left = refunds + 1; left >= 1; left -= 1) {
      const wanted = wantedOf(left);
      const facts = { known: known !== undefined, record: known, tellAgain: false };
      const next = nextCall(wanted, facts, settings);
      if (next.kind === 'send') known = next.record;
      if (next.kind === 'take') {
        keys.add(cancelKey('7', next.step));
        const marked = { ...next.record, step: next.step };
        known = afterStep(wanted, marked, next.step) as ServiceOrder;
      }
      sizes.push(JSON.stringify(known).length);
      expect(countsOf(known ?? record)).toBe(left * 1_000);
    }
    expect(keys.size).toBe(refunds);
    expect(known).toMatchObject({ total: (refunds + 1) * 1_000, taken: refunds * 1_000 });
    // Only digits of the sums are added.
    expect((sizes.at(-1) ?? 0) - (sizes[0] ?? 0)).toBeLessThan(24);
  });
});
