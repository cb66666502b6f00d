import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DiscountRow } from '../../../local/store-sandbox/model/rows.ts';
import { type Held, type HeldRewards, openHeldRewards } from '../../support/held-rewards.ts';
import { type HurriedStack, startHurriedStack } from '../../support/hurried-stack.ts';
import type { OutsideCall } from '../../support/outside-line.ts';

const SETTINGS = 'local/harness/storefront.config.ts';
const PATIENCE = { timeout: 240_000, interval: 100 };
const DAY_MS = 24 * 3_600_000;

/** Steps after which something is other than before, and the look at the orders. */
const CHANGES = /^(PutItem|SendMessage|DELETE |POST |discount|customer)/;
const isCancel = ({ name }: OutsideCall) => /^DELETE \/POS\/rewards/.test(name);
const cancelOf = ({ name }: OutsideCall) =>
  name.endsWith('*') ? 'cancelRedemption' : 'cancelRedemptionByKey';

describe('taking a reward back that was not used', () => {
  let world: HurriedStack;
  let rewards: HeldRewards;
  /** What the function that answers and the worker call for one reward, undisturbed. */
  const steps: Record<'shop' | 'worker', string[]> = { shop: [], worker: [] };

  /** Taken back by the first test. */
  let plain: Held;

  beforeAll(async () => {
    world = await startHurriedStack({ settings: SETTINGS });
    rewards = openHeldRewards(world);
  }, 180_000);
  afterAll(() => world?.stop(), 60_000);

  const gone = () => ['gone'] as const;
  const used = () => ['used'] as const;
  const works = () => ['works'] as const;

  it('deletes the code, waits, looks, and gives the points back', async () => {
    [plain] = (await rewards.hold(['plain'])) as [Held];
    const [before] = await rewards.shopRedemptions(plain.shopper);
    expect(before).toMatchObject({ id: plain.id, state: 'ready' });
    const until = Date.parse(before.takeBackUntil);
    expect(Math.abs(until - Date.parse(before.at) - 30 * DAY_MS)).toBeLessThan(60_000);

    const since = { shop: world.lines.shop.calls.length, worker: world.lines.worker.calls.length };
    const { status, body } = await rewards.takeBack(plain);
    expect(status).toBe(200);
    expect(['returning', 'cancelled']).toContain(body.redemption.state);
    expect(body.redemption).toMatchObject({ id: plain.id, takeBackUntil: null });
    await rewards.expectEnds([plain], gone);
    steps.shop = rewards.stepsOf(plain, 'shop', since.shop);
    const worked = rewards.stepsOf(plain, 'worker', since.worker);
    const cancel = worked.findIndex((one) => one.startsWith('DELETE '));
    const recorded = worked.findIndex((one, index) => index > cancel && one.startsWith('PutItem'));
    // Later ones only write the balance.
    steps.worker = worked.slice(0, recorded + 1);
    expect(steps.shop).toContain('SendMessage');
    expect(steps.worker.filter((one) => CHANGES.test(one)).length).toBeGreaterThan(4);

    // The code is gone, then a wait, then the orders, then the service.
    const deletion = worked.findIndex((one) => /^discount\w*Delete/.test(one));
    expect(deletion).toBeGreaterThanOrEqual(0);
    expect(cancel).toBeGreaterThan(deletion);
    const deleted = world.stack.store.journal.entries().find(({ operation, variables }) => {
      const isAbout = JSON.stringify(variables ?? {}).includes(`Node/${plain.discountId}`);
      return isAbout && /delete/i.test(operation);
    });
    const { canceledAt } = world.stack.loyalty
      .state()
      .redemptions.find(({ RewardId }) => RewardId === plain.rewardId) ?? { canceledAt: null };
    const waited = Date.parse(canceledAt ?? '') - Date.parse(deleted?.at ?? '');
    expect(waited).toBeGreaterThanOrEqual(59_000);

    const again = await rewards.takeBack(plain);
    expect(again).toMatchObject({ status: 200, body: { redemption: { state: 'cancelled' } } });
    // The points are there to be spent again.
    const next = await rewards.redeem(plain.shopper);
    expect(next.code).not.toBe(plain.code);
    await rewards.expectEnds([plain, next], (one) => (one === next ? ['works'] : ['gone']));
  }, 240_000);

  it('happens once, however often it is pressed and wherever from, and however often its message comes', async () => {
    const held = await rewards.hold([
      'in parallel',
      'from two pages',
      'a message again',
      'one of two',
      'two at once',
      'deleted by the merchant',
      'ended by the merchant',
    ]);
    const [parallel, pages, message, one, both, deleted, ended] = held as [
      ...[Held, Held, Held, Held, Held, Held, Held],
    ];
    world.stack.store.actions.deleteDiscount({ discountId: deleted.discountId });
    world.stack.store.actions.deactivateDiscount({ discountId: ended.discountId });
    const other = await rewards.redeem(one.shopper);
    const second = await rewards.redeem(both.shopper, 3);
    await world.settled();
    const from = world.lines.shop.calls.length;

    const pressed = await Promise.all([
      ...Array.from({ length: 5 }, () => rewards.takeBack(parallel)),
      ...['account/take-back', 'account/take-back'].map((path) =>
        rewards.askAs({ kind: 'customer', id: pages.shopper.id }, path, { redemptionId: pages.id }),
      ),
      rewards.takeBack(pages),
      rewards.takeBack(message),
      rewards.takeBack(one),
      ...[both, second, deleted, ended].map(rewards.takeBack),
    ]);
    expect(pressed.map(({ status }) => status)).toEqual(pressed.map(() => 200));
    const sent = world.lines.shop.calls
      .slice(from)
      .filter((call) => call.name === 'SendMessage' && rewards.isAbout(message, call));
    expect(sent.length).toBeGreaterThan(0);
    const deliverAgain = async () => {
      for (const { body } of sent) {
        const again = { MessageDeduplicationId: `again-${Math.random()}` };
        await world.stack.sqs.send(new SendMessageCommand({ ...JSON.parse(body), ...again }));
      }
    };
    await deliverAgain();
    const all = [...held, other, second];
    const end = (reward: Held) => (reward === other ? works() : gone());
    await rewards.expectEnds(all, end);
    await deliverAgain();
    await rewards.expectEnds(all, end);
  }, 240_000);

  it('loses against an order with the code, at whichever call the order comes', async () => {
    // At a step that changes nothing, one of the two is as good as both.
    const moments = (['shop', 'worker'] as const).flatMap((of) =>
      steps[of].flatMap((step, index) =>
        [false, true]
          .filter((isQuiet) => CHANGES.test(step) || isQuiet === (index % 2 === 0))
          .map((isQuiet) => ({ of, step, isQuiet })),
      ),
    );
    const held = await rewards.hold(
      moments.map(({ of, step, isQuiet }) => `${of}: ${isQuiet ? 'a quiet ' : ''}order at ${step}`),
    );
    const silent: string[] = [];
    for (const [index, { of, step, isQuiet }] of moments.entries()) {
      const own = held[index] as Held;
      world.plan(of, rewards.step(own, step), () => {
        if (isQuiet) silent.push(rewards.quietly(() => rewards.order(own)));
        else rewards.order(own);
        return 'pass';
      });
    }
    // Before and after the press, in the same moment.
    const more = await rewards.hold(['order first', 'quiet order first', 'press first', 'at once']);
    const [first, quiet, press, atOnce] = more as [Held, Held, Held, Held];
    rewards.order(first);
    silent.push(rewards.quietly(() => rewards.order(quiet)));
    const pressing = rewards.takeBack(atOnce);
    rewards.order(atOnce);
    await rewards.takeBack(press).then(() => rewards.order(press));
    await pressing;
    for (const one of [first, quiet, ...held]) {
      const { status, body } = await rewards.takeBack(one);
      if (status !== 200) expect(body.error.code, one.shopper.title).toBe('already-used');
    }

    await world.settled();
    // What came before the look was seen there, although nobody told of it.
    const look = steps.worker.indexOf('customer');
    expect(look).toBeGreaterThan(0);
    const seen = held.filter((_, index) => {
      const { of, step } = moments[index] ?? { step: '' };
      return of === 'shop' || steps.worker.indexOf(step) <= look;
    });
    expect(seen.filter(rewards.isBack).map(({ shopper }) => shopper.title)).toEqual([]);
    // A step that a busy worker did not make again: the order comes now.
    for (const one of held) if (rewards.ordersWith(one).length === 0) rewards.order(one);
    // What the store kept to itself so far: nothing is taken twice.
    for (const orderId of silent) rewards.announce(orderId);
    await rewards.expectEnds([...held, ...more], used);
    for (const one of [first, press]) {
      const answer = await rewards.takeBack(one);
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'already-used' } } });
    }
  }, 480_000);

  it('sees an order by any of its codes, and one that was cancelled', async () => {
    const held = await rewards.hold([
      'second code',
      'sixth code',
      'cancelled',
      'on page 2',
      'cancelled, told',
      'not paid',
    ]);
    const [second, sixth, cancelled, paged, told, unpaid] = held as [
      ...[Held, Held, Held, Held, Held, Held],
    ];
    const { actions } = world.stack.store;
    const silent: string[] = [];
    // The code is gone, so that nothing but the order itself tells of it.
    const whenDeleted = (own: Held, place: () => string) =>
      world.plan(
        'worker',
        (call) => /^discount\w*Delete/.test(call.name) && rewards.isAbout(own, call),
        () => ({ meanwhile: async () => silent.push(rewards.quietly(place)) }),
      );
    whenDeleted(second, () => rewards.order(second, { before: ['WELCOME'] }));
    const five = ['ONE', 'TWO', 'THREE', 'FOUR', 'FIVE'];
    whenDeleted(sixth, () => rewards.order(sixth, { before: five }));
    whenDeleted(cancelled, () => {
      const orderId = rewards.order(cancelled);
      actions.cancelOrder({ orderId });
      return orderId;
    });
    whenDeleted(unpaid, () => rewards.order(unpaid, { payment: 'none' }));
    whenDeleted(paged, () => {
      const orderId = rewards.order(paged);
      // Newer ones, of which no page of the Admin API holds more than 250.
      const lines = [{ title: 'Kettle', price: 1, quantity: 1 }];
      for (let index = 0; index < 260; index += 1) {
        actions.placeOrder({ customerId: paged.shopper.id, lines });
      }
      return orderId;
    });
    actions.cancelOrder({ orderId: rewards.order(told) });
    for (const one of held) await rewards.takeBack(one);
    await world.settled();
    expect(silent).toHaveLength(5);
    expect(held.filter(rewards.isBack).map(({ shopper }) => shopper.title)).toEqual([]);
    for (const orderId of silent) rewards.announce(orderId);
    await rewards.expectEnds(held, used);
  }, 300_000);

  it('takes the points again for an order that comes late, once', async () => {
    const held = await rewards.hold([
      'late',
      'late, told often',
      'late and cancelled',
      'spent meanwhile',
    ]);
    const [late, often, cancelled, spender] = held as [Held, Held, Held, Held];
    const cashback = await rewards.redeem(late.shopper, 8, 3);
    expect(cashback.cost).toBe(60);
    for (const one of [...held, cashback]) await rewards.takeBack(one);
    await rewards.expectEnds([...held, cashback], gone);
    const next: Held[] = [];
    for (let count = 0; count < 3; count += 1) next.push(await rewards.redeem(spender.shopper));
    await rewards.expectEnds([...held, ...next], (one) => (next.includes(one) ? works() : gone()));

    rewards.order(late);
    rewards.order(cashback);
    const { disorder } = world.stack.store;
    world.stack.store.disorder = { ...disorder, duplicate: 1, shuffle: 3 };
    const orderId = rewards.order(often);
    for (let count = 0; count < 3; count += 1) {
      world.stack.store.actions.tagOrder({ orderId, tags: [`told ${count}`] });
    }
    world.stack.store.disorder = disorder;
    world.stack.store.actions.cancelOrder({ orderId: rewards.order(cancelled) });
    await rewards.expectEnds([late, cashback, often, cancelled], used);

    // 300 points are spent, and the order with the code that was taken back earns nothing yet that could pay for it.
    const before = await rewards.deadLetters();
    rewards.order(spender);
    await world.settled();
    const letters = (await rewards.deadLetters()).slice(before.length);
    expect(letters).toHaveLength(1);
    expect(`${letters[0]?.reason} ${letters[0]?.why}`).toMatch(/spent|points|balance/i);
    // Neither below zero nor twice: the order itself earned 40.
    const { pointsOf } = rewards.shop.look();
    expect(pointsOf(spender.shopper)).toBe(40);
    for (const one of next) expect(rewards.endOf(one)).toBe('works');
    const [shown] = (await rewards.shopRedemptions(spender.shopper)).filter(
      ({ id }: { id: string }) => id === spender.id,
    );
    expect(shown?.state).not.toBe('ready');
  }, 300_000);

  it('does not lose a late order, whatever dies and whichever answer is lost', async () => {
    const lost = ['reset-before', 'reset-after', 'truncated', 'http-500', 'http-503'] as const;
    const [pilot] = (await rewards.hold(['undisturbed'])) as [Held];
    await rewards.takeBack(pilot);
    await rewards.expectEnds([pilot], gone);
    const since = {
      orders: world.lines.orders.calls.length,
      worker: world.lines.worker.calls.length,
    };
    rewards.order(pilot);
    await rewards.expectEnds([pilot], used);
    const worked = rewards.stepsOf(pilot, 'worker', since.worker);
    const taken = worked.findIndex((one) => one.startsWith('POST /Customer/*/points'));
    expect(taken).toBeGreaterThanOrEqual(0);
    const recorded = worked.findIndex((one, index) => index > taken && one.startsWith('PutItem'));
    const deaths = [
      ...rewards
        .stepsOf(pilot, 'orders', since.orders)
        .map((step) => ({ of: 'orders', step }) as const),
      ...worked.slice(0, recorded + 1).map((step) => ({ of: 'worker', step }) as const),
    ];

    const held = await rewards.hold([
      ...deaths.map(({ of, step }) => `${of}: killed after ${step}`),
      ...lost.map((kind) => `points: ${kind}`),
    ]);
    const cashback: Held[] = [];
    for (const one of held.slice(deaths.length)) {
      cashback.push(await rewards.redeem(one.shopper, 8, 2));
    }
    const all = [...held, ...cashback];
    for (const one of all) await rewards.takeBack(one);
    await rewards.expectEnds(all, gone);

    for (const [index, { of, step }] of deaths.entries()) {
      const own = held[index] as Held;
      const death = world.killAfter(of, rewards.step(own, step));
      rewards.order(own);
      await expect.poll(() => death.met !== undefined || rewards.isPaid(own), PATIENCE).toBe(true);
    }
    const { faults } = world.stack.loyalty;
    for (const [index, kind] of lost.entries()) {
      faults.add({ kind, operation: 'changePoints', count: 1 });
      faults.add({ kind, operation: 'changeCashback', count: 1 });
      rewards.order(held[deaths.length + index] as Held);
      rewards.order(cashback[index] as Held);
      await world.settled();
    }
    expect(faults.list()).toEqual([]);
    await rewards.expectEnds(all, used);
  }, 480_000);

  it('makes the same code again where the service refuses to cancel, and never offers it again', async () => {
    const held = await rewards.hold(['refused', 'not refused', 'refused and used']);
    const [refused, other, usedLater] = held as [Held, Held, Held];
    const percent = await rewards.redeem(refused.shopper, 2);
    held.push(percent);
    await world.settled();
    const { rows } = world.stack.store;
    const discountOf = ({ code }: Held) => {
      const row = rows.codes.get(code.toLowerCase());
      const { title, value, context, usageLimit, oncePerCustomer, minimumMinor, endsAt, ...more } =
        rows.discounts.get(row?.discountId ?? '') ?? ({} as DiscountRow);
      const { productIds, combinesWith, tags } = more;
      const limits = { context, usageLimit, oncePerCustomer, minimumMinor, endsAt, productIds };
      return { code: row?.code, title, value, ...limits, combinesWith, tags };
    };
    const before = held.map(discountOf);
    let turn: Promise<unknown> = Promise.resolve();
    let refusals = 0;
    world.treats.worker.push(async (call) => {
      if (!isCancel(call)) return 'pass';
      const { promise, resolve } = Promise.withResolvers<void>();
      const mine = turn;
      turn = promise;
      await mine;
      const isRefused = [refused, usedLater, percent].some((one) => rewards.isAbout(one, call));
      const { faults } = world.stack.loyalty;
      const operation = cancelOf(call);
      const fault = isRefused && faults.add({ kind: 'business-error', code: 85, operation });
      if (fault) refusals += 1;
      return {
        meanwhile: async () => {
          if (fault) faults.clear(fault.id);
          resolve();
        },
      };
    });
    for (const one of held) await rewards.takeBack(one);
    const end = (one: Held) => (one === other ? gone() : works());
    await rewards.expectEnds(held, end);
    expect(refusals).toBeGreaterThanOrEqual(3);
    for (const one of [refused, usedLater, percent]) {
      expect(discountOf(one)).toEqual(before[held.indexOf(one)]);
      const all = await rewards.shopRedemptions(one.shopper);
      const shown = all.find(({ id }: { id: string }) => id === one.id);
      expect(shown).toMatchObject({ state: 'ready', code: one.code, takeBackUntil: null });
      expect((await rewards.takeBack(one)).status).toBe(409);
    }
    world.treats.worker.pop();
    rewards.order(usedLater);
    await rewards.expectEnds(held, (one) => (one === usedLater ? used() : end(one)));
  }, 300_000);

  it('outlasts a store and a service that are down for a while, and answers that are lost', async () => {
    const lost = ['reset-before', 'reset-after', 'truncated', 'http-500'] as const;
    const held = await rewards.hold([
      ...lost.flatMap((kind) => [`store: ${kind}`, `service: ${kind}`]),
      ...['the store is down', 'the service is down'],
    ]);
    const letters = await rewards.deadLetters();
    const { store, loyalty } = world.stack;
    const met = new Set<Held>();
    // Each has its fault once, at its own call that changes something.
    world.treats.worker.push((call) => {
      const own = held.find((one) => rewards.isAbout(one, call));
      const index = own ? held.indexOf(own) : -1;
      const kind = lost[Math.floor(index / 2)];
      const isStores = index % 2 === 0;
      const isIt = isStores ? /^discount\w*Delete/.test(call.name) : isCancel(call);
      if (!own || !kind || !isIt || met.has(own)) return 'pass';
      met.add(own);
      if (isStores) store.faults.add({ kind, operation: call.name, count: 1 });
      else loyalty.faults.add({ kind, operation: cancelOf(call), count: 1 });
      return 'pass';
    });
    for (const one of held.slice(0, -2)) await rewards.takeBack(one);
    await rewards.expectEnds(held, (one) => (held.indexOf(one) < 8 ? gone() : works()));
    expect(met.size).toBe(8);
    world.treats.worker.pop();

    for (const [one, { faults }] of [
      [held[8], store],
      [held[9], loyalty],
    ] as const) {
      const { id } = faults.add({ kind: 'outage' });
      const met = () => faults.list().find((rule) => rule.id === id)?.met ?? 0;
      const pressed = rewards.takeBack(one as Held);
      await expect.poll(met, PATIENCE).toBeGreaterThan(1);
      faults.clear(id);
      const { status } = await pressed;
      expect(status).toBe(200);
    }
    await rewards.expectEnds(held, gone);
    expect(await rewards.deadLetters()).toEqual(letters);
  }, 480_000);

  it('ends in one of the two states, at whichever call a process dies', async () => {
    const deaths = (['worker', 'shop'] as const).flatMap((of) =>
      steps[of].map((step) => ({ of, step })),
    );
    const letters = await rewards.deadLetters();
    const held = await rewards.hold(deaths.map(({ of, step }) => `${of}: killed after ${step}`));
    for (const [index, { of, step }] of deaths.entries()) {
      const own = held[index] as Held;
      const death = world.killAfter(of, rewards.step(own, step));
      const pressOnce = () =>
        rewards.shop.request(own.shopper, 'take-back', { redemptionId: own.id }).catch(() => {});
      // The page of a shopper whose request dies does not ask again; one may meet the death of another.
      await pressOnce();
      for (let more = 0; more < 10 && of === 'shop' && !death.met; more += 1) await pressOnce();
      await rewards.metOrGone(death, own);
    }
    await rewards.expectEnds(held, () => ['gone', 'works']);
    for (const one of held) expect((await rewards.takeBack(one)).status).toBe(200);
    await rewards.expectEnds(held, gone);
    expect(await rewards.deadLetters()).toEqual(letters);
  }, 480_000);

  it('needed no permission that a function does not have', () => {
    expect(world.stack.problems).toEqual([]);
  });
});
