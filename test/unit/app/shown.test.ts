import { resolve } from 'node:path';
import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { OrderEarning, Redemption, Reward, View } from '../../../app/program/answers.ts';
import { openSmallPage, type SmallNode } from '../../support/small-page.ts';

/** A path in a variable: the types of a browser are not those of the tests. */
const load = (path: string) => import(resolve('app', path));
const later = (ms = 1_000) => vi.advanceTimersByTimeAsync(ms);

const NOW = '2026-11-15T12:00:00.000Z';
const END = '2026-12-24T12:00:00.000Z';
const REWARD: Reward = {
  ...{ id: 3, title: '3 off', description: '', points: 50, kind: 'fixed', value: 3 },
  ...{ product: null, cashback: null, redeemable: true, why: null, missingPoints: null },
  ...{ tiers: [], requirements: null },
};
const CODE: Redemption = {
  ...{ id: 'r1', rewardId: 3, title: '3 off', points: 50, state: 'ready', code: 'THREE-1' },
  ...{ validUntil: END, takeBackUntil: END, takeBackRefused: false, at: NOW },
  ...{ kind: 'fixed', value: 3 },
};
const NOTHING: View = {
  ...{ loggedIn: true, asOf: NOW, points: 490, cashback: 24.5, expiring: null, tier: null },
  ...{ rewards: [], redemptions: [], referral: null, retryAfterSeconds: null },
  needsChallenge: false,
};
const missing = { redeemable: false, why: 'too-few-points' } as const;
const cashback = { least: 0.5, most: 24.5, validUntil: END };

let asked: string[];
let answers: Record<string, unknown>;
let page: ReturnType<typeof openSmallPage>;

/** By the last part of the address; a number is the status of a refusal, none a lost connection. */
async function answer(address: string, { body }: { readonly body?: string } = {}) {
  const question = decodeURIComponent(address.replace(/^.*\//, ''));
  asked.push(question + (body ? ` ${body}` : ''));
  const given = answers[question.replace(/\?.*/, '')];
  const value: unknown = typeof given === 'function' ? await given(question) : given;
  if (value === undefined) throw new TypeError('no connection');
  const error = { code: 'too-many-requests' };
  return typeof value === 'number'
    ? Response.json({ error }, { status: value, headers: { 'retry-after': '7' } })
    : Response.json(value);
}

const line = { productId: 8, price: 49, quantity: 1, discounts: [] };
const order = (run: (order: object) => void) => {
  queueMicrotask(() => run({ id: 'gid://shopify/Order/1' }));
  return () => {};
};

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse(NOW) });
  asked = [];
  answers = { history: { entries: [], page: 1, hasMore: false }, redemptions: { redemptions: [] } };
  page = openSmallPage({
    STOREFRONT_ADDRESS: 'https://function.example/shop',
    fetch: answer,
    shopify: {
      authenticationState: signal('fully_authenticated'),
      cart: {
        current: signal({
          ...{ currency: 'EUR', customer: { id: 7 } },
          ...{ lineItems: [line], cartDiscounts: [] },
        }),
      },
      connectivity: { current: signal({ internetConnected: 'Connected' }) },
      customer: { id: 7 },
      locale: { current: signal('en') },
      localization: { language: signal({ isoCode: 'en' }), currency: signal({ isoCode: 'EUR' }) },
      order: { subscribe: order },
      query: async () => ({
        data: {
          shop: {
            primaryDomain: { url: 'https://shop.example' },
            paymentSettings: { currencyCode: 'EUR' },
          },
        },
      }),
      session: { currentSession: { currency: 'EUR' }, getSessionToken: async () => 'token' },
      sessionToken: { get: async () => 'token' },
      storage: { get: async () => undefined, set: async () => {}, delete: async () => true },
    },
  });
});

const SURFACES: Readonly<Record<string, () => Promise<SmallNode>>> = {
  'the widget': () => openWidget({}),
  'the account page': () => openExtension('loyalty-account/src/page.tsx'),
  'the till': () => openExtension('loyalty-till/src/modal.tsx'),
  'the block at the till': () => openExtension('loyalty-till/src/block.tsx'),
};

