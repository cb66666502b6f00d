import type { RedemptionRow } from '../../../local/loyalty-sandbox/program/rows.ts';
import { sharedBetween } from '../../../scripts/connector/look/audit-promises.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import type { Value } from '../../../shared/loyalty/operations.ts';
import {
  balanceIn,
  type RememberedBalance,
  recallBalance,
} from '../../../shared/rewards/balances/point-balance.ts';
import { isOpen, type Redemption } from '../../../shared/rewards/redeem/redemption.ts';
import {
  readKept,
  recallRedemptions,
  redemptionsKey,
} from '../../../shared/rewards/redeem/redemption-record.ts';
import type { RedemptionView } from '../../../shared/store/storefront-answers.gen.ts';
import type { LoyaltyCall } from '../../support/in-process-loyalty.ts';
import type { MemoryLedger } from '../../support/memory-ledger.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SHOP } from '../world/connector.ts';
import type { LoyaltyService } from '../world/loyalty-service.ts';
import type { QueuedEntity } from '../world/queues.ts';
import { CASHBACK, type RewardShop, type ShopCustomer } from './reward-shop.ts';

interface JudgedWorld {
  readonly kernel: Kernel;
  readonly ledger: MemoryLedger;
  readonly loyalty: LoyaltyService;
  readonly shop: RewardShop;
  /** Customers of whom the ledger may know only the newest: a click that is repeated afterwards is a new one. */
  readonly redacted: ReadonlySet<string>;
}

/** The promises to customers: what they are shown at any moment, and what is left at the end. */
export class StorefrontOracles {
  readonly #world: JudgedWorld;
  /** By redemption: what its customer was shown last. */
  readonly #shown = new Map<string, RedemptionView>();
  /** Keys of changes that the service refused: the points were spent, or the customer has left. */
  readonly #notTaken = new Set<string>();

  constructor(world: JudgedWorld) {
    this.#world = world;
  }

