import { beforeEach, describe, expect, it } from 'vitest';
import { TIME_OUT, UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { serveInProcess } from '../../../support/served-storefront.ts';

let shop: ReturnType<typeof serveInProcess>;
beforeEach(() => {
  shop = serveInProcess();
});

beforeEach(() => shop.enroll('7'));

const of = (...answers: readonly unknown[]) => ({ quizId: 1, answers });
const answer = (body: unknown) => shop.ask('answer', { customerId: '7', body });

describe('quizzes', () => {
  const answers = [
    { questionId: 11, optionIds: [101], text: null },
    { questionId: 12, optionIds: null, text: 'Ochre' },
  ];
  const body = { quizId: 1, answers };

  it('are listed while they are open, and answered once', async () => {
    const { json } = await shop.ask('quizzes', { customerId: '7' });
    expect(json.quizzes).toMatchObject([{ id: 1, completed: false }]);
    const first = await answer(body);
    expect(first.json).toEqual({ accepted: true, points: 25, message: 'Thank you.' });
    const after = await shop.ask('quizzes', { customerId: '7' });
    expect(after.json.quizzes[0].completed).toBe(true);
    const second = await answer(body);
    expect(second.json).toMatchObject({ accepted: false, points: 0 });
    expect(shop.calls('answerQuiz')).toBe(1);
  });

  it('answered by two clicks at once are sent by one of them', async () => {
    const both = await Promise.all([1, 2].map(() => answer(body)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 503]);
    expect(shop.calls('answerQuiz')).toBe(1);
  });

  it('whose answers may have arrived are not sent again before it is known', async () => {
    shop.loyalty.world.interfere = ({ operation }, pass) => {
      const given = pass();
      return operation === 'answerQuiz' ? TIME_OUT : given;
    };
    const lost = await answer(body);
    expect([lost.status, lost.json.error.code]).toEqual([503, 'unavailable']);
    const soon = await answer(body);
    expect([soon.status, soon.json]).toEqual([503, lost.json]);
    expect(Number(soon.headers['retry-after'])).toBeLessThanOrEqual(60);
    shop.clock.ms += 60_000;
    const later = await answer(body);
    const message = 'This quiz was answered before.';
    expect(later.json).toMatchObject({ accepted: false, message });
    expect(shop.calls('answerQuiz')).toBe(1);
  });

  it('can be tried again after the service refused or was away', async () => {
    const incomplete = { quizId: 1, answers: answers.slice(0, 1) };
    expect((await answer(incomplete)).json.accepted).toBe(false);
    shop.loyalty.world.interfere = () => UNREACHABLE;
    expect((await answer(body)).status).toBe(503);
    shop.loyalty.world.interfere = undefined;
    expect((await answer(body)).json.accepted).toBe(true);
  });

  const [first] = answers;
  it.each([
    ['another quiz', { quizId: 2, answers }, 409],
    ['a question of another quiz', of({ questionId: 21, optionIds: [201] })],
    ['an option of another question', of({ questionId: 11, optionIds: [201] })],
    ['a question of another quiz beside its own', of(first, { questionId: 21, optionIds: [201] })],
    ['an option of the question before', of({ questionId: 12, optionIds: [101] })],
    ['one question twice', of(first, first)],
    ['no answers', of()],
    ['no list', { quizId: 1, answers: {} }],
    ['a text for a number', { quizId: '1', answers }],
    ['an endless text', of({ questionId: 12, text: 'x'.repeat(2_001) })],
  ])('take no answers to %s', async (_, wrong, status = 400) => {
    expect((await answer(wrong)).status).toBe(status);
    expect(shop.calls('answerQuiz')).toBe(0);
  });
});
