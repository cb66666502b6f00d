import fc from 'fast-check';
import { type Cart, variedCart } from '../../local/store-sandbox/model/carts.ts';
import { formatMinor } from '../../local/store-sandbox/model/minor-units.ts';
import { financialStatus, orderTotals } from '../../local/store-sandbox/model/order-totals.ts';
import type { OrderRow, TransactionRow } from '../../local/store-sandbox/model/rows.ts';
import {
  type Habits,
  type StoreChange,
  StoreLife,
} from '../../local/store-sandbox/model/store-life.ts';
import { minorDigits } from '../../shared/store/money.ts';
import { judgeOrder } from './judge-order.ts';
import { type LawRules, oddCoins, standingOf } from './order-law.ts';
import { GIFT_CARD, openScene, type Scene } from './order-scene.ts';

/** What can happen to one order, sensible or not; the store refuses what it cannot do. */
const habits = (cart: Cart): Habits => ({
  weights: {
    tagOrder: 1,
    payOrder: 8,
    payDeposit: 8,
    voidPayment: 4,
    expirePayment: 2,
    fulfilOrder: 12,
    fulfilPart: 1,
    editOrder: 10,
    addLine: 4,
    exchangeLine: 4,
    refundLine: 10,
    refundShippingTo: 10,
    refundAmount: 10,
    refundLater: 4,
    settleRefund: 8,
    returnLine: 6,
    refundReturn: 4,
    openDispute: 1,
    decideDispute: 3,
    cancelOrder: 1,
  },
  cart,
  prices: [10, 33, 100],
  pieces: [0, 1, 2, 3],
  repeats: 0,
  changesEndedOrders: true,
  minimum: { customers: 0, products: 0, discounts: 0 },
  maxDeleted: 0,
});

const anyRules: fc.Arbitrary<LawRules> = fc.record({
  taxes: fc.constantFrom('exclude', 'include'),
  giftCards: fc.constantFrom('earn-when-bought', 'earn-when-bought', 'earn-when-used', 'never'),
  completeWhen: fc.constantFrom('fulfilled', 'fulfilled', 'paid'),
  lostDisputes: fc.constantFrom('ignore', 'take-back'),
});

const anyStep = fc.record({
  draws: fc.array(fc.nat(9_999), { minLength: 24, maxLength: 24 }),
  /** Sometimes two changes in one second, sometimes a month. */
  pauseMs: fc.constantFrom(60_000, 60_000, 3_700_000, 300, 40 * 86_400_000),
  /** Whether the workers process what happened so far. */
  processed: fc.constantFrom(true, true, false),
  /** Some refunds go to store credit instead of the payments. */
  toCredit: fc.constantFrom(false, false, false, true),
});

const anyLifeOfOne = fc.record({
  // The loyalty sandbox counts in hundredths: a shop of three decimals cannot be judged by it.
  currency: fc.constantFrom('EUR', 'BRL', 'JPY'),
  raise: fc.constantFrom('park', 'send-gross'),
  rules: anyRules,
  cart: fc.array(fc.nat(9_999), { minLength: 24, maxLength: 24 }),
  /** Whether the order is paid, perhaps by a gift card in part, and shipped at once: most accidents matter only then. */
  begins: fc.constantFrom('shipped', 'shipped', 'gift-card', 'gift-card', 'placed'),
  /** Of its total, in percent. */
  byGiftCard: fc.constantFrom(1, 10, 40, 50, 90),
  steps: fc.array(anyStep, { minLength: 1, maxLength: 8 }),
});

/** The ledger is lost, or restored to what it was before an earlier step. `lost`: nobody ran `recover` yet. */
const anyAccident = fc.record({
  kind: fc.constantFrom('lost', 'recovered', 'restored'),
  /** Numbers of steps, modulo those that there are. */
  before: fc.nat(7),
  copiedBefore: fc.nat(7),
});

