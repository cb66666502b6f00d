import { describe, expect, it } from 'vitest';
import { changeOf } from '../../../app/extensions/loyalty-account/src/point-change.ts';
import {
  isUnanswered,
  readAnswers,
} from '../../../app/extensions/loyalty-account/src/quiz-answers.ts';
import { sayEarning } from '../../../app/extensions/loyalty-order/src/say-earning.ts';
import type { HistoryEntry, OrderEarning, Quiz } from '../../../app/program/answers.ts';
import { createWords } from '../../../app/program/words.ts';

const words = createWords('en', 'EUR');

describe('a line of the history', () => {
  const entry: HistoryEntry = {
    kind: 'points',
    at: null,
    title: '',
    points: 0,
    cashback: 0,
    cancelled: false,
    code: null,
    tier: null,
  };

  it.each([
    [{ points: 49 }, '+49 points'],
    [{ points: -50, cashback: -2.5 }, '−50 points'],
    [{ cashback: 2.5 }, '+€2.50'],
    [{}, '0 points'],
    [{ kind: 'tier', points: 10 }, ''],
  ] as const)('says the change of %j', (change, said) => {
    expect(changeOf({ ...entry, ...change }, words)).toBe(said);
  });
});

describe('the answers to a quiz', () => {
  const quiz: Quiz = {
    id: 1,
    name: 'Taste',
    points: 25,
    completed: false,
    endsAt: null,
    questions: [
      { id: 7, text: 'Which fabrics?', options: [{ id: 70, text: 'Linen' }] },
      { id: 8, text: 'Which colour?', options: [] },
    ],
  };

  it('are option ids, or the text of an open question', () => {
    expect(readAnswers(quiz, { 7: ['70'], 8: [' Green '] })).toEqual([
      { questionId: 7, optionIds: [70], text: null },
      { questionId: 8, optionIds: null, text: 'Green' },
    ]);
  });

  it.each([[{}], [{ 7: [] }], [{ 7: [' '] }]])('are missing in %j', (given) => {
    expect(quiz.questions.filter((one) => isUnanswered(one, given))).toHaveLength(2);
  });
});

describe('the sentence about an order', () => {
  const none: OrderEarning = { state: 'none', points: null, cashback: null, why: null };

  it.each([
    [{ state: 'waiting' }, /on its way to the loyalty program/],
    [{ state: 'expected', points: 49, cashback: 2.45 }, /earns you 49 points and €2.45 cashback\./],
    [{ state: 'expected' }, /earns you points\./],
    [{ state: 'earned', points: 49 }, /^You earned 49 points/],
    [{ state: 'earned' }, /are in your balance/],
    [{ state: 'none', why: 'no-points' }, /^This order earns no points/],
    [{ state: 'none', why: 'cancelled' }, /was cancelled/],
  ] as const)('of %j', (earning, said) => {
    expect(sayEarning({ ...none, ...earning }, words).main).toMatch(said);
  });

  it('says of points to come that they come later', () => {
    expect(sayEarning({ ...none, state: 'expected' }, words).note).toContain('later');
    expect(sayEarning({ ...none, state: 'earned' }, words).note).toBe('');
  });
});
