import { me, points, quizzes, redemptions, rewards } from './answer-reads.ts';
import { answer, redeem } from './answer-writes.ts';
import type { Route } from './route.ts';

/** By the last part of the path: `/apps/loyalty/me`. */
export const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['me', { method: 'GET', for: 'customer', parameters: [], answer: me }],
  [
    'points',
    { method: 'GET', for: 'everybody', parameters: ['items', 'currency'], answer: points },
  ],
  ['rewards', { method: 'GET', for: 'everybody', parameters: [], answer: rewards }],
  ['redemptions', { method: 'GET', for: 'customer', parameters: [], answer: redemptions }],
  ['quizzes', { method: 'GET', for: 'customer', parameters: [], answer: quizzes }],
  ['redeem', { method: 'POST', for: 'customer', parameters: [], answer: redeem }],
  ['answer', { method: 'POST', for: 'customer', parameters: [], answer }],
]);
