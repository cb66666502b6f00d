import type { View as Answer, TierGoal } from '../program/answers.ts';
import { answered } from '../program/program.ts';
import { sayNearest } from '../program/sentences.ts';
import { fill, type Words } from '../program/words.ts';
import { build, type View } from './view.ts';

/** Points, cashback, the tier and the goals of the next one; or a link to log in. */
export function drawBalance({ model, words, logInAddress, isLoggedOut }: View): readonly Node[] {
  const { heading, logIn, logInTo } = words.strings.balance;
  const title = build('h2', { part: 'heading' }, heading);
  const view = answered(model.view);
  const code = model.view?.kind === 'failed' ? model.view.code : undefined;
  if (isLoggedOut || view?.loggedIn === false || code === 'not-logged-in') {
    const link = build('a', { part: 'link', href: logInAddress, 'data-key': 'log-in' }, logIn);
    return [title, build('p', {}, link, ` ${logInTo}`)];
  }
  if (code !== undefined) return [];
  if (!view) return [title, build('p', { part: 'note' }, words.strings.loading)];
  const nearest = sayNearest(view, words);
  return [
    title,
    ...drawFigures(view, model.change, words),
    ...(nearest === undefined ? [] : [build('p', { part: 'nearest' }, nearest)]),
    ...drawTier(view, words),
  ];
}

function drawFigures(
  { points, cashback, asOf, expiring, rewards }: Answer,
  change: number | undefined,
  words: Words,
): readonly Node[] {
  const { balance, cashback: ofCashback } = words.strings;
  if (points === null) {
    return rewards === null ? [] : [build('p', { part: 'note' }, balance.none)];
  }
  const hasCashback = cashback !== null && cashback > 0;
  return [
    build(
      'p',
      { part: 'balance' },
      build('strong', { part: 'points' }, words.points(points)),
      change !== undefined && build('span', { part: 'change' }, words.change(change)),
      hasCashback &&
        build('span', { part: 'cashback' }, fill(ofCashback, { amount: words.money(cashback) })),
    ),
    ...(expiring
      ? [
          build(
            'p',
            { part: 'expiring' },
            fill(balance.expiring, {
              points: words.points(expiring.points),
              date: words.date(expiring.at),
            }),
          ),
        ]
      : []),
    // Else it is of now.
    ...(asOf === null || rewards !== null
      ? []
      : [build('p', { part: 'note' }, fill(balance.asOf, { date: words.date(asOf) }))]),
  ];
}

function drawTier({ tier }: Answer, words: Words): readonly Node[] {
  if (!tier) return [];
  const { balance } = words.strings;
  const mark = build('span', { part: 'tier-mark', 'aria-hidden': 'true' });
  // This property accepts only a colour, so any other text from the service has no effect.
  mark.style.backgroundColor = tier.color ?? '';
  const name = build('p', { part: 'tier' }, mark, fill(balance.tier, { name: tier.name }));
  if (!tier.next) return [name];
  return [
    name,
    build('p', { part: 'next-tier' }, fill(balance.next, { name: tier.next.name })),
    ...tier.next.goals.map((goal) => drawGoal(goal, words)),
  ];
}

function drawGoal(goal: TierGoal, words: Words): Node {
  const { name } = goal;
  const { percent, text } = words.progress(goal);
  const filled = build('span', { part: 'progress-value' });
  filled.style.inlineSize = `${percent}%`;
  return build(
    'div',
    { part: 'goal' },
    build('div', { part: 'goal-text' }, build('span', {}, name), build('span', {}, text)),
    build(
      'div',
      {
        part: 'progress',
        role: 'progressbar',
        'aria-label': name,
        'aria-valuemin': 0,
        'aria-valuemax': 100,
        'aria-valuenow': Math.round(percent),
        'aria-valuetext': text,
      },
      filled,
    ),
  );
}

/** The points that the product or the cart of this page would earn; empty if it earns none. */
export function drawEarned({ model, words, subject }: View): readonly Node[] {
  const earned = answered(model.earned);
  const gain = earned && words.gain(earned.points, earned.cashback);
  return gain ? [build('p', { part: 'earned' }, fill(words.strings.earns[subject], { gain }))] : [];
}

/** One sentence for the first failed request, and a button to try again. */
export function drawProblem({ model, words, actions }: View): readonly Node[] {
  const failed = [model.view, model.quizzes, model.earned].find(
    (asked) => asked?.kind === 'failed' && asked.code !== 'not-logged-in',
  );
  const view = answered(model.view);
  const away = view?.rewards === null && {
    code: 'unavailable',
    afterSeconds: view.retryAfterSeconds ?? undefined,
  };
  const problem = failed?.kind === 'failed' ? failed : away;
  if (!problem) return [];
  return [
    build('p', { part: 'error' }, words.failure(problem)),
    build(
      'button',
      { part: 'button', type: 'button', 'data-key': 'try-again', click: () => actions.reload() },
      words.strings.tryAgain,
    ),
  ];
}
