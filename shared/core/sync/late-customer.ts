import type { Ledger } from '../ledger/ledger.ts';
import { type LedgerKey, ledgerKeyText } from '../ledger/ledger-key.ts';
import { mergedInto } from '../ledger/merged-customer.ts';
import { plainCustomerForm } from '../mapping/customer-form.ts';
import { contactHash } from '../mapping/map-member.ts';
import type { OrderRules } from '../mapping/mapping-rules.ts';
import { neverCompleted } from '../mapping/order-progress.ts';
import { recallMember } from '../mapping/remembered.ts';
import type { Snapshot } from './read-snapshot.ts';
import type { StoreEntity } from './store-reader.ts';

type Reads = Pick<Ledger, 'readMany'>;

const keysOf = (shop: string, id: string) =>
  ({ record: { shop, kind: 'customer', id }, member: { shop, kind: 'member', id } }) as const;

/**
 * True for an order whose customer changed since: merged into another, or with another e-mail address or
 * telephone number. Sent as it is, the order would bring the old ones back. The store says what holds now.
 */
export async function hasLateCustomer(
  shop: string,
  { entity, source, version }: Snapshot,
  { customers }: Pick<OrderRules, 'customers'>,
  ledger: Reads,
): Promise<boolean> {
  if (customers === 'with-orders' || source === 'store') return false;
  if (entity.kind !== 'order' || !entity.order.customer) return false;
  const { customer } = entity.order;
  const { record, member } = keysOf(shop, customer.id);
  const known = await ledger.readMany([record, member]);
  if (mergedInto(known.get(ledgerKeyText(record))) !== undefined) return true;
  const entry = known.get(ledgerKeyText(member));
  const contact = recallMember(entry?.remembered)?.contact;
  // Of two changes within one second it is unknown which came last.
  if (!entry || contact === undefined || entry.version < version) return false;
  return contact !== contactHash(plainCustomerForm(customer));
}

/**
 * What that question needs, to be read with the entries of a batch: an order that is sent then needs no read of
 * its own. Not for what is mostly skipped without the question.
 */
export function customerKeys(
  shop: string,
  entity: StoreEntity,
  rules: Pick<OrderRules, 'customers' | 'pendingOrders' | 'completeWhen'>,
): readonly LedgerKey[] {
  if (entity.kind !== 'order' || !entity.order.customer) return [];
  if (rules.customers === 'with-orders') return [];
  if (rules.pendingOrders === 'skip' && neverCompleted(entity.order, rules)) return [];
  return Object.values(keysOf(shop, entity.order.customer.id));
}

/** A batch that waits for its turn to call must not send an order for whom was its customer long ago. */
const RECENT_MS = 10_000;

/** Answers with what was read with the batch, if that was recent and has all that is asked for. */
export function readRecently(
  {
    keys,
    entries,
    readAt,
  }: {
    readonly keys: readonly LedgerKey[];
    readonly entries: Awaited<ReturnType<Reads['readMany']>>;
    readonly readAt: Date;
  },
  { ledger, now }: { readonly ledger: Reads; readonly now: () => Date },
): Reads {
  const known = new Set(keys.map(ledgerKeyText));
  return {
    async readMany(asked) {
      const isRecent = now().getTime() - readAt.getTime() < RECENT_MS;
      const isKnown = asked.every((key) => known.has(ledgerKeyText(key)));
      return isRecent && isKnown ? entries : ledger.readMany(asked);
    },
  };
}
