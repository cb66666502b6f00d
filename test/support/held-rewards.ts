import { setTimeout as sleep } from 'node:timers/promises';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import { issueSessionToken, type TokenUser } from '../../local/store-sandbox/session-tokens.ts';
import {
  type HurriedStack,
  type Planned,
  stepAmong,
  stepsOf,
  type Watched,
} from './hurried-stack.ts';
import type { OutsideCall } from './outside-line.ts';
import { openShoppers, type Shopper } from './stack-shoppers.ts';

/** A reward that its shopper has redeemed and not used. */
export interface Held {
  readonly shopper: Shopper;
  /** Of the redemption, as pages name it. */
  readonly id: string;
  readonly code: string;
  readonly discountId: string;
  /** Of the redemption, at the service. */
  readonly rewardId: number;
  readonly key: string;
  /** In points, as the service took them. */
  readonly cost: number;
}

/**
 * What became of a reward, by the two sandboxes alone:
 *
 *   used    an order names its code, and its points are spent
 *   works   the store takes its code from this shopper, and its points are spent
 *   gone    the store has no such code, no order names it, and its points are back
 */
export type End = 'used' | 'works' | 'gone';

export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a page would read.
  readonly body: any;
}

/** By each new shopper. */
export const EARNED = 300;
const PATIENCE = { timeout: 240_000, interval: 250 };

