import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExtensionWorld, openExtensions } from '../../support/extension-world.ts';
import {
  at,
  both,
  codeRefused,
  isCodeMade,
  isRedeem,
  type OutsideLine,
  once,
  type Treat,
} from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';

const connectors = runConnectors({ challenge: 'asked', posCustomerId: 'email-or-document' });
let world: ExtensionWorld;
beforeAll(async () => {
  world = await openExtensions(connectors, { readsPerMinute: 1_000 });
});
afterAll(() => world.stop());

const pass: Treat = () => 'pass';
const TIMEOUT_MS = 600_000;
let shoppers = 0;

/** The first request of a click of a new shopper at a till, over this line. */
async function clickOnce(treat: Treat) {
  const robin = await world.shopper(`Robin${++shoppers}`);
  await world.other.till(robin, 'challenge', { body: {} });
  const body = { ...world.click(), answer: world.pinOf(robin) };
  const { till, line } = await world.startOnLine(treat);
  await Promise.race([till(robin, 'redeem', { body }).catch(() => undefined), line.death]);
  return { robin, body, line };
}

type Clicked = Awaited<ReturnType<typeof clickOnce>>;

/** The till sends the same request again; the customer may be asked for another answer before it. */
async function clickAgain({ robin, body }: Clicked, when: string): Promise<void> {
  const again = await world.other.till(robin, 'redeem', { body });
  if (again.status === 200) return;
  expect([409, 503], `${when}: ${again.answerText}`).toContain(again.status);
  world.connector.pass(61);
  await world.other.till(robin, 'challenge', { body: {} });
  const answer = world.pinOf(robin) || body.answer;
  const last = await world.other.till(robin, 'redeem', { body: { ...body, answer } });
  expect(last.status, `${when}, then ${last.answerText}`).toBe(200);
}

async function expectHeld(robin: string, [points, spent, codes]: number[], when: string) {
  const found = [world.pointsOf(robin), world.spentBy(robin), world.codesOf(robin)];
  expect(found, when).toEqual([points, spent, codes]);
  expect(await world.balances.deadLetters(), when).toEqual([]);
}

const SPENT_ONCE = [150, 1, 1];
const NOTHING_SPENT = [250, 0, 0];

/** Every call of this line fails once, each in a run of its own. */
async function failEach(
  { calls }: OutsideLine,
  fault: string,
  run: (index: number, when: string) => Promise<void>,
): Promise<void> {
  expect(calls.length).toBeGreaterThan(6);
  for (const { index, service, name } of calls) {
    await run(index, `${fault} at call ${index}: ${service} ${name}`);
  }
}

describe('a redemption spends the points once and makes one code', () => {
  // To be killed before a call is to be killed after the one before it.
  it.each(['killed-after', 'lost', 'unsent', 'http-500'] as const)(
    'when any one call of its request is %s',
    async (fault) => {
      const redeem = async (treat: Treat, when: string) => {
        const clicked = await clickOnce(treat);
        await clickAgain(clicked, when);
        await world.rest();
        await expectHeld(clicked.robin, SPENT_ONCE, when);
        return clicked.line;
      };
      const unharmed = await redeem(pass, 'without a fault');
      await failEach(unharmed, fault, async (index, when) => {
        await redeem(once(at(index), fault), when);
      });
    },
    TIMEOUT_MS,
  );

  it.each([
    ['killed-before', 'http-500'],
    ['killed-before', 'killed-after'],
    ['lost', 'lost'],
    ['lost', 'killed-after'],
  ] as const)(
    'when its request is %s where it spends, and then any one call of the worker is %s',
    async (first, fault) => {
      const redeem = async (treat: Treat, when: string) => {
        const clicked = await clickOnce(once(isRedeem, first));
        const line = await world.workOnLine(treat);
        await clickAgain(clicked, when);
        await world.rest();
        await expectHeld(clicked.robin, SPENT_ONCE, when);
        return line;
      };
      const unharmed = await redeem(pass, 'without a fault');
      expect(unharmed.calls.some(isRedeem)).toBe(true);
      await failEach(unharmed, fault, async (index, when) => {
        await redeem(once(at(index), fault), when);
      });
    },
    TIMEOUT_MS,
  );
});

describe('a redemption whose code the store refuses gives the points back', () => {
  it.each(['lost', 'killed-after'] as const)(
    'when any one call of the worker is %s',
    async (fault) => {
      const giveBack = async (treat: Treat, when: string) => {
        const clicked = await clickOnce(codeRefused);
        const line = await world.workOnLine(both(treat, codeRefused), codeRefused);
        await expectHeld(clicked.robin, NOTHING_SPENT, when);
        return line;
      };
      const unharmed = await giveBack(pass, 'without a fault');
      await failEach(unharmed, fault, async (index, when) => {
        // The store never executes what it would refuse.
        const single: Treat = (call) =>
          at(index)(call) ? (isCodeMade(call) ? 'unsent' : fault) : 'pass';
        await giveBack(single, when);
      });
    },
    TIMEOUT_MS,
  );
});