/** Another integration sends the order before the connector goes live. */
const anyTakeOver = fc.record({
  /** The number of the step before which the shop goes live. */
  before: fc.nat(4),
  /** Whether the scan of go-live meets the order, or its next change does. */
  meets: fc.boolean(),
  /** What the other one counts beyond our amount, in units of the currency. */
  more: fc.constantFrom(0, 0, 0, 7),
});

/** The number of the step before which the rules change. */
const anyChange = fc.record({ before: fc.nat(7), rules: anyRules });

type AnyOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

export interface OrderLife extends AnyOf<typeof anyLifeOfOne> {
  readonly change?: AnyOf<typeof anyChange> | undefined;
  readonly accident?: AnyOf<typeof anyAccident>;
  readonly takeOver?: AnyOf<typeof anyTakeOver>;
}

export const plainLives: fc.Arbitrary<OrderLife> = fc
  .tuple(anyLifeOfOne, fc.option(anyChange, { nil: undefined }))
  .map(([life, change]) => ({ ...life, change }));
export const livesWithAccident: fc.Arbitrary<OrderLife> = fc
  .tuple(anyLifeOfOne, anyAccident)
  .map(([life, accident]) => ({ ...life, accident }));
export const livesWithTakeOver: fc.Arbitrary<OrderLife> = fc
  .tuple(anyLifeOfOne, anyTakeOver)
  .map(([{ begins, ...life }, takeOver]) => ({
    ...life,
    begins: begins === 'placed' ? 'shipped' : begins,
    takeOver,
  }));

export type LifeEnd =
  /** The service counts what docs/mapping.md says, or nothing was there to judge. */
  | { readonly kind: 'kept' | 'unjudged' }
  /** A dead letter about the order waits. */
  | { readonly kind: 'person'; readonly why: string }
  /** Silently another amount. */
  | { readonly kind: 'broken'; readonly what: string; readonly story: readonly string[] };

/**
 * Plays the life in a shop of its own, until everything is at rest, and judges it. `tamper` changes what the service
 * holds before that.
 */
