import {
  type Amount,
  atLeastZero,
  readAmount,
  smallest,
  subtract,
  sum,
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
import { isGiftCard, STORE_CREDIT } from '../webhooks/read-order-webhook.ts';
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
  readonly taxesIncluded: boolean;
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
  for (const [at, group] of Map.groupBy(movements, (one) => one.at)) {
    const isPlaced = before.some(({ agreement }) => agreement);
    // Of the moment in which it was placed, only the end is a state of it.
    for (const some of isPlaced ? within(group) : [group]) {
      const until = [...before, ...some];
      // What was owed before is in no book: it may have been nothing, or all that was missing.
      const isLast = until.length === movements.length;
      const figures = (isLast ? [parts.owed] : [undefined, ZERO]).map((owed) => ({
        ...{ ...figuresOf(order, until, parts, owed), at: new Date(at).toISOString() },
      }));
      states.push(...distinct(figures));
    }
    before = [...before, ...group];
  }
  const { paymentStatus, lostDispute, updatedAt } = order;
  const last = states.at(-1);
  if (!last) return [];
  // When a dispute was lost or an authorization expired is in no book.
  return [...states, { ...last, paymentStatus, lostDispute, at: updatedAt }];
}

/** They differ in nothing else. */
const distinct = (figures: readonly BookedFigures[]): readonly BookedFigures[] =>
  figures.filter(
    (one, index) => index === 0 || one.refundedWithoutLines !== figures[0]?.refundedWithoutLines,
  );

