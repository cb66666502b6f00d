import { build } from '../build-element.ts';
import { answered } from '../model.ts';
import type { View } from '../view.ts';
import { fill } from '../words.ts';

/** The points that the product or the cart of this page would earn; nothing where it earns none. */
export function drawEarned({ model, words, subject }: View): readonly Node[] {
  const earned = answered(model.earned);
  const gain = earned && words.gain(earned.points, earned.cashback);
  return gain ? [build('p', { part: 'earned' }, fill(words.strings.earns[subject], { gain }))] : [];
}
