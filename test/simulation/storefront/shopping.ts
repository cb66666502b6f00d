import type { RedeemAnswer } from '../../../shared/rewards/redeem/redeem-reward.ts';
import { readAmount } from '../../../shared/store/money.ts';
import type { RedemptionView } from '../../../shared/store/storefront-answers.gen.ts';
import { joined } from '../kernel/chance.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { LoyaltyService } from '../world/loyalty-service.ts';
import type { CodeOrders } from './code-orders.ts';
import { CASHBACK, PRODUCT_ID, type RewardShop, type ShopCustomer } from './reward-shop.ts';
import type { Shoppers } from './shoppers.ts';

/** Of the sandbox's catalog: each kind, and some that most customers cannot have. */
const REWARDS = [1, 2, 3, 3, 4, 8, 8, 9, 5, 10] as const;
/** How often a page repeats a click that got no clear answer. */
const MOST_REPEATS = 3;

interface ShoppingWorld {
  readonly kernel: Kernel;
  readonly loyalty: LoyaltyService;
  readonly shop: RewardShop;
  readonly shoppers: Shoppers;
  readonly codeOrders: CodeOrders;
  /** A customer is to be erased. */
  readonly redact: (customerId: string) => void;
  /** What a customer sees of one redemption. */
  readonly onShown: (customer: ShopCustomer, redemption: RedemptionView) => void;
}

/** What customers do on the pages of the store, and what a till reports to the service. */
export class Shopping {
  readonly #world: ShoppingWorld;
  #orders = 0;
  /** By customer and reward: the clicks on it. */
  readonly clicks = new Map<string, Set<string>>();
  /** By redemption: codes that a customer saw and may take back. */
  readonly #returnable = new Map<string, Returnable>();

  constructor(world: ShoppingWorld) {
    this.#world = world;
  }

  /** One step. Every step is possible in any state. Returns it in words. */
  step(step: number, draw: () => number): string {
    const { customers } = this.#world.shop;
    const customer = oneOf(customers, draw());
    const drawn = draw();
    if (drawn < 0.4) return this.#click(step, customer, draw);
    if (drawn < 0.55) return this.#visit(customer, draw);
    if (drawn < 0.65) return this.#takeBack(step, draw);
    if (drawn < 0.85) return this.buy(customer, 10 + Math.floor(draw() * 290));
    if (drawn < 0.9) return this.#cancel(draw);
    if (drawn < 0.94) return this.#refund(draw);
    if (drawn < 0.96) return this.#enroll(customer, draw() < 0.5);
    if (drawn < 0.98) return this.#leave(step, customer, draw);
    return this.#useCode(draw);
  }

  /** An order of the till. The first one makes the customer known to the service. */
  buy(customer: ShopCustomer, total: number): string {
    this.#world.kernel.journal.play('order of a till');
    this.#orders += 1;
    return this.order(customer, `till-${this.#orders}`, total);
  }

  order(customer: ShopCustomer, OriginalId: string, total: number, coupon?: string): string {
    const { kernel, loyalty } = this.#world;
    const at = (ms: number) => new Date(kernel.time.now - ms).toISOString();
    loyalty.answer(
      'sendOrder',
      {},
      {
        OriginalId,
        OrderPlacementDate: at(60_000),
        OrderCompletedDate: at(0),
        IsCompleted: true,
        IsCancelledOrReturned: false,
        OrderTotal: total,
        Customer: this.#describe(customer),
        ...(coupon && { Coupon: coupon }),
      },
    );
    return `${customer.id} buys ${OriginalId} for ${total}`;
  }