  /** A code that a customer sees as ready is paid for, and is in the store. */
  shown(customer: ShopCustomer, view: RedemptionView): void {
    this.#shown.set(view.id, view);
    if (view.code === null || view.state === 'used') return;
    // The page may have been answered just before it was taken back, in another tab.
    const isTakenBack = this.#bookOf(customer.id).some(
      ({ id, takeBack }) => id === view.id && takeBack !== undefined,
    );
    if (!isTakenBack) this.#judgeCode(customer, view.code);
  }

  /** Rules of conduct: no redemption is cancelled while the store has its code, or an order that names it. */
  executed({ operation, path, body }: LoyaltyCall): void {
    const { rows } = this.#world.loyalty;
    if (operation === 'changePoints' || operation === 'changeCashback') {
      const { ChangeKey = '' } = body as { readonly ChangeKey?: string };
      if (rows.changeKeys.get(ChangeKey) === undefined) this.#notTaken.add(ChangeKey);
    }
    if (operation !== 'cancelRedemption') return;
    const redemption = rows.redemptions.get(rows.redemptionKeys.get(path.id ?? '') ?? '');
    if (redemption) this.#judgeCancel(redemption);
  }

  #judgeCancel({ ExternalCode, customerId, canceledAt }: RedemptionRow): void {
    const { kernel, shop } = this.#world;
    const { journal, time } = kernel;
    const key = ExternalCode.toLowerCase();
    if (shop.rewards.codes.has(key)) {
      const what = `the redemption of ${ExternalCode} is cancelled, although the store has the code`;
      journal.violation('cancelled-with-code', what);
    }
    const order = shop.orders.get(key);
    // Repeated, it changes nothing.
    const isNow = canceledAt !== null && Date.parse(canceledAt) === this.#serviceTime();
    if (!order || !isNow || order.listedAt > time.now) return;
    const deletedAt = shop.deletions.get(key) ?? 0;
    const wasLookedFor = shop.looks.some(
      (look) => look.customerId === customerId && look.at > deletedAt && look.at < order.listedAt,
    );
    if (wasLookedFor && order.placedAt > deletedAt) return;
    const what = `the redemption of ${ExternalCode} is cancelled, although an order names it`;
    journal.violation('cancelled-with-order', what);
  }

  #serviceTime(): number {
    const { kernel, loyalty } = this.#world;
    return Math.floor(kernel.time.now + loyalty.aheadMs);
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

  /** Only what a person must decide may become a dead letter. */
  allowsLetter(entity: QueuedEntity | undefined): boolean {
    if (entity?.kind !== 'redemption') return false;
    return this.#world.shop.customers.some(({ id: customerId }) =>
      this.#bookOf(customerId).some(
        (one) => one.id === entity.id && this.#mayStick(one, customerId),
      ),
    );
  }

  #mayStick({ id, stuck }: Redemption, customerId: string): boolean {
    const { shop, redacted } = this.#world;
    // Of a redacted customer, no redemption claims an earlier credit.
    if (stuck === 'credit-unclear') return !shop.keepsSeconds || redacted.has(customerId);
    return stuck === 'take-again-refused' && this.#notTaken.has(takingKey(id));
  }

  /** It waits up to a day for a redemption that a person must decide about. */
  judgeOpenRedaction(customerId: string): void {
    if (this.#bookOf(customerId).some((one) => this.#mayStick(one, customerId))) return;
    this.#world.kernel.journal.violation('in-flight', `the redaction of ${customerId} never ends`);
  }

  /** `clicks`: by customer and reward. */
  judgeRedemptions(clicks: ReadonlyMap<string, ReadonlySet<string>>): void {
    const { kernel, loyalty, shop, redacted } = this.#world;
    const { journal } = kernel;
    const paid = new Set<string>();
    const rows = [...loyalty.rows.redemptions.values()];
    for (const customer of shop.customers) {
      const { id } = customer;
      const book = this.#bookOf(id);
      this.#judgeBook(customer, book);
      for (const row of rows.filter(({ customerId }) => customerId === id)) {
        const isCredit = shop.givesCredit && row.configurationId === CASHBACK;
        if (isCredit) this.#judgeCredit(row, book);
        else this.#judgeEnd(row, book);
        if (row.canceledAt === null && !isCredit) paid.add(row.ExternalCode.toLowerCase());
      }
      for (const [reward, some] of Map.groupBy(this.#live(id), (one) => one.configurationId)) {
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

  /** Paid, and the code can be used or an order used it; or given back, and no order used it. */
  #judgeEnd(row: RedemptionRow, book: readonly Redemption[]): void {
    const { kernel, loyalty, shop, redacted } = this.#world;
    const { journal } = kernel;
    const { ExternalCode, customerId, configurationId, canceledAt } = row;
    const key = ExternalCode.toLowerCase();
    const isOrdered = shop.orders.has(key);
    const isRedacted = redacted.has(customerId);
    const { id = '' } = this.#keptOf(row) ?? {};
    const isTakenAgain = loyalty.rows.changeKeys.get(takingKey(id)) !== undefined;
    const held = book.filter(
      ({ state }) =>
        (state.at === 'ready' || state.at === 'used') && state.code.code === ExternalCode,
    );
    if (isTakenAgain && (canceledAt === null || !isOrdered)) {
      journal.violation('spent-once', `the points of ${ExternalCode} are taken again`);
    }
    if (canceledAt !== null) {
      const isGone = book.some((one) => one.id === id && this.#mayStick(one, customerId));
      if (!isOrdered || isTakenAgain || isGone || isRedacted) return;
      journal.violation('code-without-points', `an order used ${ExternalCode} free of charge`);
      return;
    }
    const made = shop.rewards.codes.get(key);
    const isThere = isOrdered || made?.customerId === customerId;
    if ((held.length !== 1 && !isRedacted) || !isThere) {
      const what = `${customerId} paid for reward ${configurationId} (${ExternalCode}) and has no code`;
      journal.violation('points-without-code', what);
    }
    if (isOrdered && made?.used === 0) {
      journal.violation('code-without-points', `an order used ${ExternalCode}, which is unused`);
    }
    // Where the order was faster than the record of the code, the store's count of uses says it to every page.
    if (isOrdered && !made?.used && held.some(({ state }) => state.at === 'ready')) {
      journal.violation('shown', `an order used ${ExternalCode}, which counts as ready`);
    }
  }

  /** Credited once and paid, or neither. */
  #judgeCredit(row: RedemptionRow, book: readonly Redemption[]): void {
    const { kernel, shop, redacted } = this.#world;
    const { customerId, canceledAt, cashValue } = row;
    const kept = this.#keptOf(row);
    const given = shop.credits.filter(
      (one) => one.customerId === customerId && one.expiresAt === kept?.terms.credit?.expiresAt,
    );
    const own = book.find(({ id }) => id === kept?.id);
    const [state, isUnclear] = [own?.state.at, own?.stuck === 'credit-unclear'];
    const isRight =
      canceledAt === null
        ? given.length === 1 || (isUnclear && given.length === 0)
        : given.length === 0;
    const isExact = given.every(({ amount }) => amount === cashValue);
    const paid = canceledAt === null ? 'paid' : 'got back';
    const what = `${customerId} ${paid} ${cashValue} of cashback and has ${given.length} credits, ${state}`;
    if (!isRight || !isExact) kernel.journal.violation('credited-once', what);
    const ends = canceledAt === null ? 'credited' : 'cancelled';
    if (state !== ends && !isUnclear && !redacted.has(customerId)) {
      kernel.journal.violation('shown', what);
    }
  }

  #keptOf({ pointId }: RedemptionRow) {
    return readKept(SHOP, this.#world.loyalty.rows.points.get(String(pointId))?.metadatas);
  }

  #judgeBook({ id: customerId }: ShopCustomer, book: readonly Redemption[]): void {
    const { journal } = this.#world.kernel;
    for (const { why, redemption } of sharedBetween(book)) {
      journal.violation('spent-once', `${redemption.id} of ${customerId}: ${why}`);
    }
    for (const one of book) {
      const { id, state, stuck } = one;
      if (this.#mayStick(one, customerId)) continue;
      if (stuck) journal.violation('person', `${id} needs a person: ${stuck}`);
      else if (isOpen(state)) journal.violation('unfinished', `${id} stays ${state.at}`);
      const shown = this.#shown.get(id)?.state;
      // A click that is repeated after a redaction finds nothing of the first.
      if (!shown || this.#world.redacted.has(customerId)) continue;
      if (FINAL.has(shown) && shown !== state.at && !mayFollow(shown, one)) {
        journal.violation('shown', `${id} was shown as ${shown} and is ${state.at}`);
      }
    }
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
  judgeBalances(): void {
    const { kernel, loyalty, ledger, shop, redacted } = this.#world;
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

/** What a customer was told for good. */
const FINAL: ReadonlySet<string> = new Set(['refused', 'cancelled', 'ready', 'credited', 'used']);

/** An order uses a code; the customer takes it back; an order uses it all the same. */
function mayFollow(shown: RedemptionView['state'], { state, takeBack }: Redemption): boolean {
  if (shown === 'ready') return state.at === 'used' || takeBack !== undefined;
  return shown === 'cancelled' && takeBack !== undefined && state.at === 'used';
}

/** The key under which the points of a late order are taken again. */
const takingKey = (id: string): string => `taken-back:${SHOP}:${id}`;

function describe(held: Partial<RememberedBalance> | undefined): string {
  const { points, cashback, expiring } = held ?? {};
  const ends = expiring ? `${expiring.points} until ${expiring.at}` : 'none';
  return `${points} points, ${cashback} cashback, expiring ${ends}`;
}
