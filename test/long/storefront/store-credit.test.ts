import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActionInput } from '../../../local/store-sandbox/model/actions.ts';
import { EARNED, type HeldRewards, openHeldRewards } from '../../support/held-rewards.ts';
import {
  type HurriedStack,
  startHurriedStack,
  stepAmong,
  stepsOf,
} from '../../support/hurried-stack.ts';
import type { Calls, OutsideCall, Treat } from '../../support/outside-line.ts';
import type { Shopper } from '../../support/stack-shoppers.ts';

const CASHBACK = 8;
/** Of EARNED points, at 0.05 each. */
const MOST = 15;
const DAY_MS = 24 * 3_600_000;
const PATIENCE = { timeout: 240_000, interval: 100 };

/** One press of a shopper. */
interface Press {
  readonly shopper: Shopper;
  readonly body: { readonly rewardId: number; readonly clientKey: string; readonly value: number };
}

const isCredit: Calls = ({ name }) => name === 'storeCreditAccountCredit';

describe('cashback as store credit', () => {
  let world: HurriedStack;
  let rewards: HeldRewards;
  const steps: Record<'shop' | 'worker', string[]> = { shop: [], worker: [] };
  let presses = 0;

  beforeAll(async () => {
    world = await startHurriedStack({ settings: 'test/fixtures/store-credit.config.ts' });
    rewards = openHeldRewards(world);
  }, 180_000);
  afterAll(() => world?.stop(), 60_000);

  function press(shopper: Shopper, value = 2): Press {
    presses += 1;
    const clientKey = `credit-${String(presses).padStart(4, '0')}`;
    return { shopper, body: { ...shopper.click, rewardId: CASHBACK, clientKey, value } };
  }

  const send = ({ shopper, body }: Press) =>
    rewards.insist(() => rewards.shop.request(shopper, 'redeem', body));

  const sendOnce = ({ shopper, body }: Press) =>
    rewards.shop.request(shopper, 'redeem', body).catch(() => undefined);

  const isAbout = ({ id, email }: Shopper, { path, body }: OutsideCall) => {
    const text = `${decodeURIComponent(path)} ${body}`;
    return text.includes(id) || text.includes(email);
  };

  const step = (shopper: Shopper, named: string) =>
    stepAmong((call) => isAbout(shopper, call), named);

  const stepsFor = (shopper: Shopper, of: 'shop' | 'worker', since: number) =>
    stepsOf(world.lines[of].calls.slice(since).filter((call) => isAbout(shopper, call)));

  /** In hundredths: what the service has taken for cashback rewards and not given back. */
  function takenFrom({ id }: Shopper): number[] {
    const { points, redemptions } = world.stack.loyalty.state();
    const own = redemptions.filter(
      (one) => one.customerId === id && one.configurationId === CASHBACK && !one.canceledAt,
    );
    return own.map(({ pointId }) => {
      const record = points.find(({ PointId }) => PointId === pointId);
      return Math.round(-100 * (record?.cashback ?? Number.NaN));
    });
  }

  const transactionsOf = ({ id }: Shopper) => {
    const { storeCreditAccounts, storeCreditTransactions } = world.stack.store.state();
    const own = storeCreditAccounts.filter(({ customerId }) => customerId === id);
    return storeCreditTransactions.filter(({ accountId }) =>
      own.some((account) => account.id === accountId),
    );
  };

  /** Those with an end: the merchant's own have none here. */
  const creditsOf = (shopper: Shopper) =>
    transactionsOf(shopper).flatMap((one) =>
      one.kind === 'credit' && one.event === 'ADJUSTMENT' && one.expiresAt !== null
        ? [{ minor: one.minor, expiresAt: one.expiresAt }]
        : [],
    );

  const ascending = (one: number, other: number) => one - other;

  /** Nothing is on its way, and each has these credits: as much as was taken, each once, with an end of its own. */
  async function expectCredits(
    shoppers: readonly Shopper[],
    expected: (shopper: Shopper) => readonly number[] | undefined,
  ): Promise<void> {
    await world.settled();
    const wrong = shoppers.flatMap((shopper) => {
      const credits = creditsOf(shopper);
      const given = credits.map(({ minor }) => minor).toSorted(ascending);
      const taken = takenFrom(shopper).toSorted(ascending);
      const due = expected(shopper)?.toSorted(ascending) ?? taken;
      const ends = new Set(credits.map(({ expiresAt }) => expiresAt));
      const isRight = [given, taken].every((one) => String(one) === String(due));
      return isRight && ends.size === credits.length
        ? []
        : [`${shopper.title}: taken ${taken}, given ${given}, due ${due}, ends ${[...ends]}`];
    });
    expect(wrong).toEqual([]);
  }

  const shownTo = async (shopper: Shopper) => rewards.shopRedemptions(shopper);

  it('credits the chosen amount with an end, once, without a code', async () => {
    const [plain] = (await rewards.earners(['plain'])) as [Shopper];
    const { rewards: offered } = await rewards.shop.askUntilAnswered(plain, 'rewards');
    const cashback = offered.find(({ id }: { id: number }) => id === CASHBACK);
    expect(cashback).toMatchObject({ kind: 'store-credit', redeemable: true });
    expect(cashback.cashback).toMatchObject({ most: MOST });

    const since = world.lines.shop.calls.length;
    const codes = world.stack.store.rows.codes.size;
    const chosen = press(plain, 4.2);
    const { status, body } = await send(chosen);
    expect(status).toBe(200);
    expect(body.redemption).toMatchObject({ kind: 'store-credit', state: 'credited', code: null });
    steps.shop = stepsFor(plain, 'shop', since);
    expect(world.stack.store.rows.codes.size).toBe(codes);

    await expectCredits([plain], () => [420]);
    const [credit] = creditsOf(plain);
    // Not before its code would, in 30 days, and on the day after that: the second of that day is its mark.
    const days = (Date.parse(credit?.expiresAt ?? '') - Date.now()) / DAY_MS;
    expect(days).toBeGreaterThan(29.99);
    expect(days).toBeLessThan(32);
    const [shown] = await shownTo(plain);
    expect(shown).toMatchObject({ state: 'credited', code: null, takeBackUntil: null });
    expect(Math.floor(Date.parse(shown.validUntil) / 1000)).toBe(
      Math.floor(Date.parse(credit?.expiresAt ?? '') / 1000),
    );
    const [account] = world.stack.store
      .state()
      .storeCreditAccounts.filter(({ customerId }) => customerId === plain.id);
    expect(account).toMatchObject({ currency: 'EUR', balanceMinor: 420 });

    // The same press again, and one for more than is left.
    expect((await send(chosen)).body.redemption).toMatchObject({ id: body.redemption.id });
    expect((await send(press(plain, MOST))).status).toBe(409);
    const back = await rewards.takeBack({ shopper: plain, id: body.redemption.id });
    expect(back.status).toBe(409);
    await expectCredits([plain], () => [420]);
    const { pointsOf, shownPoints } = rewards.shop.look();
    expect(pointsOf(plain)).toBe(EARNED - 4.2 / 0.05);
    expect(Number(shownPoints(plain))).toBe(EARNED - 4.2 / 0.05);
  }, 240_000);

  it('gives once however an answer of the store is lost', async () => {
    const lost = [
      ...['reset-before', 'reset-after', 'truncated', 'empty', 'not-json', 'http-500'],
      ...['http-503', 'http-429', 'throttled', 'internal-error', 'partial', 'unauthorized'],
    ] as const;
    const titles = lost.flatMap((kind) => [`${kind} once`, `${kind} three times`]);
    const shoppers = await rewards.earners([...titles, 'hang', 'late']);
    const late = shoppers.at(-1) as Shopper;
    const looked = Promise.withResolvers<void>();
    const left = new Map<Shopper, number>(
      shoppers.map((one) => [one, one.title.endsWith('three times') ? 3 : 1]),
    );
    const spoil: Treat = async (call) => {
      const own = shoppers.find((one) => isAbout(one, call));
      const count = own ? (left.get(own) ?? 0) : 0;
      const isLook = call.service === 'store' && !/^metafields|Credit$/.test(call.name);
      if (own === late && count === 0 && isLook) {
        return { meanwhile: async () => looked.resolve() };
      }
      if (!own || !isCredit(call)) return 'pass';
      // The next credit meets the fault, whosever it is.
      while (world.stack.store.faults.list().length > 0) await sleep(5);
      if (count === 0) return 'pass';
      left.set(own, count - 1);
      if (own === late) {
        // Carried out when its caller has given up and looked at the account.
        await looked.promise;
        return 'pass';
      }
      const [kind = ''] = own.title.split(' ');
      const fault = { kind: kind as (typeof lost)[number], operation: call.name, count: 1 };
      world.stack.store.faults.add(fault);
      return 'pass';
    };
    world.treats.shop.push(spoil);
    world.treats.worker.push(spoil);
    const pressing = sendOnce(press(late));
    for (const one of shoppers.slice(0, -1)) await send(press(one));
    await pressing;
    await expectCredits(shoppers, () => [200]);
    const calls = [...world.lines.shop.calls, ...world.lines.worker.calls];
    expect(calls.filter((call) => isCredit(call) && isAbout(late, call))).toHaveLength(1);
    // The store had carried it out: it was not called again.
    const isDone = ({ title }: Shopper) => /^(reset-after|truncated|empty|partial)/.test(title);
    const isThrice = ({ title }: Shopper) => title.endsWith('three times');
    expect(shoppers.map((one) => [one.title, left.get(one)])).toEqual(
      shoppers.map((one) => [one.title, isDone(one) && isThrice(one) ? 2 : 0]),
    );
    world.treats.shop.pop();
    world.treats.worker.pop();
    world.stack.store.faults.clear();
    for (const one of shoppers) {
      expect(await shownTo(one), one.title).toMatchObject([{ state: 'credited', code: null }]);
    }
  }, 480_000);

  it('gives once, at whichever call a process dies', async () => {
    const [pilot] = (await rewards.earners(['worker: undisturbed'])) as [Shopper];
    const since = world.lines.worker.calls.length;
    world.killAfter('shop', step(pilot, 'SendMessage'));
    await sendOnce(press(pilot));
    await expectCredits([pilot], () => [200]);
    steps.worker = stepsFor(pilot, 'worker', since);
    const given = steps.worker.findIndex((one) => one.startsWith('storeCreditAccountCredit'));
    expect(given).toBeGreaterThanOrEqual(0);
    const ending = steps.worker.findIndex((one, at) => at > given && one.startsWith('PutItem'));

    const deaths = [
      ...steps.worker.slice(0, ending + 1).map((one) => ({ of: 'worker', step: one }) as const),
      ...steps.shop.map((one) => ({ of: 'shop', step: one }) as const),
    ];
    const shoppers = await rewards.earners(
      deaths.map((one) => `${one.of}: killed after ${one.step}`),
    );
    const pressed: Press[] = [];
    for (const [index, death] of deaths.entries()) {
      const own = shoppers[index] as Shopper;
      // The worker continues what the shopper's function has left.
      const left = death.of === 'worker' && world.killAfter('shop', step(own, 'SendMessage'));
      const planned = world.killAfter(death.of, step(own, death.step));
      const one = press(own);
      pressed.push(one);
      const first = left || planned;
      // A request may meet the death of another.
      await sendOnce(one);
      for (let more = 0; more < 10 && !first.met; more += 1) await sendOnce(one);
      const isMet = () => planned.met !== undefined || creditsOf(own).length > 0;
      if (death.of === 'worker') await expect.poll(isMet, PATIENCE).toBe(true);
    }
    await expectCredits(shoppers, () => undefined);
    for (const one of pressed) expect((await send(one)).status, one.shopper.title).toBe(200);
    await expectCredits(shoppers, () => [200]);
  }, 480_000);

  it('does not earn again with issued credit, and earns with credit from refunds', async () => {
    const shoppers = await rewards.earners([
      ...['issued', 'refunded', 'both', 'with shipping', 'returned to the card'],
      ...['returned to the credit', 'all of it', 'refunded as credit', 'a gift', 'failed checkout'],
      'expired',
    ]);
    const [
      issued,
      refunded,
      both,
      shipping,
      toCard,
      toCredit,
      whole,
      asCredit,
      gift,
      failed,
      expired,
    ] = shoppers as [
      ...[Shopper, Shopper, Shopper, Shopper, Shopper, Shopper, Shopper, Shopper],
      ...[Shopper, Shopper, Shopper],
    ];
    const { actions } = world.stack.store;
    const points = new Map(shoppers.map((one) => [one, EARNED]));
    const earn = (shopper: Shopper, count: number) =>
      points.set(shopper, (points.get(shopper) ?? 0) + count);
    const expectPoints = async () => {
      await world.settled();
      const { pointsOf } = rewards.shop.look();
      expect(shoppers.map((one) => `${one.title}: ${pointsOf(one)}`)).toEqual(
        shoppers.map((one) => `${one.title}: ${points.get(one)}`),
      );
    };
    type Draft = Partial<ActionInput<'placeOrder'>>;
    /** Goods of this price, paid with this much store credit and the rest with a card; shipped. */
    const buy = ({ id }: Shopper, price: number, storeCredit: number, draft: Draft = {}) => {
      const { id: orderId, lines } = actions.placeOrder({
        customerId: id,
        lines: [{ title: 'Kettle', price, quantity: 1 }],
        ...{ payment: 'paid', taxes: [] },
        ...(storeCredit > 0 && { storeCredit }),
        ...draft,
      });
      actions.fulfilOrder({ orderId });
      return { orderId, lineId: lines[0]?.id ?? '' };
    };

    // 10.00 of cashback is 200 points.
    for (const one of shoppers) {
      if (one === refunded || one === gift) continue;
      expect((await send(press(one, 10))).status).toBe(200);
      earn(one, -200);
    }
    actions.creditCustomer({ customerId: gift.id, amount: 5 });
    // 40.00, of which 15.00 come back as credit that never ends: 25 points.
    for (const one of [refunded, both, expired]) {
      const { orderId } = buy(one, 40, 0);
      actions.refundOrder({ orderId, amount: 15, to: 'store-credit' });
      earn(one, 25);
    }
    await expectPoints();

    // 30.00: 10.00 issued, 20.00 by card.
    const first = buy(issued, 30, 10);
    earn(issued, 20);
    // 30.00: 15.00 from a refund, 15.00 by card.
    buy(refunded, 30, 15);
    earn(refunded, 30);
    // 30.00 with 12.00 of credit. The issued ends sooner, so 10.00 are of it, and 2.00 of the refund's.
    buy(both, 30, 12);
    earn(both, 20);
    // 16.00 and shipping of 4.00: the issued 10.00 paid half of everything, so half of the goods.
    buy(shipping, 16, 10, { shipping: [{ price: 4 }] });
    earn(shipping, 8);
    // Two of 10.00: 8.00 issued, 12.00 by card.
    const lines = [{ title: 'Cup', price: 10, quantity: 2 }];
    const [card, credit] = [toCard, toCredit].map((one) => buy(one, 0, 8, { lines }));
    earn(toCard, 12);
    earn(toCredit, 12);
    // All of it with issued credit.
    const all = buy(whole, 10, 10);
    const third = buy(asCredit, 30, 10);
    earn(asCredit, 20);
    // The merchant's own gift of 5.00.
    buy(gift, 30, 5);
    earn(gift, 25);
    // The debit of a checkout that failed does not count.
    actions.failCheckout({ customerId: failed.id, amount: 10 });
    buy(failed, 30, 10);
    earn(failed, 20);
    await expectPoints();

    // One of two comes back. 10.00 to the card: of 20.00, 8.00 are credit and 10.00 are back.
    const ofOne = (bought: typeof card) => ({
      orderId: bought?.orderId ?? '',
      lines: [{ lineId: bought?.lineId ?? '', quantity: 1 }],
    });
    actions.refundOrder({ ...ofOne(card), gateway: 'shopify_payments' });
    earn(toCard, 2 - 12);
    // 8.00 to the credit and 2.00 to the card: money paid for what is kept.
    actions.refundOrder({ ...ofOne(credit), gateway: 'shopify_store_credit' });
    earn(toCredit, 10 - 12);
    actions.cancelOrder({ orderId: all.orderId });
    // Everything comes back as credit: 10.00 that were issued, and 20.00 of the card's.
    actions.refundOrder({ ...ofOne(third), to: 'store-credit' });
    earn(asCredit, -20);
    // 5.00 of the card's 20.00 come back.
    actions.refundOrder({ orderId: first.orderId, amount: 5, gateway: 'shopify_payments' });
    earn(issued, -5);
    await expectPoints();

    // What was issued stays issued when it comes back.
    buy(toCredit, 20, 8);
    earn(toCredit, 12);
    buy(whole, 10, 10);
    buy(asCredit, 30, 30);
    earn(asCredit, 20);
    // The rest of the refund's.
    buy(both, 20, 13);
    earn(both, 20);
    await expectPoints();

    // What was issued ends, on the second day after its 30 at the latest; what is left is the refund's.
    world.advance(32 * DAY_MS);
    buy(expired, 30, 15);
    earn(expired, 30);
    await expectPoints();
  }, 480_000);

  it('needed no permission that a function does not have', () => {
    expect(world.stack.problems).toEqual([]);
  });
});