async function openExtension(path: string): Promise<SmallNode> {
  const { default: open } = await load(`extensions/${path}`);
  await Promise.all([open(), later()]);
  return page.body;
}

async function openWidget(attributes: Readonly<Record<string, string>>): Promise<SmallNode> {
  const { LoyaltyWidget } = await load('widget/loyalty-widget.ts');
  customElements.define('loyalty-widget', LoyaltyWidget);
  const widget = page.createElement('loyalty-widget');
  for (const [name, value] of Object.entries({ currency: 'EUR', ...attributes }))
    widget.setAttribute(name, value);
  page.body.append(widget);
  await later();
  return widget;
}

declare const customElements: { define(name: string, made: unknown): void };

/** What each surface shows of each state of the program, in its order. */
const STATES: Readonly<Record<string, { view: unknown; shown: Record<string, string> }>> = {
  'all that there can be': {
    view: {
      ...NOTHING,
      expiring: { points: 40, at: END },
      tier: {
        name: 'Bronze',
        next: { name: 'Gold', goals: [{ name: 'Points', value: 490, goal: 500, percent: 98 }] },
      },
      rewards: [
        { ...REWARD, id: 1, title: '25 off', ...missing, missingPoints: 42 },
        { ...REWARD, id: 2, title: 'Cashback', kind: 'cashback', cashback },
        { ...REWARD, id: 4, title: 'Credit', kind: 'store-credit', ...missing, cashback },
        REWARD,
      ],
      redemptions: [{ ...CODE, id: 'r2', title: 'Gift', state: 'used', code: 'GIFT-1' }, CODE],
      referral: { url: 'https://friends.example/r/1', whatsappUrl: null },
    },
    shown: {
      'the widget': `
        Your points | 490 points | €24.50 cashback | Expiring on Dec 24, 2026: 40 points
        42 points to your next reward: 25 off | Tier: Bronze | On the way to Gold | Points | 490 of 500 | 98
        Rewards
        Cashback | Amount (€0.50 to €24.50) | 24.50 | 0.5 to 24.5 | Redeem for 490 points | Valid until Dec 24, 2026
        3 off | €3.00 off | Redeem for 50 points
        More rewards
        25 off | €3.00 off | off: Redeem for 50 points | You need 42 points more.
        Credit | off: Get it as store credit for 490 points
        There are not enough points for this reward. Valid until Dec 24, 2026
        Your redeemed rewards | Gift | GIFT-1 | Used
        3 off | THREE-1 | Use it now | Copy code | Take back
        Ready: use it now, or enter it at checkout. Valid until Dec 24, 2026
        Invite friends | https://friends.example/r/1 | Copy link`,
      'the account page': `
        Points and rewards
        Your points | 490 points | €24.50 cashback | Expiring on Dec 24, 2026: 40 points
        42 points to your next reward: 25 off | Tier: Bronze | On the way to Gold | Points | 490 of 500 | 98
        Your redeemed rewards
        3 off | THREE-1 | https://shop.example/discount/THREE-1?redirect=/cart | Use it now | Copy code | Take back
        Ready: use it now, or enter it at checkout. Valid until Dec 24, 2026
        Gift | GIFT-1 | Used
        Rewards
        Cashback | Amount (€0.50 to €24.50) | 24.50 | 0.5 to 24.5 | Redeem for 490 points | Valid until Dec 24, 2026
        3 off | €3.00 off | Redeem for 50 points
        More rewards
        Invite friends | https://friends.example/r/1 | Copy link
        History | Nothing has happened yet.`,
      'the till': `
        Loyalty | 490 points · Bronze
        Codes of this customer | 3 off | THREE-1 | Apply to the cart | Take back
        Rewards
        Cashback | Valid until Dec 24, 2026 | Amount (€0.50 to €24.50) | 24.50 | Redeem for 490 points
        3 off | €3.00 off | Redeem for 50 points
        25 off | The customer needs 42 points more.
        Credit | There are not enough points for this reward. Valid until Dec 24, 2026`,
      'the block at the till': 'Loyalty | Rewards (2) | 490 points | Bronze',
    },
  },
  'a program that cannot be reached': {
    view: { ...NOTHING, rewards: null, retryAfterSeconds: 7 },
    shown: {
      'the widget': `
        Your points | 490 points | €24.50 cashback | As of Nov 15, 2026
        The loyalty program cannot be reached at the moment. Please try again in 7 s. | Try again`,
      'the account page': `
        Points and rewards
        The loyalty program cannot be reached at the moment. Please try again in 7 s. | Try again
        Your points | 490 points | €24.50 cashback | As of Nov 15, 2026
        History | Nothing has happened yet.`,
      'the till': 'Loyalty | 490 points | The loyalty program cannot be reached at the moment.',
      'the block at the till':
        'Loyalty | Rewards | 490 points | The loyalty program cannot be reached at the moment.',
    },
  },
  'a customer without points': {
    view: { ...NOTHING, points: null, cashback: null },
    shown: {
      'the widget': `
        Your points | No points yet. They appear here after your first order.
        Rewards | There are no rewards at the moment.`,
      'the account page': `
        Points and rewards | Your points | No points yet. They appear here after your first order.
        Rewards | There are no rewards at the moment. | History | Nothing has happened yet.`,
      'the till': 'Loyalty | No points yet | Rewards | There are no rewards at the moment.',
      'the block at the till': 'Loyalty | Rewards | No points yet | No reward for this cart yet',
    },
  },
  'a refusal, and when to ask again': {
    view: 429,
    shown: {
      'the widget': 'That was a bit fast. Please try again in 7 s. | Try again',
      'the account page':
        'Points and rewards | That was a bit fast. Please try again in 7 s. | Try again',
      'the till': 'Loyalty | That was a bit fast. Please try again in 7 s. | Try again',
      'the block at the till': 'Loyalty | Rewards | That was a bit fast. Please try again in 7 s.',
    },
  },
  'a visitor': {
    view: { ...NOTHING, loggedIn: false, points: null, cashback: null, asOf: null },
    shown: {
      'the widget': `
        Your points | /account/login | Log in | to see your points and to redeem rewards.
        Rewards | There are no rewards at the moment.`,
    },
  },
};

