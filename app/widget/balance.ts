import type { View as Answer, TierGoal } from '../program/answers.ts';
import { answered } from '../program/program.ts';
import { sayNearest } from '../program/sentences.ts';
import { fill, type Words } from '../program/words.ts';
import { build, type Child, type View } from './view.ts';

export function drawBalance({ model, words, logInAddress, isLoggedOut }: View): readonly Child[] {
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
    nearest && build('p', { part: 'nearest' }, nearest),
    ...drawTier(view, words),
  ];
}

function drawFigures(
  { points, cashback, asOf, expiring, rewards }: Answer,
  change: number | undefined,
  words: Words,
): readonly Child[] {
  const { balance, cashback: ofCashback } = words.strings;
  if (points === null) return [rewards && build('p', { part: 'note' }, balance.none)];
  const ends = expiring && {
    points: words.points(expiring.points),
    date: words.date(expiring.at),
  };
  return [
    build(
      'p',
      { part: 'balance' },
      build('strong', { part: 'points' }, words.points(points)),
      change && build('span', { part: 'change' }, words.change(change)),
      cashback !== null &&
        cashback > 0 &&
        build('span', { part: 'cashback' }, fill(ofCashback, { amount: words.money(cashback) })),
    ),
    ends && build('p', { part: 'expiring' }, fill(balance.expiring, ends)),
    // Else it is of now.
    asOf &&
      !rewards &&
      build('p', { part: 'note' }, fill(balance.asOf, { date: words.date(asOf) })),
  ];
}

function drawTier({ tier }: Answer, words: Words): readonly Child[] {
  if (!tier) return [];
  const { balance } = words.strings;
  const { name, next } = tier;
  return [
    build('p', { part: 'tier' }, fill(balance.tier, { name })),
    next && build('p', { part: 'next-tier' }, fill(balance.next, { name: next.name })),
    ...(next?.goals ?? []).map((goal) => drawGoal(goal, words)),
  ];
}

function drawGoal(goal: TierGoal, words: Words): Node {
  const { name, percent: value } = goal;
  const text = words.progress(goal);
  const bar = { part: 'progress', 'aria-label': name, 'aria-valuetext': text, max: 100, value };
  return build(
    'div',
    { part: 'goal' },
    build('div', { part: 'goal-text' }, build('span', {}, name), build('span', {}, text)),
    build('progress', bar),
  );
}

/** The points that the product or the cart of this page would earn; empty if it earns none. */
export function drawEarned({ model, words, subject }: View): readonly Child[] {
  const earned = answered(model.earned);
  const gain = earned && words.about(earned);
  return [gain && build('p', { part: 'earned' }, fill(words.strings.earns[subject], { gain }))];
}

export function drawProblem({ model, words, actions }: View): readonly Child[] {
  const failed = [model.view, model.earned].find(
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
      { part: 'button', 'data-key': 'try-again', click: () => actions.reload() },
      words.strings.tryAgain,
    ),
  ];
}
