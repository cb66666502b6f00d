import { join } from 'node:path';
import { amountHeld } from '../../local/harness/held-order.ts';
import { buildBeside, type VendureEngine } from '../../local/vendure-engine/engine.ts';
import { ERROR, VendureShop } from '../../local/vendure-engine/shop.ts';
import type { Basket, PlacedOrder } from '../../local/vendure-engine/shopkeeper.ts';
import { type LocalStack, startLocalStack } from '../support/local-stack.ts';
import { Check, person, type Say } from './check.ts';
import { type Merchant, openMerchant } from './merchant.ts';

const SEVERAL_SELLERS = join(import.meta.dirname, 'in-engine/several-sellers.ts');

type Act = (order: PlacedOrder) => Promise<unknown>;

/** Amounts are in cents and without taxes; each is computed by hand, none by the connector's code. */
interface Corner extends Basket {
  readonly name: string;
  /** What happens before it is shipped. */
  readonly before?: Act;
  /** Once it is shipped. */
  readonly counts: number;
  /** What each product counts, by its SKU. */
  readonly products?: Readonly<Record<string, number>>;
  readonly steps?: readonly Step[];
}

/** What happens, and what is left of the order then. */
type Step = readonly [Act, number | 'cancelled'];

/** What a shop may do to an order, seen from the loyalty service only. Gives the faults. */
export async function playCorners(
  folder: string,
  engine: VendureEngine,
  say: Say,
): Promise<readonly string[]> {
  const port = String(engine.port);
  process.env.VENDURE_PORT = port;
  const stack = await startLocalStack({
    settings: 'test/fixtures/vendure.config.ts',
    environmentOf: (_, environment) => ({ ...environment, VENDURE_PORT: port }),
  });
  const check = new Check(engine, say);
  try {
    const server = await buildBeside(folder, SEVERAL_SELLERS);
    await engine.start({ address: stack.webhookAddress, secret: stack.webhookSecret }, server);
    const corners = new Corners(engine, stack, check);
    await corners.open();
    await corners.orders();
    await corners.codes();
    await corners.sellers();
    await check.expectSound(stack);
    say(`${corners.compared} amounts and codes in corners: ${check.faults.length} faults`);
    return check.faults;
  } finally {
    await engine.kill();
    await stack.stop();
  }
}

class Corners {
  readonly #engine: VendureEngine;
  readonly #stack: LocalStack;
  readonly #check: Check;
  readonly #shop: VendureShop;
  readonly #merchant: Merchant;
  readonly #products = new Map<string, string>();
  compared = 0;

  constructor(engine: VendureEngine, stack: LocalStack, check: Check) {
    this.#engine = engine;
    this.#stack = stack;
    this.#check = check;
    this.#shop = new VendureShop(engine.port);
    this.#merchant = openMerchant(this.#shop);
  }

  /** 19 % tax is in all prices but that of the tea, which has 7 %. Shipping is 5.00. */
  async open(): Promise<void> {
    const merchant = this.#merchant;
    await merchant.setUp();
    for (const [sku, price] of Object.entries({ PEN: 1190, COAT: 11900, MUG: 999, ODD: 333 })) {
      this.#products.set(sku, await merchant.addProduct(sku, { [sku]: price }));
    }
    this.#products.set('TEA', await merchant.addProduct('Tea', { TEA: 1070 }, 'Reduced'));
    await merchant.addPromotion('TEN', { percent: 10 });
    await merchant.addPromotion('FIVE', { cents: 500 });
    await merchant.addPromotion('ALL', { percent: 100 });
  }

  /** All of them take each step together, so that there are few waits. */
  async orders(): Promise<void> {
    const placed: { readonly corner: Corner; readonly order: PlacedOrder }[] = [];
    for (const [number, corner] of this.#corners().entries()) {
      const guest = person(`buyer${number}`);
      const order = await this.#merchant.buy(this.#shop.visit(), corner, guest);
      await corner.before?.(order);
      await this.#merchant.ship(order.id);
      placed.push({ corner, order });
    }
    await this.#synced();
    for (const { corner, order } of placed) {
      this.#compare(corner.name, this.#leftOf(order), corner.counts);
      this.#compareProducts(corner, order);
    }
    const steps = Math.max(...placed.map(({ corner }) => corner.steps?.length ?? 0));
    for (let step = 0; step < steps; step += 1) {
      const taken = placed.flatMap(({ corner, order }) => {
        const next = corner.steps?.[step];
        return next ? [{ name: `${corner.name}, step ${step + 1}`, order, next }] : [];
      });
      for (const { order, next } of taken) await next[0](order);
      await this.#synced();
      for (const { name, order, next } of taken) {
        this.#compare(name, this.#leftOf(order), next[1]);
      }
    }
  }

