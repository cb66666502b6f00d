import type { Redemption } from '../../program/answers.ts';
import { answered } from '../../program/program.ts';
import { fill } from '../../program/words.ts';
import { build } from '../build-element.ts';
import type { View } from '../view.ts';

/** The redemptions: their codes, and a sentence for those without a code yet. */
export function drawCodes(view: View): readonly Node[] {
  const redemptions = answered(view.model.view)?.redemptions ?? [];
  if (redemptions.length === 0) return [];
  return [
    build('h2', { part: 'heading' }, view.words.strings.codes.heading),
    build(
      'ul',
      { part: 'list', role: 'list' },
      ...redemptions.map((one) => drawRedemption(one, view)),
    ),
  ];
}

/** Where the focus goes after redeeming: to the copy button, or to the sentence shown until then. */
export function keyOf({ id }: Pick<Redemption, 'id'>): string {
  return `redemption-${id}`;
}

function drawRedemption(redemption: Redemption, { words, actions }: View): Node {
  const { title, state, code, validUntil } = redemption;
  const { codes } = words.strings;
  const shown = code === null ? undefined : build('code', { part: 'code' }, code);
  const isUsable = state === 'ready' && shown !== undefined;
  const until =
    isUsable && validUntil !== null && fill(codes.validUntil, { date: words.date(validUntil) });
  return build(
    'li',
    { part: `redemption redemption-${state}` },
    build('h3', { part: 'title' }, title),
    shown && build('p', {}, shown),
    isUsable &&
      build(
        'button',
        {
          part: 'button copy',
          type: 'button',
          'data-key': keyOf(redemption),
          'aria-label': `${codes.copy}: ${code}`,
          click: () => actions.copy(redemption, shown),
        },
        codes.copy,
      ),
    build(
      'p',
      { part: 'note', tabindex: -1, 'data-key': isUsable ? undefined : keyOf(redemption) },
      [words.state(state), until].filter(Boolean).join(' '),
    ),
  );
}
