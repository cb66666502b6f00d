import {
  type Amount,
  atLeastZero,
  readAmount,
  smallest,
  subtract,
  sum,
  sumBelowZero,
  ZERO,
} from '../../store/money.ts';
import type {
  BookedFigures,
  GiftCardPayment,
  OrderFigures,
  StoreCreditPayment,
  StoreOrder,
} from '../../store/store-entities.ts';
import { idFromGid } from '../entity-id.ts';
import { givenAway } from '../webhooks/order-amounts.ts';
import { isGiftCard, STORE_CREDIT } from '../webhooks/read-event.ts';
import type { DataOf } from './client/admin-client.ts';
import type { orderAgreementsDocument, orderPaymentsDocument } from './documents.gen.ts';
import type { RefundNode } from './order-as-payload.ts';

type Agreements = NonNullable<DataOf<typeof orderAgreementsDocument>['order']>['agreements'];
type AgreementNode = Agreements['nodes'][number];
export type SaleNode = AgreementNode['sales']['nodes'][number];
export type Payment = NonNullable<
  DataOf<typeof orderPaymentsDocument>['order']
>['transactions'][number];

/** What merchant and customer agreed at one moment: Shopify makes one for each placement, edit, return and refund. */
export interface Agreement {
  readonly happenedAt: string;
  /** Of a refund. */
  readonly refundId: string | undefined;
  readonly sales: readonly SaleNode[];
}

/** What the order's payments need besides the transactions. */
export interface PaymentParts {
  /** What is still to be paid today. */
  readonly owed: Amount;
  /** Of each refund that was read. */
  readonly refunds: ReadonlyMap<string, RefundNode>;
  /** Undefined where no store credit has to do with the order. */
  readonly credit: Pick<StoreCreditPayment, 'paid' | 'mix'> | undefined;
}

/**
 * The order's figures after each agreement and each payment, the oldest first: one fold over the store's own books. Its
 * dates have no milliseconds, so what happened in one second may have come in any order.
 * See docs/decisions/0005-a-lost-ledger-takes-nothing-twice.md.
 */
export function bookOf(
  order: StoreOrder,
  agreements: readonly Agreement[],
  payments: readonly Payment[],
  parts: PaymentParts,
): readonly BookedFigures[] {
  const movements = [
    ...agreements.map((agreement) => ({ at: Date.parse(agreement.happenedAt), agreement })),
    ...payments
      .filter(({ kind, status }) => status === 'SUCCESS' && MOVES.has(kind))
      .map((payment) => ({ at: Date.parse(payment.processedAt ?? ''), payment })),
  ].toSorted((one, other) => one.at - other.at);
  const states: BookedFigures[] = [];
  let before: readonly Movement[] = [];
  for (const { at, group } of groupsOf(movements)) {
    const isPlaced = before.some(({ agreement }) => agreement);
    // Until it is placed and paid, no part is a state of it.
    for (const some of isPlaced ? within(group) : [group]) {
      const until = [...before, ...some];
      // What was owed before is in no book: it may have been nothing, or all that was missing.
      const isLast = until.length === movements.length;
      const owed = isLast ? [parts.owed] : [undefined, ZERO];
      const figures = figuresOf(order, until, parts, owed);
      const when = { at: new Date(at).toISOString(), isPassing: some.length < group.length };
      states.push(...figures.map((one) => ({ ...one, ...when })));
    }
    before = [...before, ...group];
  }
  const { paymentStatus, lostDispute, updatedAt } = order;
  const last = states.at(-1);
  if (!last) return [];
  // When a dispute was lost or an authorization expired is in no book.
  return [...states, { ...last, paymentStatus, lostDispute, at: updatedAt, isUndated: true }];
}

interface Movement {
  readonly at: number;
  readonly agreement?: Agreement;
  readonly payment?: Payment;
}

/** By seconds. The one in which it was placed has two: how it was placed and paid, and what followed at once. */
function groupsOf(movements: readonly Movement[]) {
  const placed = movements.find(({ agreement }) => agreement);
  const isFirst = (one: Movement) => one === placed || PAID.has(one.payment?.kind ?? '');
  return [...Map.groupBy(movements, ({ at }) => at)]
    .flatMap(([at, group]) => {
      if (!placed || at !== placed.at) return [{ at, group }];
      const followed = group.filter((one) => !isFirst(one));
      return [group.filter(isFirst), followed].map((some) => ({ at, group: some }));
    })
    .filter(({ group }) => group.length > 0);
}

