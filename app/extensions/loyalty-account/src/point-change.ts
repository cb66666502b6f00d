import type { HistoryEntry } from '../../../program/answers.ts';
import type { Words } from '../../../program/words.ts';

/** `+49 points`, `−50 points`, or the cashback where no points moved; empty for a change of the tier. */
export function changeOf({ points, cashback, kind }: HistoryEntry, words: Words): string {
  if (kind === 'tier') return '';
  const value = points === 0 ? cashback : points;
  const said = points === 0 ? words.money(Math.abs(cashback)) : words.points(Math.abs(points));
  if (value === 0) return words.points(0);
  return `${value > 0 ? '+' : '−'}${said}`;
}