  /** One order for the customer, two for the sellers: the customer's counts when both have sent their part. */
  async sellers(): Promise<void> {
    const merchant = this.#merchant;
    for (const sku of ['SELLER-A', 'SELLER-B']) await merchant.addProduct(sku, { [sku]: 1190 });
    const goods = { 'SELLER-A': 1, 'SELLER-B': 2 };
    const order = await merchant.buy(this.#shop.visit(), { goods }, person('sellers'));
    const { order: whole } = await this.#shop.admin<{
      order: { type: string; sellerOrders: { id: string; lines: { quantity: number }[] }[] };
    }>('query ($id: ID!) { order(id: $id) { type sellerOrders { id lines { quantity } } } }', {
      id: order.id,
    });
    const parts = whole.sellerOrders.map(({ lines }) => lines.map(({ quantity }) => quantity));
    this.#compare('the parts of two sellers', `${whole.type}: ${parts}`, 'Aggregate: 1,2');
    for (const [sent, { id }] of whole.sellerOrders.entries()) {
      await this.#synced();
      this.#compare(`${sent} of two have sent`, String(this.#leftOf(order)), 'undefined');
      await merchant.ship(id);
    }
    await this.#synced();
    this.#compare('an order of two sellers', this.#leftOf(order), 3000);
    for (const { id } of whole.sellerOrders) {
      this.#compare('a part of it', String(this.#held({ ...order, id })), 'undefined');
    }
  }

  /** A code ends when its promotion gets another one, and comes back with another promotion. */
  async codes(): Promise<void> {
    const merchant = this.#merchant;
    const odd = 'SUMMER 20%/é?#';
    const first = await merchant.addPromotion('FIRST', { cents: 100 });
    const second = await merchant.addPromotion('SECOND', { cents: 200 });
    const third = await merchant.addPromotion(odd, { percent: 12.5 });
    await this.#synced();
    this.#compareCodes({ FIRST: 1, SECOND: 2, [odd]: 12.5 });
    await merchant.changePromotion(first, { couponCode: 'NEW' });
    await merchant.changePromotion(second, { couponCode: 'FIRST' });
    await merchant.changePromotion(third, { enabled: false });
    await this.#synced();
    this.#compareCodes({ NEW: 1, FIRST: 2, SECOND: 'inactive', [odd]: 'inactive' });
  }

