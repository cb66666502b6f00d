import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type LifeEnd,
  livesWithAccident,
  livesWithTakeOver,
  type OrderLife,
  plainLives,
  playLife,
  shrinkLife,
} from '../../support/order-lives.ts';

/** `ORDER_LIVES=50000` plays as many by each law. */
const GIVEN = process.env.ORDER_LIVES;
const LIVES = Number(GIVEN ?? 400);
const LIVES_WITH_ACCIDENT = Number(GIVEN ?? 100);
/** Fixed, so that no run fails by chance; `ORDER_SEED` tries others. */
const SEED = Number(process.env.ORDER_SEED ?? 20_261_118);

interface Played {
  readonly judged: number;
  readonly persons: ReadonlyMap<string, number>;
  /** Each a life that ended silently with another amount. */
  readonly broken: readonly { readonly life: OrderLife; readonly end: Broken }[];
}

type Broken = Extract<LifeEnd, { readonly kind: 'broken' }>;

async function playAll(lives: fc.Arbitrary<OrderLife>, numRuns: number): Promise<Played> {
  const persons = new Map<string, number>();
  const broken: { life: OrderLife; end: Broken }[] = [];
  let judged = 0;
  for (const life of fc.sample(lives, { numRuns, seed: SEED })) {
    const end = await playLife(life);
    if (end.kind !== 'unjudged') judged += 1;
    if (end.kind === 'person') persons.set(end.why, (persons.get(end.why) ?? 0) + 1);
    if (end.kind === 'broken') broken.push({ life, end });
  }
  return { judged, persons, broken };
}

/** The shortest three of those that broke the law, without the steps that this does not need. */
async function report(law: string, { judged, persons, broken }: Played): Promise<void> {
  const shortest = broken.toSorted((a, b) => a.life.steps.length - b.life.steps.length).slice(0, 3);
  const stories: string[] = [];
  for (const { life } of shortest) {
    const end = await playLife(await shrinkLife(life));
    if (end.kind === 'broken') stories.push([end.what, ...end.story].join('\n  '));
  }
  const asked = [...persons].map(([why, count]) => `${count} ${why}`);
  console.log(
    [
      `${law}: ${judged} lives judged, ${broken.length} broke the law`,
      ...asked.map((line) => `a person is asked: ${line}`),
      ...stories,
    ].join('\n'),
  );
}

interface Law {
  readonly name: string;
  readonly lives: fc.Arbitrary<OrderLife>;
  readonly count: number;
  /** Of a hundred judged lives. With more, the law could be kept by asking a person always. */
  readonly mostAsked: number;
}

async function expectLaw({ name, lives, count, mostAsked }: Law): Promise<void> {
  const played = await playAll(lives, count);
  await report(name, played);
  expect(played.judged).toBeGreaterThan(count / 3);
  const asked = [...played.persons.values()].reduce((sum, one) => sum + one, 0);
  expect((100 * asked) / played.judged).toBeLessThan(mostAsked);
  expect(played.broken.length).toBe(0);
}

const TIMEOUT_MS = 600_000 + LIVES * 200;

const PLAIN: Law = { name: 'plain', lives: plainLives, count: LIVES, mostAsked: 5 };
const LOST: Law = {
  ...{ name: 'lost or restored', lives: livesWithAccident },
  ...{ count: LIVES_WITH_ACCIDENT, mostAsked: 15 },
};
const TAKEN_OVER: Law = {
  ...{ name: 'taken over', lives: livesWithTakeOver },
  ...{ count: LIVES_WITH_ACCIDENT, mostAsked: 20 },
};

describe('an order is an account', () => {
  // Issue 45, scene 4.
  it(
    'counts in the end what docs/mapping.md says, or a person is asked',
    { timeout: TIMEOUT_MS },
    () => expectLaw(PLAIN),
  );

  // Issue 45, scene 3 and others.
  it(
    'does so if the ledger is lost or restored between any two steps',
    { timeout: TIMEOUT_MS },
    () => expectLaw(LOST),
  );

  // Issue 45, scene 1.
  it('does so if it was taken over from another integration', { timeout: TIMEOUT_MS }, () =>
    expectLaw(TAKEN_OVER),
  );

  it('is judged to the last coin but those that no source decides', async () => {
    const lives = fc.sample(plainLives, { numRuns: 40, seed: SEED });
    let [completed, noticed] = [0, 0];
    for (const life of lives) {
      const end = await playLife(life, ({ shop }) => {
        const { orders } = shop.connector.loyalty.rows;
        for (const row of orders.values()) {
          if (!row.IsCompleted || row.IsCancelledOrReturned) continue;
          completed += 1;
          orders.put(row.OriginalId, { ...row, OrderTotal: row.OrderTotal + 1 });
        }
      });
      if (end.kind === 'broken') noticed += 1;
    }
    expect(completed).toBeGreaterThan(10);
    // An exchange may have any earlier amount, and of some returns a coin is open.
    expect(noticed).toBeGreaterThan(0.7 * completed);
  });
});