export async function playLife(
  life: OrderLife,
  tamper: (scene: Scene) => void = () => {},
): Promise<LifeEnd> {
  const { currency, raise, rules, change: ruleChange, accident, takeOver } = life;
  const scene = openScene({
    shop: { currency },
    rules,
    assumptions: { raiseAfterPartialCancel: raise },
  });
  const { shop } = scene;
  /** What happened, for the message of a failure. */
  const story: string[] = [];
  const tell = (what: string) => void story.push(what);
  const attempt = ({ action, input }: StoreChange): void => {
    const { kind } = shop.attempt(action, input);
    if (kind === 'done') tell(`${action} ${JSON.stringify(input)}`);
  };
  for (const price of [10, 33, 100]) shop.do('createProduct', { title: `Costs ${price}`, price });
  if (takeOver) await scene.observe();

  const cart: Cart = (...given) => {
    const drawn = variedCart(currency)(...given);
    // What a refund without a line takes of a gift card that counts nothing is not documented.
    const sellsGiftCards = [rules, ruleChange?.rules ?? rules].every(
      ({ giftCards }) => giftCards === 'earn-when-bought',
    );
    const lines = drawn.lines.map((line) => ({
      ...line,
      ...(!sellsGiftCards && { giftCard: false }),
    }));
    return { ...drawn, lines };
  };
  const random = (draws: readonly number[]) => {
    let drawn = 0;
    return () => (draws[drawn++ % draws.length] ?? 0) / 10_000;
  };
  const placed = cart(shop.rows, random(life.cart), shop.world.now());
  const isMixed = life.begins === 'gift-card';
  attempt({ action: 'placeOrder', input: { ...placed, ...(isMixed && { payment: 'none' }) } });
  const [id = ''] = shop.states.keys();
  if (id === '') return { kind: 'unjudged' };
  if (life.begins !== 'placed') {
    const { outstandingMinor } = orderTotals(scene.order(id).row());
    const part = Math.floor((outstandingMinor * life.byGiftCard) / 100);
    const amount = formatMinor(part, minorDigits(currency));
    if (isMixed) {
      attempt({ action: 'payOrder', input: { orderId: id, amount, gateway: GIFT_CARD } });
    }
    attempt({ action: 'payOrder', input: { orderId: id } });
    attempt({ action: 'fulfilOrder', input: { orderId: id } });
    await scene.process();
  }

  const store = new StoreLife(shop.rows, habits(cart), shop.world.now);
  const turn = (number: number) => number % life.steps.length;
  let other: TakenOver | undefined;
  /** An order that is completed keeps the rules of that moment. */
  let countedBy = rules;
  for (const [index, { draws, pauseMs, processed, toCredit }] of life.steps.entries()) {
    if (takeOver && index === turn(takeOver.before)) {
      tell(`goes live, meets it: ${takeOver.meets}, the other one counts ${takeOver.more} more`);
      other = await takeOverFrom(scene, id, rules, takeOver);
      if (!other) return { kind: 'unjudged' };
    }
    if (accident?.kind === 'restored' && index === copyTurn(accident, life)) {
      tell('the ledger is copied');
      scene.copyLedger();
    }
    if (accident && index === turn(accident.before)) {
      tell(`the ledger is ${accident.kind}`);
      await scene.loseLedger({ recovered: accident.kind !== 'lost' });
    }
    if (ruleChange && index === turn(ruleChange.before)) {
      // At rest, so that the order was sent under the one or under the other rules.
      await scene.process();
      // When an order completes, and whether disputes count, are no part of what an order keeps.
      const { completeWhen, lostDisputes } = rules;
      const changed = { ...ruleChange.rules, completeWhen, lostDisputes };
      if (!shop.held(id)?.isCompleted) countedBy = changed;
      tell(`the rules change to ${JSON.stringify(changed)}`);
      shop.changeRules(changed);
    }
    shop.clock.ms += pauseMs;
    const change = store.next(random(draws));
    if (change) attempt(toCredit ? asCredit(change) : change);
    if (!processed) continue;
    tell('processed');
    await scene.process();
  }
  shop.clock.ms += 60_000;
  await scene.process();
  tamper(scene);
  return judge(scene, id, { rules: countedBy, other, story, wasLost: accident !== undefined });
}

const copyTurn = ({ before, copiedBefore }: AnyOf<typeof anyAccident>, { steps }: OrderLife) =>
  Math.min(copiedBefore % steps.length, before % steps.length);

function asCredit(change: StoreChange): StoreChange {
  if (change.action !== 'refundOrder') return change;
  return { ...change, input: { ...change.input, to: 'store-credit' } };
}

interface TakenOver {
  /** The order's id in the service. */
  readonly key: string;
  /** What the other integration counted beyond our amount, in minor units. */
  readonly moreMinor: bigint;
  /** Coins of our amount then that no source decides: they are a part of what the other one counted beyond it. */
  readonly oddCoins: bigint;
}

/** Undefined where the other integration would not have sent the order as completed. */
async function takeOverFrom(
  scene: Scene,
  id: string,
  rules: LawRules,
  { meets, more }: NonNullable<OrderLife['takeOver']>,
): Promise<TakenOver | undefined> {
  await scene.process();
  const { rows, world } = scene.shop;
  const row = rows.orders.get(id);
  const standing = row && standingOf(row, rules);
  if (standing?.kind !== 'open' || !standing.isComplete || row?.customerId === null)
    return undefined;
  const unit = 10 ** minorDigits(world.shop.currency);
  const order = scene.order(id);
  await scene.otherSends(order, (Number(standing.minor) + more * unit) / unit);
  await scene.goLive({ meets });
  const odd = row ? oddCoins(row) : 0n;
  return { key: order.name(), moreMinor: BigInt(more * unit), oddCoins: odd };
}

interface Judged {
  readonly rules: LawRules;
  readonly other: TakenOver | undefined;
  readonly story: readonly string[];
  /** The ledger was lost or restored. */
  readonly wasLost: boolean;
}