/** States of one second: of five movements. Of more, only those in the order of the store's lists. */
const MOST_IN_ONE_SECOND = 5;

/** What may have happened of them at each time; all of it last. */
function* within(group: readonly Movement[]): Generator<readonly Movement[]> {
  if (group.length > MOST_IN_ONE_SECOND) {
    for (let count = 1; count <= group.length; count += 1) yield group.slice(0, count);
    return;
  }
  const all = 2 ** group.length - 1;
  for (let set = 1; set <= all; set += 1) yield group.filter((_, index) => set & (1 << index));
}

/** Kinds of payments that change what was paid. */
const PAID: ReadonlySet<string> = new Set(['CAPTURE', 'SALE']);
const MOVES: ReadonlySet<string> = new Set([...PAID, 'REFUND', 'VOID']);

/** `owed` is what may have been owed then. */
function figuresOf(
  order: StoreOrder,
  movements: readonly Movement[],
  parts: PaymentParts,
  owed: readonly (Amount | undefined)[],
): readonly OrderFigures[] {
  const { currency, taxesIncluded } = order;
  const agreements = movements.flatMap(({ agreement }) => agreement ?? []);
  const payments = movements.flatMap(({ payment }) => payment ?? []);
  const sales = agreements.flatMap((one) => one.sales);
  const netOf = (sale: SaleNode) => subtract(totalOf(sale), taxesIncluded ? ZERO : taxOf(sale));
  const byLine = Map.groupBy(sales, (sale) => idFromGid(lineOf(sale), 'LineItem'));
  const lines = order.lines.map((line) => {
    const own = byLine.get(line.id) ?? [];
    const kept = own.reduce((pieces, { quantity }) => pieces + (quantity ?? 0), 0);
    return { ...line, kept, paid: sum(own.map(netOf)), tax: sum(own.map(taxOf)) };
  });
  const isKept = lines.some(({ kept }) => kept > 0);
  const shipping = sales.filter(isShipping);
  const price = sum(shipping.map(netOf));
  const refunds = agreements.filter(({ refundId }) => refundId !== undefined);
  const shippingBack = refunds.flatMap((one) => one.sales.filter(isShipping));
  // The difference between a refund and what it takes out is no part of what the order costs.
  const differences = sales.filter(({ lineType }) => lineType === 'ADJUSTMENT').map(totalOf);
  const costs = sales.filter(({ lineType }) => lineType !== 'ADJUSTMENT').map(totalOf);
  const total = sum(costs);
  const [stated, takenOut] = [sumBelowZero(differences), sumBelowZero(costs)];
  const money = { total, stated, takenOut, ...moneyIn(payments) };
  const refundIds = new Set(refunds.map(({ refundId }) => refundId));
  const isVoided = money.received === ZERO && payments.some(({ kind }) => kind === 'VOID');
  const figures = {
    ...{ currency, taxesIncluded, lines, total },
    subtotal: sum(lines.map(({ paid }) => paid)),
    shipping: {
      price,
      taxOnTop: subtract(sum(shipping.map(totalOf)), price),
      refunded: isKept ? subtract(ZERO, sum(shippingBack.map(totalOf))) : ZERO,
    },
    paidWithGiftCards: giftCardPayment(
      payments,
      { total, taxesIncluded },
      {
        ...parts,
        refunds: new Map([...parts.refunds].filter(([id]) => refundIds.has(id))),
      },
    ),
    paymentStatus: isVoided ? 'voided' : 'paid',
    lostDispute: false,
  };
  const given = isKept ? owed.map((one) => givenAway({ ...money, owed: one })) : [ZERO];
  return [...new Set(given)].map((refundedWithoutLines) => ({ ...figures, refundedWithoutLines }));
}

const lineOf = (sale: SaleNode): string | undefined =>
  'lineItem' in sale && sale.lineType !== 'TIP' ? sale.lineItem.id : undefined;

