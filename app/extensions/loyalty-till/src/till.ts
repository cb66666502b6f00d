import type { Contact, Redemption, Reward } from '../../../program/answers.ts';
import { type Ask, type ClientKeys, type Failure, randomKey } from '../../../program/ask.ts';
import { answered, isUncertain, Program, type ProgramParts } from '../../../program/program.ts';
import type { CartProblem } from '../../../program/strings/till.ts';

/**
 *   choosing ──redeem──▶ redeeming ──▶ given, or kept with the reason why it is not in the cart
 *                         │  ▲   └───▶ waiting, until the code is made ──▶ given or kept
 *                         │  └────────────── failed (a repetition sends the same request)
 *                         ├──▶ challenge ──answer──▶ redeeming
 *                         └──▶ contact ──phone or e-mail──▶ challenge
 *   choosing ──▶ returning ──confirmed──▶ waiting, until the points are back, or failed
 */
export type Step =
  | { readonly kind: 'choosing' }
  | { readonly kind: 'redeeming' }
  /** The program cannot reach the customer: the cashier asks for a phone number or an e-mail address. */
  | {
      readonly kind: 'contact';
      readonly asks: readonly Contact[];
      /** The program's own words. */
      readonly says: string | undefined;
      /** What was typed is no phone number, or no e-mail address. */
      readonly isMalformed: boolean;
    }
  /** The customer has received a message, and tells the code in it. */
  | { readonly kind: 'challenge'; readonly problem: Failure | undefined }
  /** The cashier is asked whether to take it back. */
  | { readonly kind: 'returning'; readonly redemption: Redemption }
  | { readonly kind: 'waiting'; readonly redemption: Redemption }
  /** The till was asked to apply it. */
  | { readonly kind: 'given'; readonly code: string }
  /** The points are spent, and the code is not in the cart. */
  | { readonly kind: 'kept'; readonly code: string; readonly why: CartProblem }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly mayHaveHappened: boolean };

interface TillParts {
  readonly ask: Ask;
  readonly sale: Sale;
  readonly keys: StoredKeys;
  readonly cart: () => TillCart;
  readonly applyCode: (code: string) => Promise<void>;
  readonly changed: () => void;
  readonly later?: NonNullable<ProgramParts['later']>;
}

interface Choice {
  readonly reward: Reward;
  readonly value: number | undefined;
}

/** One customer at the till: what the program knows about them, and the reward that is being redeemed. */
export class Till {
  step: Step = { kind: 'choosing' };
  readonly program: Program;
  readonly #parts: TillParts;
  #choice: Choice | undefined;
  /** The customer's answer to the challenge. */
  #answer: string | undefined;
  /** What the program asked for, to send this customer a message. */
  #asks: readonly Contact[] = [];