interface Movement {
  readonly at: number;
  readonly agreement?: Agreement;
  readonly payment?: Payment;
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

function figuresOf(
  order: StoreOrder,
  movements: readonly Movement[],
  parts: PaymentParts,
  owed: Amount | undefined,
): OrderFigures {
  const agreements = movements.flatMap(({ agreement }) => agreement ?? []);
  const payments = movements.flatMap(({ payment }) => payment ?? []);
  const sales = agreements.flatMap((one) => one.sales);
  const netOf = (sale: SaleNode) =>
    order.taxesIncluded
      ? amountOf(sale.totalAmount)
      : subtract(amountOf(sale.totalAmount), amountOf(sale.totalTaxAmount));
  const bySale = Map.groupBy(sales, (sale) => idFromGid(lineOf(sale), 'LineItem'));
  const lines = order.lines.map((line) => {
    const own = bySale.get(line.id) ?? [];
    return {
      ...line,
      kept: own.reduce((pieces, { quantity }) => pieces + (quantity ?? 0), 0),
      paid: sum(own.map(netOf)),
      tax: sum(own.map(({ totalTaxAmount }) => amountOf(totalTaxAmount))),
    };
  });
  const isKept = lines.some(({ kept }) => kept > 0);
  const shipping = sales.filter(({ lineType }) => lineType === 'SHIPPING');
  const price = sum(shipping.map(netOf));
  const back = agreements
    .filter(({ refundId }) => refundId !== undefined)
    .flatMap((one) => one.sales.filter(({ lineType }) => lineType === 'SHIPPING'));
  // The difference between a refund and what it takes out is no part of what the order costs.
  const adjustments = sales.filter(({ lineType }) => lineType === 'ADJUSTMENT').map(totalOf);
  const total = sum(sales.filter(({ lineType }) => lineType !== 'ADJUSTMENT').map(totalOf));
  const stated = sum(adjustments.map((one) => atLeastZero(subtract(ZERO, one))));
  const out = sales.filter((sale) => sale.lineType !== 'ADJUSTMENT').map(totalOf);
  const takenOut = sum(out.map((one) => atLeastZero(subtract(ZERO, one))));
  const money = { total, stated, takenOut, owed, ...moneyIn(payments) };
  const refundIds = new Set(agreements.map(({ refundId }) => refundId));
  const isVoided = money.received === ZERO && payments.some(({ kind }) => kind === 'VOID');
  return {
    currency: order.currency,
    taxesIncluded: order.taxesIncluded,
    lines,
    subtotal: sum(lines.map(({ paid }) => paid)),
    total,
    shipping: {
      price,
      taxOnTop: subtract(sum(shipping.map(totalOf)), price),
      refunded: isKept ? subtract(ZERO, sum(back.map(totalOf))) : ZERO,
    },
    refundedWithoutLines: isKept ? givenAway(money) : ZERO,
    paidWithGiftCards: giftCardPayment(payments, total, {
      ...parts,
      refunds: new Map([...parts.refunds].filter(([id]) => refundIds.has(id))),
    }),
    paymentStatus: isVoided ? 'voided' : 'paid',
    lostDispute: false,
  };
}

const lineOf = (sale: SaleNode): string | undefined =>
  'lineItem' in sale && sale.lineType !== 'TIP' ? sale.lineItem.id : undefined;

const totalOf = ({ totalAmount }: SaleNode): Amount => amountOf(totalAmount);

interface Means {
  readonly paid: (transaction: Transaction) => boolean;
  readonly back: (transaction: Transaction) => boolean;
}

type Transaction = Pick<Payment, 'kind' | 'status' | 'gateway' | 'parentTransaction' | 'amountSet'>;

const byGiftCard = ({ gateway }: Transaction) => isGiftCard(gateway);
const byCard = (one: Transaction) => byGiftCard(one) && !byCredit(one);
export const byCredit = ({ gateway }: Pick<Transaction, 'gateway'>) => gateway === STORE_CREDIT;
const EITHER: Means = { paid: byGiftCard, back: byGiftCard };
const CARDS: Means = { paid: byCard, back: byCard };
/** A refund of another payment to store credit is a new credit: it leaves this payment as it is. */
const CREDIT: Means = {
  paid: byCredit,
  back: (one) => byCredit(one) && one.parentTransaction?.gateway === STORE_CREDIT,
};

/**
 * What gift cards and store credit paid, less what went back to them. While the store owes the customer money, it may
 * go back to them, too: until it does, it counts as if it had, because only what is certain is taken.
 */
export function giftCardPayment(
  payments: readonly Payment[],
  total: Amount,
  { taxesIncluded, refunds, credit }: PaymentParts,
): GiftCardPayment {
  const { received, back } = moneyIn(payments);
  const owed = atLeastZero(subtract(subtract(received, back), total));
  const less = (means: Means, owedBack: Amount) => {
    const paid = sumOf(payments, (one) => PAID.has(one.kind) && means.paid(one));
    // A refund may go to a new gift card: what exceeds the payment did not go back to it.
    const returned = smallest([paid, sumOf(payments, (one) => isRefund(one) && means.back(one))]);
    const forShipping = [...refunds.values()].map((refund) => {
      const given = sumOf(refund.transactions.nodes, (one) => isRefund(one) && means.back(one));
      return smallest([given, shippingOf(refund, taxesIncluded)]) ?? ZERO;
    });
    const net = subtract(paid, returned ?? ZERO);
    return {
      net: atLeastZero(subtract(net, owedBack)),
      returnedForShipping: smallest([returned ?? ZERO, sum(forShipping)]) ?? ZERO,
      left: atLeastZero(subtract(owedBack, net)),
    };
  };
  const { left: _, ...both } = less(EITHER, owed);
  if (!credit) return both;
  const { left, ...cards } = less(CARDS, owed);
  const { left: __, ...ofCredit } = less(CREDIT, left);
  return { ...both, apart: { cards, credit: { ...ofCredit, ...credit } } };
}

export function moneyIn(payments: readonly Transaction[]): { received: Amount; back: Amount } {
  return {
    received: sumOf(payments, ({ kind }) => PAID.has(kind)),
    back: sumOf(payments, isRefund),
  };
}

const isRefund = ({ kind }: Transaction): boolean => kind === 'REFUND';

function sumOf(
  transactions: readonly Transaction[],
  isWanted: (transaction: Transaction) => boolean,
): Amount {
  return sum(
    transactions
      .filter((one) => one.status === 'SUCCESS' && isWanted(one))
      .map(({ amountSet }) => amountOf(amountSet)),
  );
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