const isShipping = ({ lineType }: SaleNode): boolean => lineType === 'SHIPPING';
const totalOf = ({ totalAmount }: SaleNode): Amount => amountOf(totalAmount);
const taxOf = ({ totalTaxAmount }: SaleNode): Amount => amountOf(totalTaxAmount);

type Transaction = Pick<Payment, 'kind' | 'status' | 'gateway' | 'parentTransaction' | 'amountSet'>;

const isRefund = ({ kind }: Transaction): boolean => kind === 'REFUND';
const byEither = ({ gateway }: Transaction): boolean => isGiftCard(gateway);
const byCard = (one: Transaction): boolean => byEither(one) && !byCredit(one);
export const byCredit = ({ gateway }: Transaction): boolean => gateway === STORE_CREDIT;
/** A refund of another payment to store credit is a new credit: it leaves this payment as it is. */
const ofCredit = (one: Transaction): boolean =>
  byCredit(one) && (!isRefund(one) || one.parentTransaction?.gateway === STORE_CREDIT);

/**
 * What gift cards and store credit paid, less what went back to them. While the store owes the customer money, it may
 * go back to them, too: until it does, it counts as if it had, because only what is certain is taken.
 */
export function giftCardPayment(
  payments: readonly Payment[],
  { total, taxesIncluded }: Pick<StoreOrder, 'total' | 'taxesIncluded'>,
  { refunds, credit }: PaymentParts,
): GiftCardPayment {
  const all = moneyIn(payments);
  const owed = atLeastZero(subtract(subtract(all.received, all.back), total));
  const paidBy = (isMeans: (transaction: Transaction) => boolean, owedBack: Amount) => {
    const { received, back } = moneyIn(payments.filter(isMeans));
    // A refund may go to a new gift card: what exceeds the payment did not go back to it.
    const returned = smallest([received, back]);
    const forShipping = [...refunds.values()].map((refund) => {
      const given = moneyIn(refund.transactions.nodes.filter(isMeans)).back;
      return smallest([given, shippingOf(refund, taxesIncluded)]);
    });
    const net = subtract(received, returned);
    const part = {
      net: atLeastZero(subtract(net, owedBack)),
      returnedForShipping: smallest([returned, sum(forShipping)]),
    };
    return { part, stillOwed: atLeastZero(subtract(owedBack, net)) };
  };
  const { part: both } = paidBy(byEither, owed);
  if (!credit) return both;
  const cards = paidBy(byCard, owed);
  const { part } = paidBy(ofCredit, cards.stillOwed);
  return { ...both, apart: { cards: cards.part, credit: { ...part, ...credit } } };
}

/** Within this time of its order, a checkout has paid. */
const PAID_AT_ONCE_MS = 60_000;

/** A gift card or store credit paid later: the order may have counted more before, and no field of it shows that. */
export function isPaidLate({ placedAt }: StoreOrder, payments: readonly Payment[]): boolean {
  const isLate = ({ processedAt }: Payment) =>
    Date.parse(processedAt ?? '') - Date.parse(placedAt) > PAID_AT_ONCE_MS;
  return payments.some((one) => PAID.has(one.kind) && byEither(one) && isLate(one));
}

export function moneyIn(transactions: readonly Transaction[]) {
  const successful = transactions.filter(({ status }) => status === 'SUCCESS');
  const sumOf = (some: readonly Transaction[]) =>
    sum(some.map(({ amountSet }) => amountOf(amountSet)));
  return {
    received: sumOf(successful.filter(({ kind }) => PAID.has(kind))),
    back: sumOf(successful.filter(isRefund)),
  };
}

function shippingOf({ refundShippingLines }: RefundNode, taxesIncluded: boolean): Amount {
  return sum(
    refundShippingLines.nodes.flatMap(({ subtotalAmountSet, taxAmountSet }) => [
      amountOf(subtotalAmountSet),
      taxesIncluded ? ZERO : amountOf(taxAmountSet),
    ]),
  );
}

export const amountOf = ({ shopMoney }: Transaction['amountSet']): Amount =>
  readAmount(shopMoney.amount) ?? ZERO;
