import { beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../../app/program/ask.ts';
import { Program, type Wanted } from '../../../app/program/program.ts';

interface Asked {
  readonly path: string;
  readonly body: object | undefined;
  answer(answer: Answer<unknown>): void;
}

const failed = (code: string): Answer<never> => ({ kind: 'failed', code, afterSeconds: undefined });
const ok = (value: unknown): Answer<unknown> => ({ kind: 'ok', value });
const redemption = (state: string) => ({
  redemption: { id: 'r1', rewardId: 3, title: 'Free shipping', points: 50, state, code: null },
});

let moment = 0;
/** Each of a later moment than the one before. */
const view = (points: number, redemptions: readonly unknown[] = [], more = {}) => {
  moment += 1;
  const asOf = new Date(moment * 1000).toISOString();
  const none = { cashback: 0, expiring: null, tier: null, rewards: [], retryAfterSeconds: null };
  return ok({ loggedIn: true, asOf, points, ...none, redemptions, ...more });
};
/** The change of the balance is shown for so long; all other pauses are looks. */
const CHANGE_SECONDS = 10;

let asked: Asked[] = [];
let waiting: { run: () => void; seconds: number }[] = [];
let settledOnes: string[] = [];
let wanted: Wanted;
let program: Program;
/** Tests share what the page would share: a reward of its own for each. */
let reward = 100;

beforeEach(() => {
  asked = [];
  waiting = [];
  settledOnes = [];
  reward += 1;
  wanted = {
    ...{ shows: () => true, items: '7:49.00:1', currency: 'EUR', isLoggedOut: false },
    cart: '7:49.00:2',
  };
  program = new Program({
    ask: <T>(path: string, body?: object) =>
      new Promise<Answer<T>>((resolve) => {
        asked.push({ path, body, answer: resolve as (answer: Answer<unknown>) => void });
      }),
    wanted: () => wanted,
    changed: () => {},
    settled: ({ id, state }) => settledOnes.push(`${id} ${state}`),
    later: (run, seconds) => {
      const one = { run, seconds };
      waiting.push(one);
      return () => {
        waiting = waiting.filter((other) => other !== one);
      };
    },
  });
});

const looks = () => waiting.filter(({ seconds }) => seconds !== CHANGE_SECONDS);
const nextLook = () => {
  const [next] = looks();
  waiting = waiting.filter((one) => one !== next);
  return next;
};
const paths = () => asked.map(({ path }) => path);
const tick = () => new Promise((resolve) => setImmediate(resolve));

async function answerAll(answers: Readonly<Record<string, Answer<unknown>>>): Promise<void> {
  for (const { path, answer } of asked.splice(0)) {
    answer(answers[path.split('?')[0] ?? ''] ?? failed('unavailable'));
  }
  await tick();
}

describe('what the widget asks for', () => {
  it('asks for all that it shows, at once', () => {
    void program.load();
    expect(paths().toSorted()).toEqual([
      'points?items=7%3A49.00%3A1&currency=EUR',
      'view?items=7%3A49.00%3A2',
    ]);
  });

  it('asks for nothing that needs a customer where the page knows that none is logged in', () => {
    wanted = { ...wanted, isLoggedOut: true };
    void program.load();
    expect(paths().toSorted()).toEqual(['points?items=7%3A49.00%3A1&currency=EUR', 'view']);
  });

  it('asks for nothing that it does not show', () => {
    wanted = { ...wanted, shows: (section) => section === 'earned' };
    void program.load();
    expect(paths()).toEqual(['points?items=7%3A49.00%3A1&currency=EUR']);
  });

  it('drops an answer for a variant that is no longer chosen', async () => {
    const first = program.loadEarned();
    wanted = { ...wanted, items: '7:52.00:1' };
    const second = program.loadEarned();
    asked[1]?.answer(ok({ points: 52, cashback: 0 }));
    asked[0]?.answer(ok({ points: 49, cashback: 0 }));
    await Promise.all([first, second]);
    expect(program.model.earned).toEqual(ok({ points: 52, cashback: 0 }));
  });
});

describe('redeeming', () => {
  it('sends one request for two presses', async () => {
    const first = program.redeem(reward);
    expect(await program.redeem(reward)).toEqual({ kind: 'busy' });
    expect(asked).toHaveLength(1);
    asked[0]?.answer(ok(redemption('ready')));
    expect(await first).toMatchObject({ kind: 'ok', value: { id: 'r1' } });
  });

  it.each(['network', 'unavailable'])(
    'uses the same key again after a failure that leaves the outcome open (%s)',
    async (code) => {
      void program.redeem(reward);
      asked[0]?.answer(failed(code));
      await tick();
      void program.redeem(reward);
      expect(asked[1]?.body).toEqual(asked[0]?.body);
      expect(asked[0]?.body).toMatchObject({
        rewardId: reward,
        clientKey: expect.stringMatching(/^[A-Za-z0-9_-]{8,64}$/),
      });
    },
  );

  it.each([ok(redemption('ready')), failed('too-few-points'), failed('limit-reached')])(
    'takes a new key for the next redemption after a certain answer (%o)',
    async (answer) => {
      void program.redeem(reward);
      asked[0]?.answer(answer);
      await tick();
      void program.redeem(reward);
      expect(asked[1]?.body).not.toEqual(asked[0]?.body);
    },
  );

  it('sends the chosen amount, and the cart that it was chosen for', () => {
    void program.redeem(reward, 2.5);
    expect(asked[0]?.body).toMatchObject({ rewardId: reward, value: 2.5, items: '7:49.00:2' });
  });

  it('shows the new code at once, and one that it knew already only once', async () => {
    void program.loadView();
    await answerAll({ view: view(60) });
    for (const state of ['making', 'ready']) {
      void program.redeem(reward);
      asked.pop()?.answer(ok(redemption(state)));
      await tick();
      expect(program.model.view).toMatchObject(ok({ redemptions: [{ id: 'r1', state }] }));
    }
  });
});

describe('looking again', () => {
  const answers = (points: number, state: string) => ({
    points: ok({ points: 1, cashback: 0 }),
    view: view(points, [redemption(state).redemption]),
  });
  const load = async (points: number, state: string) => {
    void program.load();
    await answerAll(answers(points, state));
  };
  const look = async (points: number, state: string) => {
    nextLook()?.run();
    await answerAll(answers(points, state));
  };

  it('does not, where nothing is on its way', async () => {
    await load(60, 'ready');
    expect(looks()).toEqual([]);
  });

  it('goes on after a redemption until the balance shows it', async () => {
    await load(60, 'ready');
    void program.redeem(reward);
    asked.pop()?.answer(ok(redemption('ready')));
    await tick();
    await look(60, 'ready');
    await look(10, 'ready');
    expect(looks()).toEqual([]);
  });

  it('goes on while a code is being made, further and further apart, and ends', async () => {
    await load(60, 'making');
    const pauses: number[] = [];
    for (let count = 0; waiting[0] && count < 20; count++) {
      pauses.push(waiting[0].seconds);
      await look(60, 'making');
    }
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses.length).toBeGreaterThan(3);
    expect(pauses.length).toBeLessThan(10);
  });

  it('announces a code that was on its way, once', async () => {
    await load(60, 'making');
    await look(60, 'making');
    expect(settledOnes).toEqual([]);
    await look(60, 'ready');
    await look(60, 'ready');
    expect(settledOnes).toEqual(['r1 ready']);
  });

  it.each(['used', 'expired'])('announces nothing of a code that is %s', async (state) => {
    await load(60, 'making');
    await look(60, state);
    expect(settledOnes).toEqual([]);
  });

  it('does not hide a new code behind a list from before it', async () => {
    await load(60, 'making');
    nextLook()?.run();
    const old = asked.splice(0);
    void program.redeem(reward);
    asked.pop()?.answer(ok({ redemption: { ...redemption('ready').redemption, id: 'r2' } }));
    await tick();
    asked = old;
    await answerAll(answers(60, 'making'));
    expect(program.model.view).toMatchObject(ok({ redemptions: [{ id: 'r2' }, { id: 'r1' }] }));
    expect(settledOnes).toEqual([]);
  });

  it('goes on after a take back until the points are there, and shows no older list meanwhile', async () => {
    await load(60, 'ready');
    void program.takeBack('r1');
    const [sent] = asked.splice(0);
    expect(sent).toMatchObject({ path: 'take-back', body: { redemptionId: 'r1' } });
    void program.loadView();
    sent?.answer(ok(redemption('returning')));
    await tick();
    await answerAll(answers(60, 'ready'));
    expect(program.model.view).toMatchObject(ok({ redemptions: [{ state: 'returning' }] }));
    await look(60, 'returning');
    expect(settledOnes).toEqual([]);
    await look(110, 'cancelled');
    expect(settledOnes).toEqual(['r1 cancelled']);
    expect(program.model.change).toBe(50);
    expect(looks()).toEqual([]);
  });

  it.each(['network', 'already-used'])(
    'looks at the list after a take back that failed: %s',
    async (code) => {
      await load(60, 'ready');
      const taking = program.takeBack('r1');
      asked.pop()?.answer(failed(code));
      expect(await taking).toMatchObject({ kind: 'failed', code });
      await look(60, 'used');
      expect(program.model.view).toMatchObject(ok({ redemptions: [{ state: 'used' }] }));
    },
  );

  it('keeps what it knows when a look fails, unless the customer is logged out', async () => {
    await load(60, 'making');
    nextLook()?.run();
    await answerAll({});
    expect(program.model.view).toMatchObject({ kind: 'ok' });
    nextLook()?.run();
    await answerAll({ view: failed('not-logged-in') });
    expect(program.model.view).toMatchObject({ code: 'not-logged-in' });
  });

  it.each([
    ['was made', [], 'ready'],
    ['was known, and cancelled', [redemption('pending').redemption], 'cancelled'],
  ])(
    'finds that a redemption whose answer was lost %s, once, and gives the next one a key of its own',
    async (_, known, state) => {
      void program.load();
      await answerAll({ ...answers(60, 'ready'), view: view(60, known) });
      void program.redeem(3);
      const [first] = asked.splice(0);
      first?.answer(failed('network'));
      await tick();
      await look(60, state);
      await look(60, state);
      expect(settledOnes).toEqual([`r1 ${state}`]);
      void program.redeem(3);
      expect(asked.at(-1)?.body).not.toEqual(first?.body);
    },
  );

  it('is over when the element leaves the page', async () => {
    await load(60, 'pending');
    program.stop();
    expect(looks()).toEqual([]);
  });
});

