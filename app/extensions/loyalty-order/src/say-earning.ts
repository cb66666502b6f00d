import type { OrderEarning } from '../../../program/answers.ts';
import { accountStrings } from '../../../program/strings/account.ts';
import { fill, type Words } from '../../../program/words.ts';

/** What one order earns, as a sentence and a note below it. */
export function sayEarning(
  { state, points, cashback, why }: OrderEarning,
  words: Words,
): { readonly main: string; readonly note: string } {
  const { order } = accountStrings[words.language];
  const gain = words.gain(points ?? 0, cashback ?? 0);
  switch (state) {
    case 'waiting':
      return { main: order.waiting, note: '' };
    case 'expected':
      return {
        main: gain === undefined ? order.expectedSome : fill(order.expected, { gain }),
        note: order.later,
      };
    case 'earned':
      return gain === undefined
        ? { main: order.earnedSome, note: '' }
        : { main: fill(order.earned, { gain }), note: order.added };
    case 'none':
      return { main: why === 'cancelled' ? order.cancelled : order.none, note: '' };
  }
}
