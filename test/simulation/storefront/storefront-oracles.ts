import type { LoyaltyCall } from '../../../local/harness/in-process-loyalty.ts';
import type { MemoryLedger } from '../../../local/harness/memory-ledger.ts';
import {
  balanceIn,
  type RememberedBalance,
  recallBalance,
} from '../../../shared/core/balances/point-balance.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import {
  isOpen,
  type Redemption,
  type RedemptionState,
} from '../../../shared/core/redemptions/redemption.ts';
import {
  recallRedemptions,
  redemptionsKey,
} from '../../../shared/core/redemptions/redemption-record.ts';
import type { Value } from '../../../shared/loyalty/operations.ts';
import type { RedemptionView } from '../../../shared/store/storefront-answers.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SHOP } from '../world/connector.ts';
import type { LoyaltyService } from '../world/loyalty-service.ts';
import type { RewardShop, ShopCustomer } from './reward-shop.ts';

interface JudgedWorld {
  readonly kernel: Kernel;
  readonly ledger: MemoryLedger;
  readonly loyalty: LoyaltyService;
  readonly shop: RewardShop;
}

/** The promises to customers: what they are shown at any moment, and what is left at the end. */
export class StorefrontOracles {
  readonly #world: JudgedWorld;
  /** By redemption: what its customer was shown last. */
  readonly #shown = new Map<string, RedemptionView>();

  constructor(world: JudgedWorld) {
    this.#world = world;
  }

  /** A code that a customer sees is paid for, and is in the store. */
  shown(customer: ShopCustomer, view: RedemptionView): void {
    this.#shown.set(view.id, view);
    // An answer may come when the same customer has taken it back in another tab.
    const isTakenBack = this.#bookOf(customer.id).some((one) => one.id === view.id && one.takeBack);
    if (view.code !== null && !isTakenBack) this.#judgeCode(customer, view.code);
  }

  /** A rule of conduct: no redemption is cancelled while the store has its code. */
  executed({ operation, path }: LoyaltyCall): void {
    if (operation !== 'cancelRedemption') return;
    const { rows } = this.#world.loyalty;
    const redemption = rows.redemptions.get(rows.redemptionKeys.get(path.id ?? '') ?? '');
    const code = redemption?.ExternalCode ?? '';
    if (!this.#world.shop.rewards.codes.has(code.toLowerCase())) return;
    const what = `the redemption of ${code} is cancelled, although the store has the code`;
    this.#world.kernel.journal.violation('cancelled-with-code', what);
  }

  #judgeCode({ id }: ShopCustomer, code: string): void {
    const { journal } = this.#world.kernel;
    if (this.#live(id).filter(({ ExternalCode }) => ExternalCode === code).length !== 1) {
      journal.violation('code-without-points', `${id} sees ${code}, which no points were spent on`);
    }
    if (this.#world.shop.rewards.codes.get(code.toLowerCase())?.customerId !== id) {
      journal.violation('points-without-code', `${id} sees ${code}, which the store does not have`);
    }
  }

