import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../../../../local/harness/memory-ledger.ts';
import {
  claimQuiz,
  quizKey,
  readQuizzes,
  releaseQuiz,
} from '../../../../shared/rewards/storefront/answer-quiz.ts';
import { TIME_OUT, UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { NOON, openAnswering, refusal, success } from '../../../support/answering-loyalty.ts';
import { serveInProcess } from '../../../support/served-storefront.ts';

describe('quizzes', () => {
  let shop: ReturnType<typeof serveInProcess>;
  beforeEach(async () => {
    shop = serveInProcess();
    await shop.enroll('7');
  });

  const of = (...answers: readonly unknown[]) => ({ quizId: 1, answers });
  const answer = (body: unknown) => shop.ask('answer', { customerId: '7', body });

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

  // One shopper rang the alarm "Storefront unavailable" with it.
  it('answered by many clicks at once are sent by one of them, and the program is not unavailable', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => answer(body)));
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, ...Array(11).fill(429)]);
    expect(shop.calls('answerQuiz')).toBe(1);
    expect(shop.telemetry.total('unavailable')).toBe(0);
  });

  it('whose answers may have arrived are not sent again before it is known', async () => {
    shop.loyalty.world.interfere = ({ operation }, pass) => {
      const given = pass();
      return operation === 'answerQuiz' ? TIME_OUT : given;
    };
    const lost = await answer(body);
    expect([lost.status, lost.json.error.code]).toEqual([503, 'unavailable']);
    const soon = await answer(body);
    expect([soon.status, soon.json.error.code]).toEqual([429, 'too-many-requests']);
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

const SHOP = 'example-store.myshopify.com';
const inSeconds = (seconds: number) => new Date(NOON + seconds * 1000).toISOString();

describe('the quizzes of a customer', () => {
  const idsOf = async (...quizzes: readonly object[]) => {
    const read = await readQuizzes('7', openAnswering(success(quizzes)).deps);
    return read.kind === 'answered' && read.value.map(({ id }) => id);
  };

  it('are those that have begun and have not ended', async () => {
    expect(
      await idsOf(
        { Id: 1 },
        { Id: 2, StartDate: inSeconds(1) },
        { Id: 3, StartDate: inSeconds(0), EndDate: inSeconds(0) },
        { Id: 4, EndDate: inSeconds(-1) },
        { Id: 5, StartDate: 'soon', EndDate: 'late' },
        { Name: 'without an id' },
      ),
    ).toEqual([1, 3, 5]);
  });

  it('have the questions and options that can be answered', async () => {
    const options = [{ Id: 101, Text: 'Linen' }, { Id: 102 }, { Text: 'without an id' }];
    const QuestionList = [{ Id: 11, Question: 'Which?', Options: options }, { Id: 12 }, {}];
    const whole = { Id: 1, Name: 'Q', AmountOfPoints: 5, IsCompleted: true, EndDate: inSeconds(9) };
    const { deps } = openAnswering(success([{ ...whole, QuestionList }, { Id: 2 }]));
    expect(await readQuizzes('7', deps)).toEqual({
      kind: 'answered',
      value: [
        {
          ...{ id: 1, name: 'Q', points: 5, completed: true, endsAt: inSeconds(9) },
          questions: [
            {
              ...{ id: 11, text: 'Which?' },
              options: [
                { id: 101, text: 'Linen' },
                { id: 102, text: '' },
              ],
            },
            { id: 12, text: '', options: [] },
          ],
        },
        { ...{ id: 2, name: '', points: 0, completed: false, endsAt: null }, questions: [] },
      ],
    });
  });

  it('are none for a customer whom the service does not know', async () => {
    expect(await readQuizzes('7', openAnswering(refusal()).deps)).toEqual({
      kind: 'answered',
      value: [],
    });
  });
});

describe('a claim of a quiz', () => {
  const key = quizKey(SHOP, '7', 1);

  it('lasts a minute, or until it is released, and is forgotten after a day', async () => {
    const ledger = createMemoryLedger();
    const claim = (seconds: number) => claimQuiz(key, ledger, new Date(NOON + seconds * 1000));
    expect(await claim(0)).toEqual({ kind: 'claimed', revision: 1 });
    expect([...ledger.entries.values()][0]?.expiresAt).toBe(NOON / 1000 + 86_400);
    expect(await claim(0.5)).toEqual({ kind: 'being-sent', afterSeconds: 60 });
    expect(await claim(59)).toEqual({ kind: 'being-sent', afterSeconds: 1 });
    expect(await claim(60)).toEqual({ kind: 'claimed', revision: 2 });
    // The first one’s release comes late, and takes nothing from the second.
    await releaseQuiz(key, 1, ledger, new Date(NOON + 61_000));
    expect(await claim(62)).toMatchObject({ kind: 'being-sent' });
    await releaseQuiz(key, 2, ledger, new Date(NOON + 63_000));
    expect(await claim(63)).toMatchObject({ kind: 'claimed' });
  });

  it('keeps no other customer and no other quiz waiting', async () => {
    const ledger = createMemoryLedger();
    for (const other of [key, quizKey(SHOP, '7', 2), quizKey(SHOP, '8', 1)]) {
      const claimed = await claimQuiz(other, ledger, new Date(NOON));
      expect(claimed).toMatchObject({ kind: 'claimed' });
    }
  });
});
