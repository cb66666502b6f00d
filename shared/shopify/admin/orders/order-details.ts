import type { StoreOrder } from '../../../store/order.ts';
import { LOCALIZED_FIELDS } from '../../../store/order.ts';
import { idFromGid } from '../../entity-id.ts';
import type { OrderNode, WholeOrder } from './order-node.ts';

/** What no webhook tells of an order, as far as it was asked for. */
export function orderDetails({
  node,
  lines,
}: WholeOrder): Pick<StoreOrder, 'card' | 'location' | 'staff' | 'metafields'> {
  const { retailLocation } = node;
  const staff =
    node.staffMember ?? lines.map(({ staffMember }) => staffMember).find((member) => member);
  const staffId = idFromGid(staff?.id, 'StaffMember');
  return {
    card: cardOf(node),
    location: retailLocation
      ? { id: retailLocation.legacyResourceId, name: retailLocation.name }
      : undefined,
    staff: staff && staffId !== undefined ? { id: staffId, name: staff.name } : undefined,
    metafields: metafieldsOf(node),
  };
}

const PAYMENTS: ReadonlySet<string> = new Set([
  'AUTHORIZATION',
  'CAPTURE',
  'EMV_AUTHORIZATION',
  'SALE',
]);

/** Of the first payment by card that succeeded. A pending one can still fail. */
function cardOf({ transactions = [] }: OrderNode): StoreOrder['card'] {
  for (const { kind, status, paymentDetails } of transactions) {
    const brand = paymentDetails?.company?.trim();
    if (!brand || status !== 'SUCCESS' || !PAYMENTS.has(kind)) continue;
    // The method's name often only repeats the brand.
    const method = paymentDetails?.paymentMethodName?.trim();
    const repeats = !method || method.toLowerCase() === brand.toLowerCase();
    return { brand, type: repeats ? undefined : method };
  }
  return undefined;
}

function metafieldsOf(node: OrderNode): NonNullable<StoreOrder['metafields']> {
  const ofOrder = node.metafields?.nodes ?? [];
  const ofCustomer = node.customer?.metafields?.nodes ?? [];
  const localized = node.localizedFields?.nodes ?? [];
  return [
    ...ofOrder.map((metafield) => ({ owner: 'order', ...metafield }) as const),
    ...ofCustomer.map((metafield) => ({ owner: 'customer', ...metafield }) as const),
    ...localized.map(
      ({ key, value }) => ({ owner: 'order', namespace: LOCALIZED_FIELDS, key, value }) as const,
    ),
  ];
}
