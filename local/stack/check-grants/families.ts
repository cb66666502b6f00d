import type { StackOutput } from '../../../shared/config/stack-outputs.ts';
import type { EntityKey } from '../../../shared/core/events/entity.ts';
import type { QueueFamily } from '../../../shared/core/events/queue-family.ts';
import type { RunningStack } from '../running-stack.ts';

/** Whether the loyalty service has got there. */
type Reached = () => boolean;

/** What happens in the store for one queue, and how the loyalty service shows that it arrived. */
export interface Family {
  readonly name: QueueFamily;
  readonly topic: string;
  /** Of a webhook that tells of a change and of nothing else. */
  readonly changeTopic: string;
  readonly queue: StackOutput;
  readonly deadLetters: StackOutput;
  /** Something new, which its webhooks tell. */
  begin(): Reached;
  /** A change that only the store can tell, asked by the worker. */
  ask(): Reached;
  /** Another change of what began. */
  change(): { readonly reached: Reached; readonly entity: Omit<EntityKey, 'shop'> };
}

export function createFamilies({ store, loyalty }: RunningStack): readonly Family[] {
  const { actions, rows } = store;
  let count = 0;
  const next = (): number => {
    count += 1;
    return count;
  };

  const order = (id: string) => loyalty.state().orders.find((one) => one.OriginalId === id);
  const [customer] = rows.customers.values();
  let newest = '';
  const place = () => {
    if (!customer) throw new Error('the sample store has no customer');
    const lines = [{ title: 'Gift', price: 10, quantity: 5 }];
    const placed = actions.placeOrder({ customerId: customer.id, lines, payment: 'paid' });
    newest = placed.id;
    return placed;
  };
  const takeBack = (id: string, quantity: number): Reached => {
    const [line] = rows.orders.get(id)?.lines ?? [];
    if (!line) throw new Error('the order has no line');
    const before = order(id)?.OrderTotal;
    actions.refundOrder({ orderId: id, lines: [{ lineId: line.id, quantity }] });
    return () => order(id)?.OrderTotal === (before ?? 50) - 10 * quantity;
  };
  const orders: Family = {
    name: 'orders',
    topic: 'orders/create',
    changeTopic: 'orders/updated',
    queue: 'OrdersQueueUrl',
    deadLetters: 'OrdersDeadLetterQueueUrl',
    begin() {
      const { id } = place();
      return () => order(id) !== undefined;
    },
    // A refund carries no order.
    ask: () => takeBack(newest, 1),
    change: () => ({ reached: takeBack(newest, 1), entity: { kind: 'order', id: newest } }),
  };

  const product = (id: string) => loyalty.state().products.find((one) => one.OriginalId === id);
  let shelved = '';
  const reprice = (id: string): Reached => {
    const price = 100 + next();
    actions.updateProduct({ productId: id, price });
    return () => product(id)?.ProductPrice === price;
  };
  const products: Family = {
    name: 'products',
    topic: 'products/create',
    changeTopic: 'products/update',
    queue: 'ProductsQueueUrl',
    deadLetters: 'ProductsDeadLetterQueueUrl',
    begin() {
      shelved = actions.createProduct({ title: `Thing ${next()}`, price: 5 }).id;
      const id = shelved;
      return () => product(id) !== undefined;
    },
    ask() {
      // Whether a product is really gone is asked.
      const id = shelved;
      actions.deleteProduct({ productId: id });
      shelved = actions.createProduct({ title: `Thing ${next()}`, price: 5 }).id;
      const successor = shelved;
      return () => product(id)?.IsActive === false && product(successor) !== undefined;
    },
    change: () => ({ reached: reprice(shelved), entity: { kind: 'product', id: shelved } }),
  };

  const coupon = (code: string) => loyalty.state().coupons.find((one) => one.CouponCode === code);
  /** One with two codes, to be deleted, and one with a single code, to be changed. */
  let double = { id: '', codes: [''] };
  let single = { id: '', codes: [''] };
  const offer = (count: 1 | 2) => {
    const code = `CODE-${next()}`;
    const codes = [code, `${code}-B`].slice(0, count);
    return { id: actions.createDiscount({ title: code, percentage: 10, codes }).id, codes };
  };
  const areActive = (codes: readonly string[], isActive: boolean) =>
    codes.every((code) => coupon(code)?.isActive === isActive);
  const coupons: Family = {
    name: 'coupons',
    topic: 'discounts/create',
    changeTopic: 'discounts/update',
    queue: 'CouponsQueueUrl',
    deadLetters: 'CouponsDeadLetterQueueUrl',
    begin() {
      double = offer(2);
      single = offer(1);
      const codes = [...double.codes, ...single.codes];
      return () => areActive(codes, true);
    },
    ask() {
      // Which codes a deleted discount had, only the ledger's index knows.
      const { id, codes } = double;
      actions.deleteDiscount({ discountId: id });
      return () => areActive(codes, false);
    },
    change() {
      const { id, codes } = single;
      const [code = ''] = codes;
      const percentage = 11 + (next() % 80);
      actions.updateDiscount({ discountId: id, percentage });
      return {
        reached: () => coupon(code)?.CouponValue === percentage,
        entity: { kind: 'coupon', id: code },
      };
    },
  };
  return [orders, products, coupons];
}
