import type { OrderEarning } from '../../../program/answers.ts';
import { orderStrings } from '../../../program/strings/order.ts';
import { fill, type Words } from '../../../program/words.ts';

/** What one order earns, as a sentence, a note below it, and how that came about. */
export function sayEarning(
  earning: OrderEarning,
  words: Words,
): { readonly main: string; readonly note: string; readonly lines: readonly string[] } {
  const lines = earning.state === 'earns' ? sayAmount(earning, words) : [];
  return { ...sayState(earning, words), lines };
}

function sayAmount({ steps, counted }: OrderEarning, words: Words): readonly string[] {
  const order = orderStrings[words.language];
  const total = steps.reduce((sum, { amount }) => sum + amount, 0);
  const lines = steps.map(({ kind, amount }) =>
    fill(order.steps[kind], { amount: words.money(amount) }),
  );
  const changes = counted.flatMap(({ at, amount }, index) => {
    const change = amount - (counted[index - 1]?.amount ?? 0);
    const more = index === 0 ? order.counted : order.addedTo;
    const text = change < 0 ? order.takenBack : more;
    const line = fill(text, { date: words.date(at), amount: words.money(change) });
    return change === 0 ? [] : [line];
  });
  return [
    ...(lines.length > 0 ? [...lines, fill(order.counts, { amount: words.money(total) })] : []),
    // A single one says nothing that the total does not.
    ...(changes.length > 1 ? changes : []),
  ];
}

function sayState(
  { state, points, cashback, why }: OrderEarning,
  words: Words,
): { readonly main: string; readonly note: string } {
  const order = orderStrings[words.language];
  const gain = words.gain(points ?? 0, cashback ?? 0);
  switch (state) {
    case 'waiting':
      return { main: order.waiting, note: '' };
    case 'earns': {
      const main = gain === undefined ? order.earnsSome : fill(order.earns, { gain });
      return { main, note: order.whenAdded };
    }
    case 'none':
      return { main: why === 'cancelled' ? order.cancelled : order.none, note: '' };
  }
}