  constructor(parts: TillParts) {
    this.#parts = parts;
    this.program = new Program({
      ask: (path, body) => parts.ask(path, path === 'redeem' ? this.#answered(body) : body),
      keys: parts.keys,
      wanted: () => ({
        shows: (section) => section !== 'earned',
        items: undefined,
        // In another currency its amounts would mean nothing.
        cart: this.problem() === 'other-currency' ? undefined : itemsOf(parts.cart()),
        currency: undefined,
        isLoggedOut: false,
      }),
      changed: parts.changed,
      settled: (redemption) => {
        if (this.#isAwaited(redemption)) void this.#follow(redemption);
      },
      ...(parts.later && { later: parts.later }),
    });
  }

  problem(): CartProblem | undefined {
    return cartProblem(this.#parts.cart(), this.#parts.sale);
  }

  async redeem(reward: Reward, value?: number): Promise<void> {
    if (this.problem() !== undefined) return;
    this.#choice = { reward, value };
    this.#answer = undefined;
    this.#asks = [];
    const { needsChallenge } = answered(this.program.model.view) ?? {};
    await (needsChallenge ? this.startChallenge() : this.send());
  }

  async answerChallenge(answer: string): Promise<void> {
    this.#answer = answer.trim();
    await this.send();
  }

  /** The service sends the customer a message with a code. What was typed is kept nowhere. */
  async startChallenge(typed: Readonly<Partial<Record<Contact, string>>> = {}): Promise<void> {
    this.#go({ kind: 'redeeming' });
    const sent = await this.#parts.ask<object>('challenge', typed);
    if (sent.kind === 'ok') return this.#go({ kind: 'challenge', problem: undefined });
    if (sent.code === 'contact-needed' && sent.asks) {
      this.#asks = sent.asks;
      return this.#askForContact({ says: sent.programMessage });
    }
    if (sent.code === 'bad-request' && Object.keys(typed).length > 0) {
      return this.#askForContact({ isMalformed: true });
    }
    // Nothing is redeemed yet: the cashier can start again.
    this.#go({ kind: 'failed', failure: sent, mayHaveHappened: false });
  }

  /** What the cashier typed may have been wrong: it is asked for again. */
  async sendAgain(): Promise<void> {
    await (this.#asks.length > 0 ? this.#askForContact() : this.startChallenge());
  }

  /** Also for a code that the customer got earlier, or elsewhere. */
  async give(code: string): Promise<void> {
    const { cart, applyCode } = this.#parts;
    // Only now: while the program answered, the cart may have become another customer's.
    const why = this.problem();
    if (why !== undefined) return this.#go({ kind: 'kept', code, why });
    if (hasCode(cart(), code)) return this.#go({ kind: 'given', code });
    try {
      await applyCode(code);
      this.#go({ kind: 'given', code });
    } catch {
      this.#go({ kind: 'kept', code, why: this.problem() ?? 'not-applied' });
    }
  }

  askTakeBack(redemption: Redemption): void {
    this.#go({ kind: 'returning', redemption });
  }

  async takeBack({ id }: Redemption): Promise<void> {
    this.#go({ kind: 'redeeming' });
    const taken = await this.program.takeBack(id);
    // Nothing is spent by it: the cashier can begin again.
    if (taken.kind === 'failed') {
      return this.#go({ kind: 'failed', failure: taken, mayHaveHappened: false });
    }
    this.#go({ kind: 'waiting', redemption: taken.value });
  }

  /** Back to the list. */
  leave(): void {
    this.#choice = undefined;
    this.#answer = undefined;
    this.#go({ kind: 'choosing' });
  }

  #askForContact({ says = undefined as string | undefined, isMalformed = false } = {}): void {
    this.#go({ kind: 'contact', asks: this.#asks, says, isMalformed });
  }

  #answered(body: object | undefined): object {
    return { ...body, ...(this.#answer !== undefined && { answer: this.#answer }) };
  }

  /** Repeated, it is the same request, under the same key. */
  async send(): Promise<void> {
    if (!this.#choice || this.step.kind === 'redeeming') return;
    this.#go({ kind: 'redeeming' });
    const { reward, value } = this.#choice;
    await this.#parts.keys.recall(reward.id);
    const answer = await this.program.redeem(reward.id, value);
    if (answer.kind === 'ok') await this.#follow(answer.value);
    else if (answer.kind === 'failed') await this.#fail(answer);
  }

  async #fail(failure: Failure): Promise<void> {
    switch (failure.code) {
      case 'challenge-needed':
        return this.startChallenge();
      case 'challenge-wrong':
        return this.#go({ kind: 'challenge', problem: failure });
      default:
        this.#go({ kind: 'failed', failure, mayHaveHappened: isUncertain(failure) });
    }
  }

  /** Its code was still to be made, or the answer to the request for it was lost. */
  #isAwaited({ id, rewardId }: Redemption): boolean {
    const { step } = this;
    return step.kind === 'waiting'
      ? step.redemption.id === id
      : step.kind === 'failed' && step.mayHaveHappened && this.#choice?.reward.id === rewardId;
  }

  async #follow(redemption: Redemption): Promise<void> {
    const { state, code, takeBackRefused } = redemption;
    if (takeBackRefused) {
      // Nobody asked to use it.
      const failure = {
        kind: 'failed',
        code: 'take-back-refused',
        afterSeconds: undefined,
      } as const;
      return this.#go({ kind: 'failed', failure, mayHaveHappened: false });
    }
    if (state === 'ready' && code !== null) await this.give(code);
    else this.#go({ kind: 'waiting', redemption });
  }

  #go(step: Step): void {
    this.step = step;
    this.#parts.changed();
  }
}

/** Shopify's storage of an extension on one till. */
interface Storage {
  get(name: string): Promise<unknown>;
  set(name: string, value: unknown): Promise<void>;
  delete(name: string): Promise<boolean>;
}

interface Kept {
  readonly key: string;
  readonly at: number;
}

/** By then the list of the customer's codes shows what became of the request. */
const VALID_MS = 15 * 60 * 1000;

interface StoredKeys extends ClientKeys {
  /** Finds the key of an earlier request; to be awaited before the reward is redeemed. */
  recall(rewardId: number): Promise<void>;
}

/**
 * The idempotency keys of one customer. They outlive the modal: a cashier who closes it after a lost
 * connection, and opens it again, repeats the same request.
 */
export function storedKeys(storage: Storage, customerId: number, now: () => number): StoredKeys {
  const kept = new Map<number, Kept>();
  const nameOf = (rewardId: number) => `redeem ${customerId} ${rewardId}`;
  return {
    async recall(rewardId) {
      const found = kept.get(rewardId) ?? (await quietly(() => storage.get(nameOf(rewardId))));
      if (isKept(found) && now() - found.at < VALID_MS) kept.set(rewardId, found);
      else kept.delete(rewardId);
    },
    of(rewardId) {
      const used = kept.get(rewardId) ?? { key: randomKey(), at: now() };
      kept.set(rewardId, used);
      void quietly(() => storage.set(nameOf(rewardId), used));
      return used.key;
    },
    forget(rewardId) {
      kept.delete(rewardId);
      void quietly(() => storage.delete(nameOf(rewardId)));
    },
  };
}

/** A full storage must not stop a sale: the key is then kept as long as the modal. */
async function quietly<T>(use: () => Promise<T>): Promise<T | undefined> {
  try {
    return await use();
  } catch {
    return undefined;
  }
}

function isKept(value: unknown): value is Kept {
  const { key, at } = (value ?? {}) as Partial<Kept>;
  return typeof key === 'string' && typeof at === 'number';
}

/** What the extension reads of the till's cart (Shopify, "Cart API"). */
export interface TillCart {
  /** Absent: it can be changed. */
  readonly editable?: boolean | undefined;
  readonly currency: string;
  readonly customer?: { readonly id: number } | undefined;
  readonly lineItems: readonly TillLine[];
  readonly cartDiscounts: readonly Discount[];
}

interface TillLine {
  readonly productId?: number | undefined;
  readonly price?: number | undefined;
  readonly quantity: number;
  readonly discounts: readonly Discount[];
  readonly discountAllocations?:
    | readonly { readonly allocatedAmount: { readonly amount: string } }[]
    | undefined;
}

interface Discount {
  readonly discountDescription?: string | undefined;
}

interface Sale {
  /** The customer whose details are open. */
  readonly customerId: number;
  /** The currency of the program: that of the store. */
  readonly currency: string | undefined;
}

export function cartProblem(cart: TillCart, sale: Sale): CartProblem | undefined {
  if (!cart.customer) return 'no-customer';
  if (cart.customer.id !== sale.customerId) return 'other-customer';
  if (cart.lineItems.length === 0) return 'empty-cart';
  if (sale.currency !== undefined && cart.currency !== sale.currency) return 'other-currency';
  return cart.editable === false ? 'not-editable' : undefined;
}

/** A discount of the cart or of a line: a code for one product is shown at its line. */
export function hasCode({ cartDiscounts, lineItems }: TillCart, code: string): boolean {
  const discounts = [...cartDiscounts, ...lineItems.flatMap((line) => line.discounts)];
  const wanted = code.toLowerCase();
  return discounts.some((one) => one.discountDescription?.toLowerCase() === wanted);
}

/** The function reads no more than these. */
const MOST_LINES = 50;

/**
 * `id:price:quantity,…`, the price of one piece after discounts; undefined where no line has a product
 * and a price.
 */
export function itemsOf({ lineItems }: TillCart): string | undefined {
  const items = lineItems.flatMap((line) => {
    const { productId, price, quantity, discountAllocations = [] } = line;
    if (productId === undefined || price === undefined || quantity < 1) return [];
    const off = discountAllocations.reduce(
      (sum, one) => sum + Number(one.allocatedAmount.amount),
      0,
    );
    const paid = Math.max(0, Math.round((price - off / quantity) * 100) / 100);
    return [`${productId}:${paid.toFixed(2)}:${quantity}`];
  });
  return items.length > 0 ? items.slice(0, MOST_LINES).join(',') : undefined;
}