/** At rest: the amount by docs/mapping.md, or a person was asked. */
function judge({ shop }: Scene, id: string, given: Judged): LifeEnd {
  const { rules, other, story, wasLost } = given;
  const states = shop.states.get(id) ?? [];
  const letters = shop.letters(id);
  const held = shop.held(other?.key ?? id);
  if (other && shop.held(id)) return { kind: 'broken', what: 'the service has it twice', story };
  const { moreMinor = 0n, oddCoins: odd = 0n } = other ?? {};
  // A lost ledger does not know how a return that is not refunded yet was rounded: its refund may say otherwise.
  const wasOdd = wasLost && states.some((row) => row && oddCoins(row) > 0n);
  const around = odd > 0n || wasOdd ? [moreMinor - 1n, moreMinor, moreMinor + 1n] : [moreMinor];
  const judged = [0n, ...around].map((beyond) => {
    const minor = held && { ...held, minor: held.minor - beyond };
    return judgeOrder({ states, held: minor, rules: [rules], letters });
  });
  if (judged.some(({ kind }) => kind !== 'broken')) return { kind: 'kept' };
  const last = states.at(-1);
  const standing = last && standingOf(last, rules);
  // That it was complete, nobody knows any more: a person is asked once it is again.
  const isPending = standing?.kind === 'open' && !standing.isComplete;
  if (wasLost && held?.isCancelled && isPending) return { kind: 'kept' };
  if (last && held?.isCompleted && isPossible(last, held.minor, rules)) return { kind: 'kept' };
  const [why] = letters;
  if (why !== undefined) return { kind: 'person', why };
  const [first] = judged;
  return { kind: 'broken', what: first?.kind === 'broken' ? first.what : '', story };
}

/**
 * While the store owes the customer money, where that goes decides what counts: anything between the least and the most
 * that it may count then is right.
 */
function isPossible(row: OrderRow, minor: bigint, rules: LawRules): boolean {
  const owedMinor = -orderTotals(row).outstandingMinor;
  if (owedMinor <= 0) return false;
  const theirs = row.transactions.filter(
    ({ gateway, status }) => gateway !== 'shopify_payments' && status === 'success',
  );
  const sumOf = (isOne: (one: TransactionRow) => boolean) =>
    theirs.filter(isOne).reduce((sum, one) => sum + one.minor, 0);
  const onGiftCards =
    sumOf(({ kind }) => kind === 'sale' || kind === 'capture') -
    sumOf(({ kind }) => kind === 'refund');
  const toGiftCards = Math.max(0, Math.min(owedMinor, onGiftCards));
  const paidBack = (parts: readonly (readonly [string, number])[]): OrderRow => ({
    ...row,
    transactions: [
      ...row.transactions,
      ...parts.flatMap(([gateway, part]): TransactionRow[] => {
        const [like] = row.transactions;
        if (!like || part === 0) return [];
        return [{ ...like, gateway, minor: part, kind: 'refund', status: 'success' }];
      }),
    ],
  });
  const ends = [
    row,
    paidBack([['shopify_payments', owedMinor]]),
    paidBack([
      [GIFT_CARD, toGiftCards],
      ['shopify_payments', owedMinor - toGiftCards],
    ]),
  ]
    .filter((one) => financialStatus(one) !== 'refunded')
    .map((one) => standingOf(one, rules))
    .flatMap((one) => (one.kind === 'open' ? [one.minor] : []));
  return ends.some((one) => one <= minor) && ends.some((one) => one >= minor);
}

/** Leaves out steps while the law stays broken. */
export async function shrinkLife(life: OrderLife): Promise<OrderLife> {
  for (let index = life.steps.length - 1; index >= 0 && life.steps.length > 1; index -= 1) {
    const shorter = { ...life, steps: life.steps.toSpliced(index, 1) };
    if ((await playLife(shorter)).kind === 'broken') return shrinkLife(shorter);
  }
  return life;
}