  #describe({ id, name, email, document }: ShopCustomer) {
    return { OriginalId: id, Name: name, Email: email, Document: document };
  }

  #cancel(draw: () => number): string {
    this.#world.kernel.journal.play('cancelled order of a till');
    const orderId = this.#anyOrder(draw);
    const OrderCancelledDate = this.#world.kernel.now().toISOString();
    this.#world.loyalty.answer('cancelPosOrder', { orderId }, { OrderCancelledDate });
    return `${orderId} is cancelled`;
  }

  #refund(draw: () => number): string {
    this.#world.kernel.journal.play('refund of a till');
    const orderId = this.#anyOrder(draw);
    const body = { ValueToRefund: 5, CancelKey: `refund-${this.#world.kernel.time.now}` };
    this.#world.loyalty.answer('partiallyCancelPosOrder', { orderId }, body);
    return `a part of ${orderId} is refunded`;
  }

  #anyOrder = (draw: () => number): string => `till-${1 + Math.floor(draw() * this.#orders)}`;

  #enroll(customer: ShopCustomer, IsEnrolled: boolean): string {
    this.#world.kernel.journal.play('membership begun or ended');
    const body = { ...this.#describe(customer), IsEnrolled };
    this.#world.loyalty.answer('upsertCustomer', {}, body);
    return `${customer.id} ${IsEnrolled ? 'joins' : 'leaves'} the program`;
  }

  /** Often at the moment of a last click. */
  #leave(step: number, customer: ShopCustomer, draw: () => number): string {
    const { kernel, redact } = this.#world;
    kernel.journal.play('redaction of a shopper');
    if (draw() < 0.5) this.#click(step, customer, draw);
    kernel.time.after(draw() * 700, () => redact(customer.id));
    return `${customer.id} is to be erased`;
  }

  #useCode(draw: () => number): string {
    const { shop, codeOrders } = this.#world;
    const code = oneOf([...shop.rewards.codes.values()], draw());
    const customer = shop.customers.find(({ id }) => id === code?.customerId);
    if (!code || !customer) return 'nothing happens';
    codeOrders.placeAfter(0, customer, code.code);
    return `${customer.id} orders with ${code.code}`;
  }

  /** Sometimes twice; sometimes an order has the code in the same second, or from a checkout that stays open. */
  #takeBack(step: number, draw: () => number): string {
    const { kernel, codeOrders } = this.#world;
    const one = oneOf([...this.#returnable.values()], draw());
    if (!one) return 'nothing happens';
    const { customer, code } = one;
    kernel.journal.play('reward taken back');
    const asks = draw() < 0.3 ? [0, draw() * 4_000] : [0];
    for (const ms of asks) kernel.time.after(ms, () => this.#askBack(one, step, 0));
    const [drawn, part] = [draw(), draw()];
    const longest = drawn < 0.15 ? 1_000 : drawn < 0.35 ? 150_000 : 3 * 3_600_000;
    if (drawn < 0.5) codeOrders.placeAfter(part * longest, customer, code);
    return `${customer.id} takes ${code} back`;
  }

  #askBack(one: Returnable, step: number, repeats: number): void {
    const { kernel, shoppers } = this.#world;
    const { customer, id, code } = one;
    shoppers.ask(
      `${customer.id} takes ${code} back`,
      (page) => page.takeBack(customer.id, id),
      (answer) => {
        if (answer?.kind === 'redemption') this.#see(customer, answer.redemption);
        if (repeats >= MOST_REPEATS || (answer && answer.kind !== 'unavailable')) return;
        const drawn = kernel.chance(joined(62, repeats), step);
        const again = () => this.#askBack(one, step, repeats + 1);
        if (drawn < 0.7) kernel.time.after(1_000 + drawn * 60_000, again);
      },
    );
  }

  #see(customer: ShopCustomer, view: RedemptionView): void {
    const { id, code, takeBackUntil } = view;
    if (code !== null && takeBackUntil !== null) this.#returnable.set(id, { customer, id, code });
    this.#world.onShown(customer, view);
  }

  #visit(customer: ShopCustomer, draw: () => number): string {
    const { shoppers, kernel } = this.#world;
    kernel.journal.play('visit');
    const { id } = customer;
    const drawn = draw();
    if (drawn < 0.4)
      shoppers.ask(
        `${id} visits`,
        (page) => page.view(id, [], 'customer'),
        () => {},
      );
    else if (drawn < 0.8) this.#list(customer);
    else
      shoppers.ask(
        `${id} looks at rewards`,
        (page) => page.view(id, CART, 'customer'),
        () => {},
      );
    return `${id} visits the store`;
  }

  #list(customer: ShopCustomer): void {
    this.#world.shoppers.ask(
      `${customer.id} lists redemptions`,
      (page) => page.redemptions(customer.id, 'customer'),
      (answer) => {
        for (const one of answer ?? []) this.#see(customer, one);
      },
    );
  }

  /** Sometimes twice, sometimes in two tabs, within a few seconds. */
  #click(step: number, customer: ShopCustomer, draw: () => number): string {
    const { givesCredit } = this.#world.shop;
    const rewardId = oneOf(givesCredit ? [...REWARDS, CASHBACK, CASHBACK] : REWARDS, draw());
    const value = rewardId === CASHBACK ? 1 + Math.floor(draw() * 4) : undefined;
    const drawn = draw();
    const keys = [`click-${step}`];
    this.#world.kernel.journal.play('click on a reward');
    if (drawn < 0.2) keys.push(`click-${step}`);
    else if (drawn < 0.4) keys.push(`other-tab-${step}`);
    for (const [index, clientKey] of keys.entries()) {
      const click = { rewardId, clientKey, cart: CART, ...(value !== undefined && { value }) };
      const afterMs = index === 0 ? 0 : draw() * 4_000;
      this.#world.kernel.time.after(afterMs, () => this.#redeem(customer, click, 0));
    }
    return `${customer.id} clicks on reward ${rewardId}: ${keys.join(', ')}`;
  }

  #redeem(customer: ShopCustomer, click: Click, repeats: number): void {
    const { shoppers, kernel } = this.#world;
    const { rewardId, clientKey } = click;
    const place = `${customer.id} ${rewardId}`;
    const known = this.clicks.get(place) ?? new Set();
    this.clicks.set(place, known.add(clientKey));
    shoppers.ask(
      `${customer.id} clicks on reward ${rewardId} (${clientKey})`,
      (page) => page.redeem(customer.id, click),
      (answer) => {
        if (answer?.kind === 'redemption') this.#see(customer, answer.redemption);
        if (repeats >= MOST_REPEATS || !isUnclear(answer)) return;
        const drawn = kernel.chance(joined(61, repeats), ...[...clientKey].map(toNumber));
        const again = () => this.#redeem(customer, click, repeats + 1);
        if (drawn < 0.7) kernel.time.after(1_000 + drawn * 60_000, again);
      },
    );
  }
}

interface Returnable {
  readonly customer: ShopCustomer;
  readonly id: string;
  readonly code: string;
}

interface Click {
  readonly rewardId: number;
  readonly clientKey: string;
  readonly cart: typeof CART;
  readonly value?: number;
}

const toNumber = (letter: string): number => letter.charCodeAt(0);

const price = readAmount('60.00');
if (price === undefined) throw new Error('a price is not an amount');
const CART = [{ id: PRODUCT_ID, price, quantity: 1 }];

function isUnclear(answer: RedeemAnswer | undefined): boolean {
  if (!answer || answer.kind === 'unavailable') return true;
  const { code, state } = answer.kind === 'redemption' ? answer.redemption : {};
  return code === null && state !== 'credited';
}

const oneOf = <Item>(items: readonly Item[], drawn: number): Item =>
  items[Math.floor(drawn * items.length)] as Item;
