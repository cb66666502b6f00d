import type { Ledger } from '../ledger/ledger.ts';
import { ledgerKeyText } from '../ledger/ledger-key.ts';
import { mergedInto } from '../ledger/merged-customer.ts';
import { plainCustomerForm } from '../mapping/customer-form.ts';
import { contactHash } from '../mapping/map-member.ts';
import type { MemberRules } from '../mapping/mapping-rules.ts';
import { recallMember } from '../mapping/remembered.ts';
import type { Snapshot } from './read-snapshot.ts';

/**
 * True for an order whose customer changed since: merged into another, or with another e-mail address or
 * telephone number. Sent as it is, the order would bring the old ones back. The store says what holds now.
 */
export async function hasLateCustomer(
  shop: string,
  { entity, source, version }: Snapshot,
  { customers }: Pick<MemberRules, 'customers'>,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<boolean> {
  if (customers === 'with-orders' || source === 'store') return false;
  if (entity.kind !== 'order' || !entity.order.customer) return false;
  const { customer } = entity.order;
  const record = { shop, kind: 'customer', id: customer.id } as const;
  const member = { shop, kind: 'member', id: customer.id } as const;
  const known = await ledger.readMany([record, member]);
  if (mergedInto(known.get(ledgerKeyText(record))) !== undefined) return true;
  const entry = known.get(ledgerKeyText(member));
  const contact = recallMember(entry?.remembered)?.contact;
  if (!entry || contact === undefined || entry.version <= version) return false;
  return contact !== contactHash(plainCustomerForm(customer));
}