/** Shoppers who hold rewards, and a judge who knows nothing but the two sandboxes. */
export function openHeldRewards(world: HurriedStack) {
  const { stack } = world;
  const { actions, rows } = stack.store;
  const shop = openShoppers(stack);
  let clicks = 0;

  const shopRedemption = (code: string) =>
    stack.loyalty.state().redemptions.find(({ ExternalCode }) => ExternalCode === code);

  /** As a page that asks again while it gets no answer, or 429 or 503. */
  async function insist(request: () => Promise<Response>): Promise<Answered> {
    for (const end = performance.now() + 120_000; ; ) {
      const answer = await request().catch(() => undefined);
      const text = (await answer?.text().catch(() => '')) ?? '';
      const isFinal = answer !== undefined && answer.status < 500 && answer.status !== 429;
      if (isFinal || performance.now() > end) {
        return { status: answer?.status ?? 0, body: text === '' ? undefined : JSON.parse(text) };
      }
      await sleep(500);
    }
  }

  async function redeem(shopper: Shopper, rewardId = 1, value?: number): Promise<Held> {
    clicks += 1;
    const click = {
      ...shopper.click,
      rewardId,
      clientKey: `held-${String(clicks).padStart(4, '0')}`,
      ...(value !== undefined && { value }),
    };
    const { body } = await insist(() => shop.request(shopper, 'redeem', click));
    const { id } = body.redemption;
    const shown = async () =>
      (await shopRedemptions(shopper)).find((one: { id: string }) => one.id === id);
    await expect.poll(async () => (await shown())?.state, PATIENCE).toBe('ready');
    const { code } = await shown();
    const discountId = rows.codes.get(code.toLowerCase())?.discountId ?? '';
    const { RewardId = 0, OriginalKey = '', points = 0 } = shopRedemption(code) ?? {};
    const cost = -points;
    return { shopper, id, code, discountId, rewardId: RewardId, key: OriginalKey, cost };
  }

  async function shopRedemptions(shopper: Shopper) {
    const { body } = await insist(() => shop.request(shopper, 'redemptions'));
    return body.redemptions;
  }

  const ordersOf = ({ id }: Shopper) =>
    [...rows.orders.values()].filter(({ customerId }) => customerId === id);

  const ordersWith = ({ shopper, code }: Held) =>
    ordersOf(shopper).filter(({ applications }) =>
      applications.some(({ name }) => name.toLowerCase() === code.toLowerCase()),
    );

  /** One point for each unit of what was paid for goods. Orders here have neither taxes nor shipping costs. */
  function earnedBy(shopper: Shopper): number {
    const kept = ordersOf(shopper).filter(
      ({ cancelledAt, fulfillments }) => cancelledAt === null && fulfillments.length > 0,
    );
    const minor = kept
      .flatMap(({ lines }) => lines)
      .map(({ unitMinor, quantity, allocations }) =>
        allocations.reduce((left, one) => left - one.minor, unitMinor * quantity),
      )
      .reduce((sum, one) => sum + one, 0);
    return minor / 100;
  }

  function endOf(held: Held): End | 'neither' {
    const { shopper, code } = held;
    const isCancelled = shopRedemption(code)?.canceledAt !== null;
    if (ordersWith(held).length > 0) return 'used';
    if (!rows.codes.get(code.toLowerCase())) return isCancelled ? 'gone' : 'neither';
    const { refusedCodes } = actions.quoteOrder(orderOf(shopper, [{ code }]));
    return refusedCodes.length === 0 && !isCancelled ? 'works' : 'neither';
  }

  const orderOf = ({ id }: Shopper, discounts: { code: string; amount?: number }[]) => ({
    customerId: id,
    lines: [{ title: 'Kettle', price: 45, quantity: 1 }],
    payment: 'paid' as const,
    taxes: [],
    discounts,
  });

  /** Its ends, and what the service and the store's pages say of its points. */
  function standing(shopper: Shopper, all: readonly Held[]) {
    const kept = all.filter((one) => one.shopper === shopper && endOf(one) !== 'gone');
    const due = kept.reduce((sum, { cost }) => sum + cost, 0);
    const { pointsOf, shownPoints } = shop.look();
    const points = pointsOf(shopper) ?? Number.NaN;
    return {
      due,
      spent: earnedBy(shopper) - points,
      shown: Number(shownPoints(shopper)) - points,
    };
  }

  /** As many as titles; each has points. */
  async function earners(titles: readonly string[]): Promise<Shopper[]> {
    const shoppers = titles.map((title) => shop.newShopper(title));
    for (const one of shoppers) shop.buy(one, EARNED);
    const missing = () => {
      const { pointsOf } = shop.look();
      return shoppers.filter((one) => pointsOf(one) !== EARNED).map(({ title }) => title);
    };
    await expect.poll(missing, PATIENCE).toEqual([]);
    await world.settled();
    return shoppers;
  }

  /** The call is about this reward or its shopper. */
  function isAbout(held: Held, call: OutsideCall): boolean {
    const { shopper, id, code, discountId, rewardId, key } = held;
    const path = decodeURIComponent(call.path);
    const text = `${path} ${call.body}`.toLowerCase();
    const marks = [shopper.id, shopper.email, id, code, key, `DiscountCodeNode/${discountId}`];
    const isNamed = marks.some((mark) => text.includes(mark.toLowerCase()));
    return isNamed || path.endsWith(`/POS/rewards/${rewardId}`);
  }

  return {
    shop,
    insist,
    redeem,
    earners,
    shopRedemptions,
    ordersWith,
    endOf,
    isAbout,

    /** As many shoppers as titles; each holds one reward. */
    async hold(titles: readonly string[]): Promise<Held[]> {
      const held: Held[] = [];
      for (const one of await earners(titles)) held.push(await redeem(one));
      await world.settled();
      return held;
    },

    takeBack: ({ shopper, id }: Pick<Held, 'shopper' | 'id'>) =>
      insist(() => shop.request(shopper, 'take-back', { redemptionId: id })),

    /** Like an extension, with its session token: the account page, or a till that serves this customer. */
    askAs(user: TokenUser, path: string, body?: object): Promise<Answered> {
      const { domain } = stack.store.shop;
      const { clientId } = stack.store.credentials;
      return insist(() => {
        const issue = { shop: domain, clientId, secret: stack.webhookSecret, now: new Date() };
        const headers = {
          authorization: `Bearer ${issueSessionToken(user, issue)}`,
          ...(body && { 'content-type': 'application/json' }),
        };
        return fetch(
          `${stack.outputs.StorefrontAddress}/example-store/${path}`,
          body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
        );
      });
    },

    /** With the code, also where the store has deleted it: a checkout may have been open. Gives the order's id. */
    order(
      { shopper, code }: Held,
      { before = [], payment = 'paid' }: { before?: string[]; payment?: 'paid' | 'none' } = {},
    ): string {
      const isKnown = rows.codes.get(code.toLowerCase()) !== undefined;
      const own = isKnown ? { code } : { code, amount: 5 };
      const others = before.map((other) => ({ code: other, amount: 1 }));
      const { id } = actions.placeOrder({ ...orderOf(shopper, [...others, own]), payment });
      if (payment === 'paid') actions.fulfilOrder({ orderId: id });
      return id;
    },

    /** No webhook tells of it. */
    quietly<Value>(act: () => Value): Value {
      const { disorder } = stack.store;
      stack.store.disorder = { ...disorder, drop: 1 };
      const value = act();
      stack.store.disorder = disorder;
      return value;
    },

    /** A webhook tells of an order at last. */
    announce: (orderId: string) => actions.tagOrder({ orderId, tags: ['announced'] }),

    /** The steps that a function made for this reward since then. */
    stepsOf(held: Held, of: Watched, since: number): string[] {
      const calls = world.lines[of].calls.slice(since);
      return stepsOf(calls.filter((call) => isAbout(held, call)));
    },

    step: (held: Held, step: string) => stepAmong((call) => isAbout(held, call), step),

    /** The service has cancelled it. */
    isBack: ({ code }: Held): boolean => shopRedemption(code)?.canceledAt !== null,

    /** An order names its code, and its points are spent. */
    isPaid(held: Held): boolean {
      const { due, spent } = standing(held.shopper, [held]);
      return endOf(held) === 'used' && due === spent;
    },

    /** What was planned has happened, or a busy worker has taken the reward back in fewer steps. */
    metOrGone: (plan: Planned, held: Held) =>
      expect.poll(() => plan.met !== undefined || endOf(held) === 'gone', PATIENCE).toBe(true),

    /** Nothing is on its way any more, and each reward had one of these ends: with its points, and no other's. */
    async expectEnds(
      all: readonly Held[],
      expected: (held: Held) => readonly End[],
    ): Promise<void> {
      await world.settled();
      const wrong = all.flatMap((held) => {
        const { shopper } = held;
        const { due, spent, shown } = standing(shopper, all);
        const end = endOf(held);
        const isRight = (expected(held) as readonly string[]).includes(end);
        return isRight && spent === due && shown === 0
          ? []
          : [`${shopper.title}: ${end}, ${spent} of ${due} points spent, shown ${shown} more`];
      });
      expect(wrong).toEqual([]);
    },

    /** Those of all queues, with the reason that each carries. They stay. */
    async deadLetters(): Promise<
      { readonly reason: string; readonly why: string; readonly body: string }[]
    > {
      const urls = Object.entries(stack.outputs).filter(([name]) =>
        name.endsWith('DeadLetterQueueUrl'),
      );
      const letters: { reason: string; why: string; body: string }[] = [];
      for (const [, QueueUrl] of urls) {
        const asked = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 };
        const { Messages = [] } = await stack.sqs.send(
          new ReceiveMessageCommand({ ...asked, MessageAttributeNames: ['All'] }),
        );
        for (const { MessageAttributes = {}, Body = '' } of Messages) {
          const text = (name: string) => MessageAttributes[name]?.StringValue ?? '';
          letters.push({ reason: text('reason'), why: text('why'), body: Body });
        }
      }
      return letters;
    },
  };
}

export type HeldRewards = ReturnType<typeof openHeldRewards>;
