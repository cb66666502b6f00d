import { fromThousandths, OUTCOMES_KEPT } from '../../../shared/core/ledger/ledger.ts';
import type { AmountStep, WantedOrder } from '../../../shared/core/mapping/wanted-state.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { amountText, orderIn, type Sides } from '../ground/compare/sides.ts';
import type { ArithmeticBlock } from '../ground/terminal/document.ts';

type Step = ArithmeticBlock['steps'][number];

/** How an order's amount came about, and what it counted at which time. Empty for what is no order, or has no amount. */
export function arithmeticOf(sides: Sides): readonly ArithmeticBlock[] {
  const { store, mapped } = sides;
  const order = orderIn(store);
  if (!order || mapped?.kind !== 'wanted' || !('order' in mapped.wanted)) return [];
  const { wanted, steps = [] } = mapped;
  const text = (amount: number) => amountText(amount, order.currency);
  const total = { amount: text(wanted.order.OrderTotal ?? 0), what: 'counts', isSum: true };
  const now: ArithmeticBlock = {
    ...{ kind: 'arithmetic', title: `What counts for points, in ${order.currency}` },
    steps: [
      ...steps.map((step) => ({
        amount: text(Number(step.amount)),
        what: wordsOf(step, order.taxesIncluded, text),
      })),
      total,
    ],
  };
  const past: ArithmeticBlock = {
    ...{ kind: 'arithmetic', title: 'What counted, as it was sent' },
    steps: pastOf(sides.entry, onlyRefund(order, wanted), text),
  };
  // Nothing counts of a cancelled order, however much its goods cost.
  return [...(wanted.kind === 'order' ? [now] : []), ...(past.steps.length > 0 ? [past] : [])];
}

function wordsOf(
  { kind, amount, of }: AmountStep,
  taxesIncluded: boolean,
  text: (amount: number) => string,
): string {
  const part = of === undefined ? '' : `: the part of ${text(Number(of))} that was for these goods`;
  switch (kind) {
    case 'goods':
      return `paid for the goods that are kept, after discounts, without shipping, taxes ${taxesIncluded ? 'included' : 'not included'}`;
    case 'tax':
      return amount.startsWith('-') ? 'taxes in it' : 'taxes on top of it';
    case 'gift-cards-sold':
      return 'gift cards among them: they do not count when they are bought';
    case 'tips-and-duties':
      return 'tips and duties';
    case 'refunded-without-lines':
      return `paid back without taking goods back${part}`;
    case 'never-paid':
      return 'its payment was voided or has expired';
    case 'dispute-lost':
      return 'a dispute about its payment was lost';
    case 'paid-with-gift-cards':
      return `paid with gift cards or store credit${part}`;
    case 'paid-with-store-credit':
      return `paid with store credit that was given, not refunded${part}`;
    case 'store-credit-not-known':
      return `paid with store credit; not known whether it was given or refunded${part}`;
  }
}

interface Amounts {
  readonly before: number;
  readonly after: number;
}

/** From the ledger's own record of each call: never computed again, so a changed rule changes none of it. */
function pastOf(
  entry: Sides['entry'],
  refund: Amounts | undefined,
  text: (amount: number) => string,
): readonly Step[] {
  const outcomes = entry?.outcomes ?? [];
  const sent = outcomes.flatMap(({ at, counts }) => (counts === undefined ? [] : [{ at, counts }]));
  const first =
    outcomes.length < OUTCOMES_KEPT ? 'counted' : 'counted; earlier changes, if any, are not kept';
  const changes = sent.flatMap(({ at, counts }, index) => {
    const before = sent[index - 1]?.counts;
    if (before === undefined) return [{ at, amount: text(fromThousandths(counts)), what: first }];
    if (before === counts) return [];
    const isRefund = refund?.before === before && refund.after === counts;
    const back = isRefund ? 'taken back by its refund' : 'taken back';
    const what = counts < before ? back : 'added';
    return [{ at, amount: text(fromThousandths(counts - before)), what }];
  });
  const last = sent.at(-1)?.counts;
  if (changes.length < 2 || last === undefined) return [];
  return [...changes, { amount: text(fromThousandths(last)), what: 'counts now', isSum: true }];
}

/**
 * What the order counted before and after its refund, if it has just one. Goods that an edit took out or that were
 * returned, a lost dispute and a voided payment have an earlier state, too: of several, none can be told apart.
 */
function onlyRefund(
  { paymentStatus = '' }: StoreOrder,
  { past = [] }: WantedOrder,
): Amounts | undefined {
  const [before, after, ...others] = new Set(past.map(({ counts }) => counts));
  if (before === undefined || after === undefined || others.length > 0) return undefined;
  return REFUNDED.has(paymentStatus) ? { before, after } : undefined;
}

const REFUNDED: ReadonlySet<string> = new Set(['partially_refunded', 'refunded']);
