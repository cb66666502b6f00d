import { describe, expect, it } from 'vitest';
import {
  balanceOf,
  codeOf,
  makeCustomer,
  makeOrder,
  openSandbox,
  openSandboxWithPoints,
} from '../../support/sandbox-program.ts';

const good = [
  { QuizQuestionId: 11, OpenAnswer: null, OptionIds: [101, 103] },
  { QuizQuestionId: 12, OpenAnswer: 'The blue one', OptionIds: null },
];
const query = { customerId: 'c1' };

describe('listQuizzes', () => {
  it('lists the open ones for anyone', () => {
    for (const asked of [{}, { customerId: '' }]) {
      const { Result } = openSandbox().call('listQuizzes', { query: asked });
      expect(Result).toMatchObject([{ Id: 1, IsCompleted: false, AmountOfPoints: 25 }]);
      expect(Result?.[0]?.QuestionList?.[0]?.Options).toHaveLength(3);
    }
  });

  it('refuses an unknown customer', () => {
    expect(codeOf(openSandbox().call('listQuizzes', { query }))).toBe(59);
  });
});

describe('answerQuiz', () => {
  it('awards its points once', () => {
    const sandbox = openSandboxWithPoints(100);
    const first = sandbox.call('answerQuiz', { query, body: good });
    expect(first.Result).toMatchObject({ Success: true, PointsAwarded: 25 });
    expect(sandbox.takeEvents()).toMatchObject([
      { topic: 'Point_Add', payload: { Points: 25, Cashback: 1.25, PointType: 4 } },
    ]);
    const state = sandbox.snapshot();
    const second = sandbox.call('answerQuiz', { query, body: good });
    expect(second).toMatchObject({ HasError: false, Result: { Success: false, PointsAwarded: 0 } });
    expect(sandbox.snapshot()).toBe(state);
    expect(balanceOf(sandbox).points).toBe(125);
    const { Result } = sandbox.call('listQuizzes', { query });
    expect(Result?.[0]?.IsCompleted).toBe(true);
  });

  it.each([
    ['an unknown question', [{ QuizQuestionId: 99 }], 105],
    ['no answers', [], 105],
    ['questions of two quizzes', [good[0], { QuizQuestionId: 21, OptionIds: [201] }], 105],
    ['an unknown option', [{ QuizQuestionId: 11, OptionIds: [201] }, good[1]], 105],
    ['no option', [{ QuizQuestionId: 11, OptionIds: [] }, good[1]], 106],
    ['too many options', [{ QuizQuestionId: 11, OptionIds: [101, 102, 103] }, good[1]], 107],
    ['too many answers', [...good, good[1]], 108],
    ['no question id', [{ OptionIds: [101] }], 7],
    ['options that are words', [{ QuizQuestionId: 11, OptionIds: ['101'] }], 7],
    ['no list', good[0], 7],
    ['no body', undefined, 7],
  ])('refuses %s', (_, body, code) => {
    expect(codeOf(openSandboxWithPoints(1).call('answerQuiz', { query, body }))).toBe(code);
    expect(codeOf(openSandboxWithPoints(1).callUnchecked('answerQuiz', { query, body }))).toBe(
      code,
    );
  });

  it.each([{}, { customerId: '' }, { customerId: 'c9' }])('refuses the customer of %j', (asked) => {
    const answer = openSandboxWithPoints(1).call('answerQuiz', { query: asked, body: good });
    expect(codeOf(answer)).toBe(59);
  });

  it.each([
    ['a missing answer', [good[0]]],
    ['a blank answer', [good[0], { QuizQuestionId: 12, OpenAnswer: ' ' }]],
    ['a closed quiz', [{ QuizQuestionId: 21, OptionIds: [201] }]],
  ])('gives nothing for %s, without an error', (_, body) => {
    const sandbox = openSandboxWithPoints(1);
    const state = sandbox.snapshot();
    const answer = sandbox.call('answerQuiz', { query, body });
    expect(answer).toMatchObject({ HasError: false, Result: { Success: false, PointsAwarded: 0 } });
    expect(sandbox.snapshot()).toBe(state);
  });

  it('gives nothing to who is not enrolled', () => {
    const sandbox = openSandbox();
    const Customer = makeCustomer({ IsEnrolled: false });
    sandbox.call('sendOrder', { body: makeOrder({ Customer }) });
    const answer = sandbox.call('answerQuiz', { query, body: good });
    expect(answer.Result).toMatchObject({ Success: false, PointsAwarded: 0 });
  });
});