describe('one moment', () => {
  const load = async (answer: Answer<unknown>) => {
    void program.loadView();
    await answerAll({ view: answer });
  };

  it('keeps its balance while the program cannot be reached, and shows the code that was made by then', async () => {
    const { redemption: made } = redemption('ready');
    const before = view(363, [made], { rewards: null });
    await load(view(319, [redemption('making').redemption]));
    await load(before);
    expect(program.model.view).toMatchObject(
      ok({ points: 319, rewards: [], redemptions: [{ state: 'ready' }] }),
    );
    expect(settledOnes).toEqual(['r1 ready']);
  });

  it('is never replaced by an earlier one', async () => {
    const [older, newer] = [view(363), view(319)];
    await load(newer);
    await load(older);
    expect(program.model.view).toBe(newer);
  });

  it('is for the cart that was asked about last, in whatever order the answers come', async () => {
    const views = ['7:49.00:1', '7:49.00:2'].map((cart) => {
      wanted = { ...wanted, cart };
      return program.loadView();
    });
    asked[1]?.answer(view(60, [], { rewards: [{ id: 2 }] }));
    asked[0]?.answer(view(60, [], { rewards: [{ id: 1 }] }));
    await Promise.all(views);
    expect(program.model.view).toMatchObject(ok({ rewards: [{ id: 2 }] }));
  });

  it('shows what moved, until some seconds later', async () => {
    await load(view(60));
    expect(program.model.change).toBeUndefined();
    await load(view(85.5));
    expect(program.model.change).toBe(25.5);
    for (const { run, seconds } of waiting) if (seconds === CHANGE_SECONDS) run();
    expect(program.model.change).toBeUndefined();
  });

  it('shows nothing as spent while it is not known whether it was', async () => {
    await load(view(60));
    void program.redeem(reward);
    asked.pop()?.answer(ok(redemption('pending')));
    await tick();
    expect(program.model.change).toBeUndefined();
  });

  it('shows at once what a reward costs, and then the new balance', async () => {
    await load(view(60));
    void program.redeem(reward);
    asked.pop()?.answer(ok(redemption('ready')));
    await tick();
    expect(program.model).toMatchObject({ change: -50, view: ok({ points: 60 }) });
    nextLook()?.run();
    await answerAll({ view: view(10) });
    expect(program.model).toMatchObject({ change: -50, view: ok({ points: 10 }) });
  });
});
