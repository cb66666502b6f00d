import { describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { type EntityEntry, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { rulesEffect } from '../../../shared/core/sync/preview-sync.ts';
import { orderAt, storeOrderOf } from '../../fixtures/order-life.ts';
import { rules } from '../../fixtures/store-entities.ts';

const KEY = { shop: SHOP, kind: 'order', id: '5512345678901' } as const;
const line = { product: 1, priceCents: 6000, quantity: 2, discountCents: 0, takenBack: 0 };
/** Two shirts of 60.00, of which 10.00 is tax. */
const shirts = { lines: [line], taxPercent: 20, taxesIncluded: true };
const shipped = { ...shirts, fulfilledAfterDays: 1 };
const withTaxes = { ...rules, taxes: 'include' } as const;
const withoutTaxes = { ...rules, taxes: 'exclude' } as const;

/** The entry of an order that was sent with taxes. */
async function entryOf(spec: object, changes = {}): Promise<EntityEntry> {
  const connector = openConnector({ rules: { taxes: 'include' } });
  const payload = orderAt(1, spec, changes);
  connector.store.putOrder(SHOP, storeOrderOf(payload));
  await connector.deliver({ topic: 'orders/updated', payload });
  await connector.drain();
  const entry = connector.ledger.entries.get(ledgerKeyText(KEY));
  if (!entry) throw new Error('no entry');
  return entry;
}

const effect = (
  spec: object,
  entry: EntityEntry | undefined,
  today: typeof rules | typeof withTaxes = withoutTaxes,
) => rulesEffect(KEY, storeOrderOf(orderAt(1, spec)), entry, today, new Date('2026-10-09T12:00Z'));

describe('what counting an order by the rules of today changes', () => {
  it('is the taxes: 120 → 100 points', async () => {
    const found = effect(shipped, await entryOf(shipped));
    expect(found).toMatchObject({ before: 120, after: 100, wantedKey: expect.any(String) });
  });

  it('is counted from what is left after a refund: 60 → 50 points', async () => {
    const { amounts, ...entry } = await entryOf(shipped);
    if (!amounts) throw new Error('no amounts');
    const oneBack = { ...shipped, lines: [{ ...line, takenBack: 1 }] };
    const refunded = { ...entry, amounts: { ...amounts, taken: 60_000 } };
    expect(effect(oneBack, refunded)).toMatchObject({ before: 60, after: 50 });
  });

  it('is no amount, but the rules that it keeps: of an order that has no points yet', async () => {
    expect(effect(shirts, await entryOf(shirts))).toMatchObject({ before: 0, after: 0 });
  });

  it('is nothing under the same rules', async () => {
    expect(effect(shipped, await entryOf(shipped), withTaxes)).toBeUndefined();
    expect(effect(shirts, await entryOf(shirts), withTaxes)).toBeUndefined();
  });

  it('is nothing for a change of the store that earns no points, or a rule that is not about it', async () => {
    const entry = await entryOf(shipped);
    const tagged = storeOrderOf(orderAt(2, shipped, { source_name: 'app' }));
    const now = new Date('2026-10-09T12:00Z');
    expect(rulesEffect(KEY, tagged, entry, withTaxes, now)).toBeUndefined();
    const other = { ...withTaxes, customersWithoutEmail: 'send' } as const;
    expect(rulesEffect(KEY, storeOrderOf(orderAt(1, shipped)), entry, other, now)).toBeUndefined();
  });

  it('is also what the store changed meanwhile: 120 → 60 points', async () => {
    const oneBack = { ...shipped, lines: [{ ...line, takenBack: 1 }] };
    const entry = await entryOf(shipped);
    expect(effect(oneBack, entry, withTaxes)).toMatchObject({ before: 120, after: 60 });
  });

  it('is nothing for an order that was never sent, or is cancelled', async () => {
    expect(effect(shipped, undefined)).toBeUndefined();
    const cancelled = { ...shipped, cancelledAfterDays: 2 };
    expect(effect(cancelled, await entryOf(shipped))).toBeUndefined();
  });
});