describe.each(Object.entries(STATES))('%s', (_, { view, shown }) => {
  it.each(Object.entries(shown))('is shown by %s', async (surface, texts) => {
    answers.view = view;
    const { [surface]: open } = SURFACES;
    expect((await open?.())?.shown).toEqual(texts.trim().split(/ \| |\n */));
  });
});

describe('the widget', () => {
  it('asks for rewards for the cart, and what the items of its page earn', async () => {
    Object.assign(answers, { view: NOTHING, points: { points: 49, cashback: 0, items: [] } });
    const widget = await openWidget({ items: '8:49:1', cart: '9:10:2' });
    expect(asked).toEqual(['view?items=9:10:2', 'points?items=8:49:1&currency=EUR']);
    expect(widget.shown).toContain('This order earns you about 49 points.');
  });

  it('uses a code that was pressed for, also if only a later look finds it: the answer was lost', async () => {
    answers.view = { ...NOTHING, rewards: [REWARD] };
    const widget = await openWidget({});
    widget.press('Redeem for 50 points');
    answers.view = { ...NOTHING, points: 440, rewards: [REWARD], redemptions: [CODE] };
    answers['cart.js'] = { item_count: 0, discount_codes: [], items: [], total_price: 0 };
    await later(20_000);
    expect(asked).toContain('cart.js');
    expect(widget.shown.at(-1)).toMatch(/Your cart is empty/);
  });

  it('asks nothing any more when it has left the page', async () => {
    const making = { ...CODE, state: 'making', code: null };
    answers.view = { ...NOTHING, redemptions: [making] };
    const widget = await openWidget({});
    widget.remove();
    asked = [];
    await later(200_000);
    expect(asked).toEqual([]);
  });
});

