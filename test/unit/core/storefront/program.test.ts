import { describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../../../../local/harness/memory-ledger.ts';
import { recordTelemetry } from '../../../../local/harness/recorded-telemetry.ts';
import { createTimedCache } from '../../../../shared/core/calls/ask-loyalty.ts';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import {
  claimQuiz,
  type KnownQuizzes,
  listQuizzes,
  quizKey,
  readQuizzes,
  releaseQuiz,
} from '../../../../shared/core/storefront/answer-quiz.ts';
import { type EarnedPoints, earnPoints } from '../../../../shared/core/storefront/earn-points.ts';
import { readTier } from '../../../../shared/core/storefront/read-view.ts';
import {
  type RewardItem,
  readActive,
  readTiersOf,
} from '../../../../shared/core/storefront/reward-view.ts';
import { readAmount } from '../../../../shared/store/money.ts';

const SHOP = 'example-store.myshopify.com';
const NOON = Date.parse('2026-10-09T12:00:00Z');
const inSeconds = (seconds: number) => new Date(NOON + seconds * 1000).toISOString();

const success = (value: unknown) => ({ kind: 'success', value });
const refusal = (name?: string) => ({
  ...{ kind: 'business-error', class: 'rejected', code: 1, name, message: 'no', fields: [] },
});

/** A loyalty service that gives one operation’s answers, the last of them for ever. */
function open(...answers: readonly unknown[]) {
  const clock = { ms: NOON };
  const now = () => new Date(clock.ms);
  const asked: unknown[][] = [];
  const answer = async (...given: unknown[]) => {
    asked.push(given.slice(0, -1));
    return (answers[asked.length - 1] ?? answers.at(-1)) as never;
  };
  const cache = <Value>() => createTimedCache<Value>({ seconds: 60, most: 10, now });
  const world = {
    ...{ breaker: createCircuitBreaker(), telemetry: recordTelemetry(), now },
    ...{ taxInPrices: 0, earned: cache<EarnedPoints>(), quizzes: cache<KnownQuizzes>() },
    rewardTypes: {},
    ...{ active: cache<readonly RewardItem[]>(), tiersOfRewards: cache<readonly string[]>() },
    ledger: createMemoryLedger(),
    loyalty: {
      ...{ calculateProductPoints: answer, listQuizzes: answer, answerQuiz: answer },
      listTiers: answer,
      ...{ listRewardConfigurations: answer, getRewardConfiguration: answer },
    },
  };
  return { clock, asked, world };
}

describe('the points of a page', () => {
  const price = readAmount('10') ?? expect.fail('no amount');
  const lines = ['1', '2'].map((id) => ({ id, price, quantity: 1 }));

  it.each([
    ['gives none for products', refusal('PublicApiProductService_ObjectiveDisabled'), 0, 0],
    ['does not know the product', success([]), 0, 0],
    [
      'gives parts',
      success([
        { Id: '1', Points: 0.1, Cashback: 0.7 },
        { Id: '2', Points: 0.2, Cashback: 0.1 },
      ]),
      0.3,
      0.8,
    ],
  ])('are known, and asked for once, where the program %s', async (_, result, points, cashback) => {
    const { world, asked } = open(result);
    for (const __ of ['first page', 'second page']) {
      expect(await earnPoints(lines, 'EUR', world)).toMatchObject({
        ...{ kind: 'answered', value: { points, cashback, items: [{ id: '1' }, { id: '2' }] } },
      });
    }
    expect(asked).toHaveLength(1);
  });

  it('are not taken for none where the service refuses to count them', async () => {
    const { world, asked } = open(refusal('Unknown'));
    const unknown = { kind: 'unavailable', afterSeconds: 60, mayHaveHappened: false };
    for (const _ of ['first page', 'second page']) {
      expect(await earnPoints(lines, 'EUR', world)).toEqual(unknown);
    }
    expect(asked).toHaveLength(2);
  });

  it('are none for gifts alone, and the service is not asked', async () => {
    const { world, asked } = open();
    const gift = { id: '3', price: readAmount('0') ?? price, quantity: 1 };
    expect(await earnPoints([gift], 'EUR', world)).toMatchObject({ value: { points: 0 } });
    expect(asked).toEqual([]);
  });
});

describe('the quizzes of a customer', () => {
  const idsOf = async (...quizzes: readonly object[]) => {
    const read = await readQuizzes('7', open(success(quizzes)).world);
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
    const { world } = open(success([{ ...whole, QuestionList }, { Id: 2 }]));
    expect(await readQuizzes('7', world)).toEqual({
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

  it('are asked for again when another process has sent answers, and not kept while they may be on their way', async () => {
    const { world, asked, clock } = open(success([{ Id: 1 }]));
    const look = async () => {
      await listQuizzes(SHOP, '7', world);
      return asked.length;
    };
    expect([await look(), await look()]).toEqual([1, 1]);
    const key = quizKey(SHOP, '7', 1);
    await claimQuiz(key, world.ledger, new Date(clock.ms));
    expect([await look(), await look()]).toEqual([2, 3]);
    clock.ms += 30_000;
    expect([await look(), await look()]).toEqual([4, 5]);
    clock.ms += 30_001;
    expect([await look(), await look()]).toEqual([6, 6]);
    await claimQuiz(key, world.ledger, new Date(clock.ms));
    expect(await look()).toBe(7);
  });

  it('are not looked for in the ledger when all are answered', async () => {
    const { world } = open(success([{ Id: 1, IsCompleted: true }]));
    const ledger = { ...world.ledger, readMany: () => expect.fail('read') };
    expect(await listQuizzes(SHOP, '7', { ...world, ledger })).toMatchObject({
      value: [{ id: 1 }],
    });
  });

  it('are none for a customer whom the service does not know', async () => {
    expect(await readQuizzes('7', open(refusal()).world)).toEqual({ kind: 'answered', value: [] });
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

  it('is another’s where another wrote first', async () => {
    const ledger = createMemoryLedger();
    const slow = { ...ledger, write: async () => ({ kind: 'conflict' }) as never };
    const claimed = await claimQuiz(key, slow, new Date(NOON));
    expect(claimed).toEqual({ kind: 'being-sent', afterSeconds: 60 });
  });
});

describe('the rewards of the program', () => {
  const page = (HasNextPage: boolean, ...Items: readonly object[]) =>
    success({ Items, HasNextPage });

  it('are those of two pages that are active, and are asked for once', async () => {
    const { world, asked } = open(
      page(true, { Id: 1 }, { Id: 2, IsActive: false }),
      page(true, { Id: 3, IsActive: true }),
    );
    for (const _ of ['first page', 'second page']) {
      const value = [{ Id: 1 }, { Id: 3, IsActive: true }];
      expect(await readActive(world)).toEqual({ kind: 'answered', value });
    }
    const query = { IsActive: true, PageSize: 50 };
    expect(asked).toEqual([[{ ...query, PageNumber: 1 }], [{ ...query, PageNumber: 2 }]]);
  });

  it('are none where the service has an error for that', async () => {
    const { world, asked } = open(refusal());
    for (const _ of ['first page', 'second page']) {
      expect(await readActive(world)).toEqual({ kind: 'answered', value: [] });
    }
    expect(asked).toHaveLength(1);
  });

  it('are for the tiers that are active, five of them asked for at once and the rest by the next page', async () => {
    const Tiers = [{ Name: 'Gold' }, { Name: 'Old', IsActive: false }, { Name: null }];
    const { world, asked } = open(success({ Tiers }), success({}), refusal(), success({ Tiers }));
    const ids = [1, 2, 3, 4, 5, 6];
    const tiers = async () => [...(await readTiersOf(ids, world)).values()];
    expect(await tiers()).toEqual([['Gold'], [], [], ['Gold'], ['Gold'], []]);
    expect(asked.flat()).toEqual([1, 2, 3, 4, 5]);
    expect(await tiers()).toEqual([['Gold'], [], [], ['Gold'], ['Gold'], ['Gold']]);
    expect(asked.flat()).toEqual(ids);
  });
});

describe('the tier of a customer', () => {
  const goal = { Name: 'Orders', CurrentValue: 1, GoalValue: 3, PercentToGoal: 33 };

  it.each([
    [
      'the next by its order',
      { Name: 'B', Order: 2, Color: '#b' },
      [
        { Name: 'D', Order: 4 },
        { Name: 'C', Order: 3, Goals: [goal, {}] },
        { Name: 'A', Order: 1 },
        { Name: 'B', Order: 2 },
      ],
      {
        ...{ name: 'B', color: '#b' },
        next: {
          name: 'C',
          goals: [
            { name: 'Orders', value: 1, goal: 3, percent: 33 },
            { name: '', value: 0, goal: 0, percent: 0 },
          ],
        },
      },
    ],
    [
      'none after the last',
      { Name: 'B', Order: 2 },
      [{ Name: 'A', Order: 1 }],
      { name: 'B', color: null, next: null },
    ],
    [
      'the first where its own has no order',
      { Name: 'B' },
      [{ Name: 'A' }],
      { name: 'B', color: null, next: { name: 'A', goals: [] } },
    ],
    [
      'none without a name',
      { Name: 'B', Order: 1 },
      [{ Order: 2 }],
      { name: 'B', color: null, next: null },
    ],
    ['none for who has none', null, [{ Name: 'A', Order: 1 }], null],
    ['none for one without a name', { Order: 1 }, [], null],
  ])('shows the way to %s', async (_, CurrentTier, NextTiers, expected) => {
    const { world } = open(success({ CurrentTier, NextTiers }));
    expect(await readTier('7', world)).toEqual(expected);
  });

  it('is not known where the service refuses to say it', async () => {
    expect(await readTier('7', open(refusal()).world)).toBe('unknown');
  });
});
