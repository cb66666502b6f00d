import type { Me, TierGoal } from '../answers.ts';
import { build, type Child } from '../build-element.ts';
import { answered } from '../model.ts';
import type { View } from '../view.ts';
import { fill, type Words } from '../words.ts';

/** Points, cashback, and the tier with the way to the next one; or the way to log in. */
export function drawBalance({ model, words, logInAddress }: View): readonly Node[] {
  const { heading, logIn, logInTo } = words.strings.balance;
  const title = build('h2', { part: 'heading' }, heading);
  if (model.me?.kind === 'failed') {
    if (model.me.code !== 'not-logged-in') return [];
    const link = build('a', { part: 'link', href: logInAddress, 'data-key': 'log-in' }, logIn);
    return [title, build('p', {}, link, ` ${logInTo}`)];
  }
  const me = answered(model.me);
  if (!me) return [title, build('p', { part: 'note' }, words.strings.loading)];
  return [title, ...drawFigures(me, words), ...drawTier(me, words)];
}

function drawFigures({ points, cashback, asOf }: Me, words: Words): readonly Node[] {
  const { balance, cashback: ofCashback } = words.strings;
  if (points === null) return [build('p', { part: 'note' }, balance.none)];
  const hasCashback = cashback !== null && cashback > 0;
  return [
    build(
      'p',
      { part: 'balance' },
      build('strong', { part: 'points' }, words.points(points)),
      hasCashback &&
        build('span', { part: 'cashback' }, fill(ofCashback, { amount: words.money(cashback) })),
    ),
    ...(asOf === null
      ? []
      : [build('p', { part: 'note' }, fill(balance.asOf, { date: words.date(asOf) }))]),
  ];
}

function drawTier({ tier }: Me, words: Words): readonly Node[] {
  if (!tier) return [];
  const { balance } = words.strings;
  const mark = build('span', { part: 'tier-mark', 'aria-hidden': 'true' });
  // Only a colour is taken by this property; anything else that came as one is left out.
  mark.style.backgroundColor = tier.color ?? '';
  const name = build('p', { part: 'tier' }, mark, fill(balance.tier, { name: tier.name }));
  if (!tier.next) return [name];
  return [
    name,
    build('p', { part: 'next-tier' }, fill(balance.next, { name: tier.next.name })),
    ...tier.next.goals.map((goal) => drawGoal(goal, words)),
  ];
}

function drawGoal({ name, value, goal, percent }: TierGoal, words: Words): Node {
  const reached = Math.min(100, Math.max(0, percent));
  const said = fill(words.strings.balance.progress, {
    value: words.number(value),
    goal: words.number(goal),
  });
  const filled = build('span', { part: 'progress-value' });
  filled.style.inlineSize = `${reached}%`;
  const label: Child = build('span', {}, name);
  return build(
    'div',
    { part: 'goal' },
    build('div', { part: 'goal-text' }, label, build('span', {}, said)),
    build(
      'div',
      {
        part: 'progress',
        role: 'progressbar',
        'aria-label': name,
        'aria-valuemin': 0,
        'aria-valuemax': 100,
        'aria-valuenow': Math.round(reached),
        'aria-valuetext': said,
      },
      filled,
    ),
  );
}