it('the till takes no more cashback than there is', async () => {
  const reward = { ...REWARD, kind: 'cashback', cashback };
  answers.view = { ...NOTHING, rewards: [reward] };
  const till = await openExtension('loyalty-till/src/modal.tsx');
  for (const [typed, isTaken] of Object.entries({ '0,49': false, '24,51': false, '24,50': true })) {
    till.enter(/^Amount/, typed);
    await later();
    const error = 'This amount is not possible for the cart.';
    expect([typed, till.shown.includes(error)]).toEqual([typed, !isTaken]);
    expect(till.shown.some((one) => one.startsWith('off: Redeem'))).toBe(!isTaken);
  }
});

describe('the history of an account', () => {
  const entry = { kind: 'points', at: null, points: 1, cashback: 0, cancelled: false, code: null };
  const pageOf = (title: string, number: number) => ({
    ...{ entries: [{ ...entry, title, tier: null }], page: number, hasMore: true },
  });

  it('continues with each page, begins anew after a redemption, and shows the last answer', async () => {
    const held: ((answer: object) => void)[] = [];
    Object.assign(answers, {
      ...{ view: { ...NOTHING, rewards: [REWARD] }, redeem: { redemption: CODE } },
      history: () => new Promise((resolve) => held.push(resolve)),
    });
    const { default: open } = await load('extensions/loyalty-account/src/page.tsx');
    void open();
    await later();
    held[0]?.(pageOf('first', 1));
    await later();
    page.body.press('Show more');
    page.body.press('Show more');
    await later();
    held[2]?.(pageOf('second', 2));
    await later();
    held[1]?.(pageOf('late', 2));
    await later();
    const titles = () => page.body.shown.filter((one) => /^(first|second|late|new)$/.test(one));
    expect(titles()).toEqual(['first', 'second']);
    page.body.press('Redeem for 50 points');
    await later();
    held[3]?.(pageOf('new', 1));
    await later();
    expect(titles()).toEqual(['new']);
  });
});

describe('the block of an order', () => {
  const EARNS: OrderEarning = {
    ...{ state: 'earns', points: 49, cashback: 2.45, why: null },
    ...{ steps: [], counted: [] },
  };
  it.each<[OrderEarning, number, string]>([
    [EARNS, 1, 'This order earns you 49 points and €2.45 cashback.'],
    [{ ...EARNS, state: 'none' }, 1, 'This order earns no points.'],
    [
      { ...EARNS, state: 'waiting' },
      7,
      'This order is on its way to the loyalty program. What it earns appears here.',
    ],
  ])('of %j asks so often: %i', async (earning, times, sentence) => {
    Object.assign(answers, { order: earning, redemptions: { redemptions: [CODE] } });
    const block = await openExtension('loyalty-order/src/block.tsx');
    await later(600_000);
    expect(asked.filter((one) => one === 'order?id=1')).toHaveLength(times);
    expect(block.shown).toContain(sentence);
    expect(block.shown.at(-1)).toBe('Use it now: 3 off');
  });
});

it('the points of a product are those of the variant chosen last, in whatever order answers come', async () => {
  const held: ((answer: object) => void)[] = [];
  answers.points = () => new Promise((resolve) => held.push(resolve));
  await load('extensions/loyalty-theme/assets/loyalty-points.ts');
  const points = page.createElement('loyalty-points');
  const given = { sentence: 'Earns {gain}', points: '{n} points', locale: 'en', lang: 'en' };
  for (const [name, value] of Object.entries({ ...given, price: '49', prices: '11:49,12:98' }))
    points.setAttribute(name, value);
  page.body.append(points);
  const select = page.createElement('select');
  for (const [name, value] of Object.entries({ name: 'id', value: '12' }))
    select.setAttribute(name, value);
  page.body.append(select);
  page.document.dispatchEvent(new Event('change'));
  held[1]?.({ points: 98, cashback: 0 });
  await later();
  held[0]?.({ points: 49, cashback: 0 });
  await later();
  expect(points.textContent).toBe('Earns 98 points');
});
