import type { StoreCoupon } from '../../store/coupon.ts';
import { encodeCoupon } from '../events/coupon-message.ts';
import type { StoreEvent } from '../events/store-event.ts';
import type { WalkedKind } from '../sync/store-walk.ts';

export type HealedKind = 'order' | 'product' | 'coupon';

/** Of a discount, its codes are what the loyalty service holds. */
export function healedKindOf(kind: WalkedKind): HealedKind {
  return kind === 'discount' ? 'coupon' : kind;
}

interface Found {
  readonly shop: string;
  readonly id: string;
  readonly version: number;
  readonly now: Date;
}

const CHANGED: Readonly<Record<HealedKind, string>> = {
  order: 'orders/updated',
  product: 'products/update',
  coupon: 'discounts/update',
};

const DELETED: Readonly<Record<WalkedKind | 'coupon', string>> = {
  order: 'orders/delete',
  product: 'products/delete',
  discount: 'discounts/delete',
  coupon: 'discounts/redeemcode_removed',
};

/**
 * For what is missing or stale. Without a body, so that the worker reads the store; a code travels with
 * the coupon it is, as from its discount's own event, because reading thousands one by one is dear.
 *
 * The id names entity, version and wanted state and not the run: whoever repeats a page within five
 * minutes, after a crash or beside another run, sends nothing twice.
 */
export function healingMessage(
  kind: HealedKind,
  { shop, id, version, now }: Found,
  wantedKey: string | undefined,
  coupon?: StoreCoupon,
): StoreEvent {
  return {
    shop,
    kind,
    id,
    topic: CHANGED[kind],
    deliveryId: `reconcile/${kind}/${id}/${version}/${wantedKey?.slice(0, 16) ?? ''}`,
    receivedAt: now.toISOString(),
    body: coupon && encodeCoupon(coupon),
  };
}

/** For what the store does not show any more. The worker asks it once again before it acts. */
export function deletionMessage(
  kind: WalkedKind | 'coupon',
  { shop, id, version, now }: Found,
): StoreEvent {
  return {
    shop,
    kind,
    id,
    topic: DELETED[kind],
    deliveryId: `reconcile/${kind}/${id}/${version}/gone`,
    receivedAt: now.toISOString(),
    body: undefined,
  };
}