  /** Redemptions in the service that were not cancelled. */
  #live(customerId: string) {
    return [...this.#world.loyalty.rows.redemptions.values()].filter(
      (one) => one.customerId === customerId && one.canceledAt === null,
    );
  }

  /**
   * `clicks`: by customer and reward. Of redacted customers the ledger knows only the newest:
   * a click that is repeated afterwards is a new one.
   */
  judgeRedemptions(
    clicks: ReadonlyMap<string, ReadonlySet<string>>,
    redacted: ReadonlySet<string>,
  ): void {
    const { kernel, shop } = this.#world;
    const { journal } = kernel;
    const paid = new Set<string>();
    for (const customer of shop.customers) {
      const { id } = customer;
      const book = this.#bookOf(id);
      this.#judgeBook(customer, book, redacted.has(customer.id));
      const live = this.#live(id);
      for (const { ExternalCode, configurationId } of live) {
        paid.add(ExternalCode.toLowerCase());
        const held = book.filter(
          ({ state }) => HELD.has(state.at) && codeOf(state) === ExternalCode,
        );
        const made = shop.rewards.codes.get(ExternalCode.toLowerCase());
        // An order used it, and its code was deleted before or after.
        const isGone = redacted.has(id)
          ? shop.rewards.orders.some(({ codes }) => codes.includes(ExternalCode))
          : held.some(({ state, takeBack }) => state.at === 'used' && takeBack);
        const isThere = made?.customerId === id || isGone;
        if ((held.length !== 1 && !redacted.has(id)) || !isThere) {
          const what = `${id} paid for reward ${configurationId} (${ExternalCode}) and has no code`;
          journal.violation('points-without-code', what);
        }
      }
      for (const [reward, some] of Map.groupBy(live, (one) => one.configurationId)) {
        const clicked = clicks.get(`${id} ${reward}`)?.size ?? 0;
        if (some.length > clicked && !redacted.has(id)) {
          const what = `${id} clicked ${clicked} times on reward ${reward} and paid ${some.length} times`;
          journal.violation('spent-once', what);
        }
      }
    }
    for (const [key, { code, customerId }] of shop.rewards.codes) {
      if (paid.has(key)) continue;
      journal.violation('code-without-points', `${code} of ${customerId} is free of charge`);
    }
  }

  #judgeBook(customer: ShopCustomer, book: readonly Redemption[], isRedacted: boolean): void {
    const { journal } = this.#world.kernel;
    const clicks = book.flatMap(({ clientKeys }) => clientKeys);
    if (new Set(clicks).size < clicks.length) {
      journal.violation('spent-once', `a click of ${customer.id} began two redemptions`);
    }
    for (const { id, state, stuck, takeBack } of book) {
      if (takeBack && !isRedacted) this.#judgeTakenBack(customer, id, state, stuck);
      if (stuck === 'points-gone') continue;
      if (stuck) journal.violation('person', `${id} needs a person: ${stuck}`);
      else if (isOpen(state)) journal.violation('unfinished', `${id} stays ${state.at}`);
      const shown = this.#shown.get(id)?.state;
      const isFinal = shown === 'refused' || shown === 'cancelled' || shown === 'ready';
      const wasUsed = shown === 'ready' && state.at === 'used';
      if (takeBack) continue;
      // A click that is repeated after a redaction finds nothing of the first.
      if (isFinal && shown !== state.at && !wasUsed && !isRedacted) {
        journal.violation('shown', `${id} was shown as ${shown} and is ${state.at}`);
      }
    }
  }

  /** Code usable and points spent, or code gone and points back; where an order used it, the points are spent. */
  #judgeTakenBack(
    { id: customerId }: ShopCustomer,
    id: string,
    state: RedemptionState,
    stuck: string | undefined,
  ): void {
    const { loyalty, shop, kernel } = this.#world;
    const code = codeOf(state);
    const isSpent = this.#live(customerId).some(({ ExternalCode }) => ExternalCode === code);
    const isTaken = loyalty.rows.changeKeys.get(`taken-back:${SHOP}:${id}`) !== undefined;
    const isOrdered = shop.rewards.orders.some(({ codes }) => codes.includes(code ?? ''));
    const unused = shop.rewards.codes.get(code?.toLowerCase() ?? '')?.used === 0;
    const ends: Partial<Record<RedemptionState['at'], boolean>> = {
      ready: isSpent && unused && !isOrdered,
      cancelled: !isSpent && !isTaken && !unused && !isOrdered,
      used: isSpent !== isTaken && !unused && isOrdered,
      owing: stuck === 'points-gone' && isOrdered && !unused,
    };
    if (ends[state.at]) return;
    const facts = JSON.stringify({ isSpent, isTaken, isOrdered, unused });
    kernel.journal.violation('taken-back', `${id} of ${customerId} ends ${state.at}: ${facts}`);
  }

  #bookOf(customerId: string): readonly Redemption[] {
    const { ledger, kernel } = this.#world;
    const entry = ledger.entries.get(ledgerKeyText(redemptionsKey({ shop: SHOP, customerId })));
    return recallRedemptions(entry?.remembered, kernel.now()).redemptions;
  }

  /**
   * The store and the ledger, which pages read, hold what the service says. The balance of a redacted
   * customer is not read until a new event names them.
   */
  judgeBalances(redacted: ReadonlySet<string>): void {
    const { kernel, loyalty, ledger, shop } = this.#world;
    for (const { id } of shop.customers) {
      if (loyalty.rows.pointsByCustomer.count(id) === 0 || redacted.has(id)) continue;
      const right = this.#balanceOf(id);
      const entry = ledger.entries.get(ledgerKeyText({ shop: SHOP, kind: 'customer', id }));
      const places = {
        store: shop.balances.customers.get(id),
        ledger: recallBalance(entry?.remembered),
      };
      for (const [place, held] of Object.entries(places)) {
        const text = describe(held);
        if (text === right) continue;
        kernel.journal.violation('balances', `the ${place} has ${text} for ${id}, not ${right}`);
      }
    }
  }

  /** Without the tier: it may change without any event about points. */
  #balanceOf(id: string): string {
    const { kernel, loyalty } = this.#world;
    const points = loyalty.answer('getCustomerPoints', { id }) as Value<'getCustomerPoints'>;
    return describe(balanceIn(points, kernel.time.now));
  }
}

const HELD: ReadonlySet<RedemptionState['at']> = new Set(['ready', 'used']);

const codeOf = (state: RedemptionState): string | undefined =>
  'code' in state ? state.code?.code : undefined;

function describe(held: Partial<RememberedBalance> | undefined): string {
  const { points, cashback, expiring } = held ?? {};
  const ends = expiring ? `${expiring.points} until ${expiring.at}` : 'none';
  return `${points} points, ${cashback} cashback, expiring ${ends}`;
}
