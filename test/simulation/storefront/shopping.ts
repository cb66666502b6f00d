import type { RedeemAnswer } from '../../../shared/core/redeem/redeem-reward.ts';
import { readAmount } from '../../../shared/store/money.ts';
import type { RedemptionView } from '../../../shared/store/storefront-answers.ts';
import { joined } from '../kernel/chance.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { LoyaltyService } from '../world/loyalty-service.ts';
import { PRODUCT_ID, type RewardShop, type ShopCustomer } from './reward-shop.ts';
import type { Shoppers } from './shoppers.ts';

/** Of the sandbox's catalog: each kind, and some that most customers cannot have. */
const REWARDS = [1, 2, 3, 3, 4, 8, 8, 9, 5, 10] as const;
const CASHBACK = 8;
/** How often a page repeats a click that got no clear answer. */
const MOST_REPEATS = 3;

interface ShoppingWorld {
  readonly kernel: Kernel;
  readonly loyalty: LoyaltyService;
  readonly shop: RewardShop;
  readonly shoppers: Shoppers;
  /** A customer is to be erased. */
  readonly redact: (customerId: string) => void;
  /** An order of the store names the code of a reward. */
  readonly order: (customerId: string, code: string) => void;
  /** What a customer sees of one redemption. */
  readonly onShown: (customer: ShopCustomer, redemption: RedemptionView) => void;
}

/** What customers do on the pages of the store, and what a till reports to the service. */
export class Shopping {
  readonly #world: ShoppingWorld;
  #orders = 0;
  /** Codes that were in a checkout when they were taken back. */
  readonly #checkouts = new Set<string>();
  /** By customer and reward: the clicks on it. */
  readonly clicks = new Map<string, Set<string>>();

  constructor(world: ShoppingWorld) {
    this.#world = world;
  }

  /** One step. Every step is possible in any state. Returns it in words. */
  step(step: number, draw: () => number): string {
    const { customers } = this.#world.shop;
    const customer = oneOf(customers, draw());
    const drawn = draw();
    if (drawn < 0.45) return this.#click(step, customer, draw);
    if (drawn < 0.65) return this.#visit(customer, draw);
    if (drawn < 0.85) return this.buy(customer, 10 + Math.floor(draw() * 290));
    if (drawn < 0.9) return this.#cancel(draw);
    if (drawn < 0.94) return this.#refund(draw);
    if (drawn < 0.96) return this.#enroll(customer, draw() < 0.5);
    if (drawn < 0.98) return this.#leave(step, customer, draw);
    return this.#useCode(draw);
  }

  /** An order of the till. The first one makes the customer known to the service. */
  buy(customer: ShopCustomer, total: number, coupon?: string): string {
    const { kernel, loyalty } = this.#world;
    kernel.journal.play('order of a till');
    this.#orders += 1;
    const OriginalId = `till-${this.#orders}`;
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
    const unused = [...this.#world.shop.rewards.codes.values()].filter(
      ({ used, code }) => used === 0 && !this.#checkouts.has(code),
    );
    const code = oneOf(unused, draw());
    const customer = this.#world.shop.customers.find(({ id }) => id === code?.customerId);
    if (!code || !customer) return 'nothing happens';
    this.#world.kernel.journal.play('used code');
    this.#world.order(customer.id, code.code);
    return this.buy(customer, 50, code.code);
  }

  /** The newest that may be. Some have its code in a checkout, which they finish while it is taken back, or later. */
  #takeBack(customer: ShopCustomer, draw: () => number): string {
    const { shoppers, kernel, onShown, order } = this.#world;
    const { id } = customer;
    const [drawn, afterMs] = [draw(), draw() * 300_000];
    shoppers.ask(
      `${id} takes a reward back`,
      async (page) => {
        const listed = await page.redemptions(id, 'customer');
        const one = listed.find(({ takeBackUntil }) => takeBackUntil !== null);
        if (!one?.code) return undefined;
        kernel.journal.play('reward taken back');
        const { code } = one;
        if (drawn < 0.4 && !this.#checkouts.has(code)) {
          this.#checkouts.add(code);
          kernel.journal.play('order with a code that is taken back');
          kernel.time.after(afterMs, () => order(id, code));
        }
        return page.takeBack(id, one.id);
      },
      (answer) => {
        if (answer?.kind === 'redemption') onShown(customer, answer.redemption);
      },
    );
    return `${id} takes a reward back`;
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
    else if (drawn < 0.65) this.#list(customer);
    else if (drawn < 0.8) return this.#takeBack(customer, draw);
    else
      shoppers.ask(
        `${id} looks at rewards`,
        (page) => page.view(id, CART, 'customer'),
        () => {},
      );
    return `${id} visits the store`;
  }

  #list(customer: ShopCustomer): void {
    const { shoppers, onShown } = this.#world;
    shoppers.ask(
      `${customer.id} lists redemptions`,
      (page) => page.redemptions(customer.id, 'customer'),
      (answer) => {
        for (const one of answer ?? []) onShown(customer, one);
      },
    );
  }

  /** Sometimes twice, sometimes in two tabs, within a few seconds. */
  #click(step: number, customer: ShopCustomer, draw: () => number): string {
    const rewardId = oneOf(REWARDS, draw());
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
        if (answer?.kind === 'redemption') this.#world.onShown(customer, answer.redemption);
        if (repeats >= MOST_REPEATS || !isUnclear(answer)) return;
        const drawn = kernel.chance(joined(61, repeats), ...[...clientKey].map(toNumber));
        const again = () => this.#redeem(customer, click, repeats + 1);
        if (drawn < 0.7) kernel.time.after(1_000 + drawn * 60_000, again);
      },
    );
  }
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
  return answer.kind === 'redemption' && answer.redemption.code === null;
}

const oneOf = <Item>(items: readonly Item[], drawn: number): Item =>
  items[Math.floor(drawn * items.length)] as Item;