  #corners(): readonly Corner[] {
    const merchant = this.#merchant;
    const refund =
      (sku: string, quantity: number, more: object = {}): Act =>
      (order) =>
        merchant.refund(order.id, { lines: [lineOf(order, sku, quantity)], ...more });
    const refundAmount =
      (amount: number, more: object = {}): Act =>
      ({ id }) =>
        merchant.refund(id, { amount, ...more });
    const cancel =
      (sku: string, quantity: number): Act =>
      (order) =>
        merchant.cancel(order.id, [lineOf(order, sku, quantity)]);
    const cancelAll: Act = ({ id }) => merchant.cancel(id);
    const keep =
      (sku: string, quantity: number): Act =>
      (order) =>
        merchant.modify(order.id, { adjustOrderLines: [lineOf(order, sku, quantity)] }, 'refund');
    const add =
      (sku: string): Act =>
      ({ id }) => {
        const addItems = [{ productVariantId: merchant.variantId(sku), quantity: 1 }];
        return merchant.modify(id, { addItems }, 'pay', 'PartiallyShipped', 'card');
      };
    const surcharge =
      (price: number, taxRate: number): Act =>
      ({ id }) => {
        const surcharges = [{ description: 'wrapping', price, priceIncludesTax: true, taxRate }];
        return merchant.modify(id, { surcharges }, price > 0 ? 'pay' : 'refund');
      };
    const cancelPayment: Act = ({ payments: [payment] }) =>
      this.#shop.admin(`mutation ($id: ID!) { cancelPayment(id: $id) { ${ERROR} } }`, {
        id: payment?.id,
      });
    const forget: Act = async ({ id }) => {
      const { order } = await this.#shop.admin<{ order: { customer: { id: string } } }>(
        'query ($id: ID!) { order(id: $id) { customer { id } } }',
        { id },
      );
      await merchant.deleteCustomer(order.customer.id);
    };

    return [
      // 29.97 / 1.19
      { name: 'three mugs', goods: { MUG: 3 }, counts: 2518 },
      // 13.32 less 1.33: 8.99 and 3.00 are paid.
      {
        name: 'ten percent with a remainder',
        goods: { MUG: 1, ODD: 1 },
        coupons: ['TEN'],
        counts: 1007,
        products: { MUG: 755, ODD: 252 },
      },
      // 5.00 are shared as 2.63 and 2.37: 9.27 and 8.33 are paid.
      {
        name: 'five off two taxes',
        goods: { PEN: 1, TEA: 1 },
        coupons: ['FIVE'],
        counts: 1558,
        products: { PEN: 779, TEA: 779 },
      },
      { name: 'goods for nothing', goods: { PEN: 1 }, coupons: ['ALL'], counts: 0 },
      {
        name: 'a discounted piece, an amount, and the piece cancelled',
        goods: { PEN: 3 },
        coupons: ['TEN'],
        counts: 2700,
        steps: [
          [refund('PEN', 1), 1800],
          [refundAmount(119), 1700],
          [cancel('PEN', 1), 1700],
        ],
      },
      {
        name: 'the line of another tax, refunded and cancelled',
        goods: { PEN: 1, TEA: 1 },
        counts: 2000,
        steps: [
          [refund('TEA', 1, { shipping: 500 }), 1000],
          [cancel('TEA', 1), 1000],
          [refundAmount(119), 900],
        ],
      },
      // 9.90 of the pen's 11.90 go back.
      {
        name: 'a line less a fee',
        goods: { PEN: 1, TEA: 1 },
        counts: 2000,
        steps: [[refund('PEN', 1, { adjustment: -200 }), 1168]],
      },
      // The second 11.90 can only be of the coat.
      {
        name: 'a line refunded twice',
        goods: { PEN: 1, COAT: 1 },
        counts: 11000,
        steps: [
          [refund('PEN', 1), 10000],
          [refund('PEN', 1), 9000],
        ],
      },
      {
        name: 'more than the goods, then all',
        goods: { PEN: 1 },
        counts: 1000,
        steps: [
          [refundAmount(1500), 0],
          [refundAmount(190), 'cancelled'],
        ],
      },
      // The first 1.19 is of the shipping, whatever the row says of 5.00.
      {
        name: 'an amount marked as shipping',
        goods: { PEN: 1 },
        counts: 1000,
        steps: [
          [refundAmount(119, { shipping: 500 }), 1000],
          [refundAmount(119), 900],
        ],
      },
      // Of 28.80 and 119.00 paid, 45.80 go back in two rows, each of which says 2.00 of shipping: the pens, 20.00 of the coat.
      {
        name: 'a refund over two payments',
        goods: { PEN: 2 },
        counts: 2000,
        steps: [
          [add('COAT'), 12000],
          [refund('PEN', 2, { shipping: 200, adjustment: 2000 }), 8319],
        ],
      },
      {
        name: 'refunded before it is shipped',
        goods: { PEN: 1, TEA: 1 },
        before: refund('TEA', 1),
        counts: 1000,
        products: { PEN: 1000 },
      },
      // 18.80 for two; a piece is 9.40.
      {
        name: 'cancelled before it is shipped',
        goods: { PEN: 2 },
        coupons: ['FIVE'],
        before: cancel('PEN', 1),
        counts: 790,
        steps: [[refundAmount(940), 790]],
      },
      {
        name: 'changed three times',
        goods: { PEN: 2 },
        counts: 2000,
        steps: [
          [surcharge(107, 7), 2100],
          [surcharge(-238, 19), 1900],
          [keep('PEN', 1), 900],
        ],
      },
      {
        name: 'a pending refund',
        goods: { PEN: 1 },
        pay: 'transfer',
        counts: 1000,
        steps: [[refundAmount(119), 1000]],
      },
      {
        name: 'an authorization that ends',
        goods: { PEN: 1 },
        pay: 'invoice',
        counts: 1000,
        steps: [[cancelPayment, 0]],
      },
      {
        name: 'a customer who is deleted',
        goods: { PEN: 2 },
        counts: 2000,
        steps: [
          [forget, 2000],
          // Nothing but its end is sent of an order whose person was erased.
          [refund('PEN', 1), 2000],
          [cancelAll, 'cancelled'],
        ],
      },
    ];
  }

  async #synced(): Promise<void> {
    await this.#check.until('all is sent', () => this.#engine.unsent() === 0);
    await this.#stack.settled();
  }

  #held({ id }: PlacedOrder) {
    return this.#stack.loyalty.state().orders.find(({ OriginalId }) => OriginalId === id);
  }

  #leftOf(order: PlacedOrder): number | 'cancelled' | undefined {
    const held = this.#held(order);
    return held?.IsCancelledOrReturned ? 'cancelled' : held && cents(amountHeld(held));
  }

  #compareProducts({ name, products = {} }: Corner, order: PlacedOrder): void {
    for (const [sku, wanted] of Object.entries(products)) {
      const id = this.#products.get(sku);
      const product = this.#held(order)?.Products?.find(({ OriginalId }) => OriginalId === id);
      this.#compare(`${name}, ${sku}`, cents(product?.ProductPrice ?? 0), wanted);
    }
  }

  #compareCodes(wanted: Readonly<Record<string, number | 'inactive'>>): void {
    const { coupons } = this.#stack.loyalty.state();
    for (const [code, worth] of Object.entries(wanted)) {
      const coupon = coupons.find(({ CouponCode }) => CouponCode === code);
      this.#compare(`the code ${code}`, coupon?.isActive ? coupon.CouponValue : 'inactive', worth);
    }
  }

  #compare(what: string, found: unknown, wanted: number | string): void {
    this.compared += 1;
    if (found !== wanted) this.#check.fail(`${what}: ${found} instead of ${wanted}`);
  }
}

const cents = (amount: number): number => Math.round(amount * 100);

function lineOf({ lines }: PlacedOrder, sku: string, quantity: number) {
  const line = lines.find((one) => one.sku === sku);
  return { orderLineId: line?.id ?? '', quantity };
}
