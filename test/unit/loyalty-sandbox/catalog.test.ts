import { describe, expect, it } from 'vitest';
import { defaultCatalog } from '../../../local/loyalty-sandbox/default-catalog.ts';

const { rewards, tiers, quizzes } = defaultCatalog;

describe('the default catalog', () => {
  it('has ids that are used once', () => {
    const questions = quizzes.flatMap((quiz) => quiz.questions);
    const options = questions.flatMap((question) =>
      question.kind === 'choice' ? question.options : [],
    );
    for (const entries of [rewards, tiers, quizzes, questions, options]) {
      const ids = entries.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('has a base tier without goals, and goals that rise from tier to tier', () => {
    const sums = tiers.map(({ goals }) => goals.reduce((sum, { value }) => sum + value, 0));
    expect(sums[0]).toBe(0);
    expect(sums).toEqual(sums.toSorted((a, b) => a - b));
  });

  it('has a reward for every reason to be refused', () => {
    expect(rewards.some(({ isActive }) => !isActive)).toBe(true);
    expect(rewards.some(({ valid }) => valid && Date.parse(valid.until) < Date.now())).toBe(true);
    expect(rewards.some(({ usesPerCustomer }) => usesPerCustomer !== undefined)).toBe(true);
    expect(rewards.some(({ usesInAll }) => usesInAll !== undefined)).toBe(true);
    expect(rewards.some(({ tierIds }) => tierIds !== undefined)).toBe(true);
  });

  it('has a reward of each documented type', () => {
    const kinds = rewards.map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(
      new Set(['percent', 'fixed-value', 'cashback', 'custom', 'product']),
    );
  });

  it('has a quiz that is open and one that has ended', () => {
    const now = Date.now();
    const open = quizzes.filter(
      ({ start, end }) => Date.parse(start) < now && now < Date.parse(end),
    );
    expect(open).toHaveLength(1);
    expect(quizzes.some(({ end }) => Date.parse(end) < now)).toBe(true);
  });
});
