import { amountHeld } from '../../local/harness/held-order.ts';
import type { LoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import type { VendureEngine } from '../../local/vendure-engine/engine.ts';
import { type OrderTruth, readOrders } from './order-truth.ts';

export interface Comparison {
  /** How many rows of the engine were compared, by kind. */
  readonly compared: Readonly<Record<string, number>>;
  /** One sentence for each difference. */
  readonly differences: readonly string[];
}

/** Those who signed up before the connector was there come with their first order. */
export type Customers = 'all' | 'buyers';

/** Compares the tables of the engine with what the loyalty service holds. Nothing here knows how the connector reads. */
export function compareWithTables(
  engine: VendureEngine,
  loyalty: LoyaltySandbox,
  customers: Customers = 'all',
): Comparison {
  const state = loyalty.state();
  const differences: string[] = [];
  const compared: Record<string, number> = {};

  function compare<Row>(
    kind: string,
    rows: readonly Row[],
    judge: (row: Row) => string | undefined,
    nameOf: (row: Row) => string | number,
  ): void {
    compared[kind] = rows.length;
    for (const row of rows) {
      const problem = judge(row);
      if (problem !== undefined) differences.push(`${kind} ${nameOf(row)}: ${problem}`);
    }
  }

  const heldOrders = new Map(state.orders.map((order) => [order.OriginalId, order]));
  const judgeOrder = (row: OrderTruth): string | undefined => {
    const held = heldOrders.get(String(row.id));
    if (row.doubts.length > 0) return row.doubts.join(', ');
    const isOver = row.state === 'Cancelled' || row.isRefunded || !row.isPayable;
    if (isOver) {
      return !held || held.IsCancelledOrReturned ? undefined : 'it is over, and still counts';
    }
    if (!row.isShipped || row.currencyCode !== 'EUR') {
      return held ? 'it must not be there yet' : undefined;
    }
    if (!held) return 'the loyalty service does not have it';
    const wanted = row.counts;
    const found = amountHeld(held) * 100;
    const texts = [
      ...(Math.abs(found - wanted) > 1
        ? [`counts ${found / 100} instead of ${(wanted / 100).toFixed(2)}`]
        : []),
      ...(held.IsCompleted && !held.IsCancelledOrReturned ? [] : [`is ${held.OrderStatus}`]),
      ...(held.customerId === String(row.customerId) ? [] : [`is of ${held.customerId}`]),
    ];
    return texts.length > 0 ? `${texts.join(', ')} (${row.state})` : undefined;
  };
  compare('order', readOrders(engine), judgeOrder, ({ id }) => id);

  const buyers = new Set(state.orders.map(({ customerId }) => customerId));
  const members = new Map(state.customers.map((one) => [one.OriginalId, one]));
  compare(
    'customer',
    engine
      .query<CustomerRow>('SELECT * FROM customer WHERE deletedAt IS NULL')
      .filter(({ id }) => customers === 'all' || buyers.has(String(id))),
    ({ id, firstName, lastName, emailAddress, phoneNumber }) => {
      const wanted = {
        Name: `${firstName} ${lastName}`,
        Email: emailAddress,
        Phone: phoneNumber || null,
      };
      return differing(wanted, members.get(String(id)));
    },
    ({ id }) => id,
  );

  const products = new Map(state.products.map((one) => [one.OriginalId, one]));
  compare(
    'product',
    engine.query<ProductRow>(PRODUCTS),
    ({ id, name, enabled, deletedAt, price }) => {
      const held = products.get(String(id));
      if (deletedAt !== null) {
        return held?.IsActive ? 'it was deleted, and is still on offer' : undefined;
      }
      const wanted = {
        Title: name,
        IsActive: enabled === 1,
        ProductPrice: price === null ? null : price / 100,
      };
      return differing(wanted, held);
    },
    ({ id }) => id,
  );

  const coupons = new Map(state.coupons.map((one) => [one.CouponCode, one]));
  compare(
    'promotion',
    engine.query<PromotionRow>('SELECT * FROM promotion WHERE couponCode IS NOT NULL'),
    ({ couponCode, deletedAt, enabled, actions }) => {
      const held = coupons.get(couponCode);
      if (deletedAt !== null || enabled !== 1) {
        return held?.isActive ? 'it is over, and can still be used' : undefined;
      }
      const [{ code, args }] = JSON.parse(actions) as [PromotionAction];
      const discount = Number(args.find(({ name }) => name === 'discount')?.value);
      const wanted =
        code === 'order_percentage_discount'
          ? { CouponType: 1, CouponValue: discount, isActive: true }
          : { CouponType: 0, CouponValue: discount / 100, isActive: true };
      return differing(wanted, held);
    },
    ({ couponCode }) => couponCode,
  );
  return { compared, differences };
}

function differing(
  wanted: Readonly<Record<string, unknown>>,
  row: object | undefined,
): string | undefined {
  if (!row) return 'the loyalty service does not have it';
  const found = row as Readonly<Record<string, unknown>>;
  const wrong = Object.keys(wanted).filter((name) => wanted[name] !== found[name]);
  if (wrong.length === 0) return undefined;
  return wrong.map((name) => `${name} is ${found[name]} instead of ${wanted[name]}`).join(', ');
}

interface CustomerRow {
  readonly id: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly emailAddress: string;
  readonly phoneNumber: string | null;
}

interface ProductRow {
  readonly id: number;
  readonly name: string;
  readonly enabled: number;
  readonly deletedAt: string | null;
  readonly price: number | null;
}

/** The cheapest variant on sale. The channel's prices include the taxes. */
const PRODUCTS = `
  SELECT product.id, product.enabled, product.deletedAt, translation.name,
    (SELECT min(price.price)
     FROM product_variant AS variant
     JOIN product_variant_price AS price ON price.variantId = variant.id
     WHERE variant.productId = product.id AND variant.enabled AND variant.deletedAt IS NULL
       AND price.currencyCode = 'EUR' AND price.channelId = 1) AS price
  FROM product
  JOIN product_translation AS translation ON translation.baseId = product.id`;

interface PromotionRow {
  readonly couponCode: string;
  readonly deletedAt: string | null;
  readonly enabled: number;
  readonly actions: string;
}

interface PromotionAction {
  readonly code: string;
  readonly args: readonly { readonly name: string; readonly value: string }[];
}
