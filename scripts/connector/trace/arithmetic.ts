import { fromThousandths, toThousandths } from '../../../shared/core/ledger/ledger.ts';
import type { AmountStep } from '../../../shared/core/mapping/wanted-state.ts';
import type { ArithmeticBlock } from '../document/document.ts';
import { amountText, type Sides } from './sides.ts';

type Step = ArithmeticBlock['steps'][number];

/** How an order's amount came about, and what it counted at which time. Empty for what is no order, or has no amount. */
export function arithmeticOf(sides: Sides): readonly ArithmeticBlock[] {
  const { store, mapped } = sides;
  if (store.kind !== 'found' || store.value.kind !== 'order') return [];
  if (mapped?.kind !== 'wanted' || mapped.wanted.kind !== 'order') return [];
  const { currency, taxesIncluded } = store.value.order;
  const text = (amount: number) => amountText(amount, currency);
  const steps = (mapped.steps ?? []).map((step) => ({
    amount: text(Number(step.amount)),
    what: wordsOf(step, taxesIncluded, text),
  }));
  const total = text(mapped.wanted.order.OrderTotal ?? 0);
  const past = pastOf(sides, text);
  return [
    {
      ...{ kind: 'arithmetic', title: `What counts for points, in ${currency}` },
      steps: [...steps, { amount: total, what: 'counts', isSum: true }],
    },
    ...(past.length > 1
      ? [{ kind: 'arithmetic' as const, title: 'What counted, as it was sent', steps: past }]
      : []),
  ];
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
  }
}

/** From the ledger's own record of each call: never computed again, so a changed rule changes none of it. */
function pastOf({ entry, mapped }: Sides, text: (amount: number) => string): readonly Step[] {
  const sent = (entry?.outcomes ?? []).flatMap(({ at, counts }) =>
    counts === undefined ? [] : [{ at, counts }],
  );
  const changes = sent.flatMap(({ at, counts }, index) => {
    const before = sent[index - 1]?.counts;
    if (before === undefined)
      return [{ at, amount: text(fromThousandths(counts)), what: 'counted' }];
    if (before === counts) return [];
    const what = counts < before ? `taken back${refundBetween(before, counts, mapped)}` : 'added';
    return [{ at, amount: text(fromThousandths(counts - before)), what }];
  });
  const last = sent.at(-1)?.counts;
  if (changes.length < 2 || last === undefined) return [];
  return [...changes, { amount: text(fromThousandths(last)), what: 'counts now', isSum: true }];
}

/** The store's refund whose states before and after have just these amounts; empty where none has, or several. */
function refundBetween(before: number, after: number, mapped: Sides['mapped']): string {
  if (mapped?.kind !== 'wanted' || !('earlier' in mapped.wanted)) return '';
  const { earlier, order } = mapped.wanted;
  const states = [...earlier, order].map(({ OrderTotal }) => toThousandths(OrderTotal));
  const refunds = earlier.flatMap((_, index) =>
    states[index] === before && states[index + 1] === after ? [index + 1] : [],
  );
  return refunds.length === 1 ? ` by refund ${refunds[0]}` : '';
}
