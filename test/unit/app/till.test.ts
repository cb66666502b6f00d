import { beforeEach, describe, expect, it } from 'vitest';
import {
  cartProblem,
  hasCode,
  itemsOf,
  storedKeys,
  Till,
  type TillCart,
} from '../../../app/extensions/loyalty-till/src/till.ts';
import type { Redemption, Reward } from '../../../app/program/answers.ts';
import type { Answer } from '../../../app/program/ask.ts';

const reward: Reward = {
  ...{ id: 3, title: '3 off', description: '', points: 50, kind: 'fixed', value: 3 },
  ...{ product: null, cashback: null, redeemable: true, why: null, missingPoints: null },
  ...{ tiers: [], requirements: null },
};
const redemption: Redemption = {
  ...{ id: 'r1', rewardId: 3, title: '3 off', points: 50, state: 'ready', code: 'THREE-1' },
  ...{
    validUntil: null,
    takeBackUntil: null,
    takeBackRefused: false,
    kind: 'fixed',
    value: 3,
    at: '2026-11-15T12:00:00.000Z',
  },
};
const view = {
  ...{ loggedIn: true, asOf: '2026-11-15T12:00:00.000Z', points: 490, cashback: 0 },
  ...{ expiring: null, tier: null, rewards: [reward], redemptions: [], retryAfterSeconds: null },
};

const shirt = { productId: 8, price: 49, quantity: 1, discounts: [] };
const robins: TillCart = {
  ...{ currency: 'EUR', customer: { id: 7 }, lineItems: [shirt], cartDiscounts: [] },
};

const ok = (state: Partial<Redemption> = {}): Answer<unknown> => ({
  kind: 'ok',
  value: { redemption: { ...redemption, ...state } },
});
const failed = (code: string): Answer<unknown> => ({
  kind: 'failed',
  code,
  afterSeconds: undefined,
});

let cart: TillCart;
let applied: string[];
let sent: { readonly path: string; readonly body: Readonly<Record<string, unknown>> }[];
/** The answers to `redeem` and `take-back`, in turn. */
let answers: (Answer<unknown> | Promise<Answer<unknown>>)[];
/** Those to `challenge`; then it is started. */
let starts: Answer<unknown>[];
let looks: (() => void)[];
let shown: object;
let stored: Map<string, unknown>;
let time: number;
let asked: string[];

beforeEach(() => {
  [cart, applied, sent, answers, looks, shown] = [robins, [], [], [], [], view];
  [stored, time, asked, starts] = [new Map(), 0, [], []];
});

const storage = {
  get: async (name: string) => stored.get(name),
  set: async (name: string, value: unknown) => void stored.set(name, value),
  delete: async (name: string) => stored.delete(name),
};

function openTill(customerId = 7, applyCode?: (code: string) => Promise<void>): Till {
  return new Till({
    ask: async <T>(path: string, body?: object) => {
      if (body) sent.push({ path, body: body as Record<string, unknown> });
      else asked.push(path);
      const other = (path === 'challenge' && starts.shift()) || { kind: 'ok', value: shown };
      const isChange = path === 'redeem' || path === 'take-back';
      const answer = isChange ? await answers.shift() : other;
      return (answer ?? failed('technical')) as Answer<T>;
    },
    sale: { customerId, currency: 'EUR' },
    keys: storedKeys(storage, customerId, () => time),
    cart: () => cart,
    applyCode: applyCode ?? (async (code) => void applied.push(code)),
    changed: () => {},
    later: (run) => {
      looks.push(run);
      return () => {};
    },
  });
}

const bodiesOf = (path: string) => sent.filter((one) => one.path === path).map(({ body }) => body);

/** Ends when the code is in the cart, and never otherwise. */
async function given(till: Till): Promise<void> {
  while (till.step.kind !== 'given') await new Promise(setImmediate);
  expect(till.step).toEqual({ kind: 'given', code: 'THREE-1' });
}

describe('a reward at the till', () => {
  it('is redeemed for the cart, and its code is applied to it', async () => {
    answers = [ok()];
    const till = openTill();
    await till.redeem(reward);
    expect(bodiesOf('redeem')).toMatchObject([{ rewardId: 3, items: '8:49.00:1' }]);
    expect(applied).toEqual(['THREE-1']);
    expect(till.step).toEqual({ kind: 'given', code: 'THREE-1' });
  });

  it('asks the customer to confirm where the program wants it, and says when the answer is wrong', async () => {
    answers = [failed('challenge-needed'), failed('challenge-wrong'), ok()];
    const till = openTill();
    await till.redeem(reward);
    expect(bodiesOf('challenge')).toHaveLength(1);
    expect(till.step).toEqual({ kind: 'challenge', problem: undefined });
    await till.answerChallenge(' 1111 ');
    expect(till.step).toMatchObject({ kind: 'challenge', problem: { code: 'challenge-wrong' } });
    await till.answerChallenge('2222');
    expect(bodiesOf('redeem').map(({ answer }) => answer)).toEqual([undefined, '1111', '2222']);
    expect(till.step).toEqual({ kind: 'given', code: 'THREE-1' });
    expect(applied).toEqual(['THREE-1']);
  });

  it('asks for the answer first where the view says that the program wants it', async () => {
    shown = { ...view, needsChallenge: true };
    answers = [ok()];
    const till = openTill();
    await till.program.load();
    await till.redeem(reward);
    expect(bodiesOf('redeem')).toEqual([]);
    await till.answerChallenge('2222');
    expect(bodiesOf('redeem')).toMatchObject([{ answer: '2222' }]);
    expect(applied).toEqual(['THREE-1']);
  });

  it('asks for a phone number or an e-mail address where the program cannot reach the customer', async () => {
    const needed = { ...failed('contact-needed'), asks: ['phone'], programMessage: 'Telefone?' };
    starts = [needed as Answer<unknown>, failed('bad-request')];
    answers = [failed('challenge-needed'), ok()];
    const till = openTill();
    await till.redeem(reward);
    const contact = { kind: 'contact', asks: ['phone'] };
    expect(till.step).toEqual({ ...contact, says: 'Telefone?', isMalformed: false });
    await till.startChallenge({ phone: 'five' });
    expect(till.step).toEqual({ ...contact, says: undefined, isMalformed: true });
    await till.startChallenge({ phone: '+55 11 5550 0100' });
    expect(till.step).toEqual({ kind: 'challenge', problem: undefined });
    // A number that was mistyped can be corrected.
    await till.sendAgain();
    expect(till.step).toMatchObject(contact);
    await till.startChallenge({ phone: '+55 11 5550 0101' });
    await till.answerChallenge('2222');
    expect(applied).toEqual(['THREE-1']);
    expect(bodiesOf('challenge').map(({ phone }) => phone)).toEqual([
      ...[undefined, 'five', '+55 11 5550 0100', '+55 11 5550 0101'],
    ]);
    expect(JSON.stringify([...stored])).not.toContain('5550');
  });

  it('sends another message without asking, where the program knows the way', async () => {
    answers = [failed('challenge-needed')];
    const till = openTill();
    await till.redeem(reward);
    await till.sendAgain();
    expect(bodiesOf('challenge')).toEqual([{}, {}]);
    expect(till.step).toEqual({ kind: 'challenge', problem: undefined });
  });

  it('sends the next redemption without the answer to the last challenge', async () => {
    answers = [failed('challenge-needed'), ok(), failed('challenge-needed')];
    const till = openTill();
    await till.redeem(reward);
    await till.answerChallenge('2222');
    await till.redeem(reward);
    expect(bodiesOf('redeem').at(-1)).not.toHaveProperty('answer');
  });

  it('never lands in the cart of another customer, chosen while the program answered', async () => {
    let answer = (_: Answer<unknown>) => {};
    answers = [new Promise<Answer<unknown>>((resolve) => (answer = resolve))];
    const till = openTill();
    const redeemed = till.redeem(reward);
    cart = { ...robins, customer: { id: 8 } };
    answer(ok());
    await redeemed;
    expect(applied).toEqual([]);
    expect(till.step).toEqual({ kind: 'kept', code: 'THREE-1', why: 'other-customer' });
    cart = robins;
    await till.give('THREE-1');
    expect(applied).toEqual(['THREE-1']);
  });

  it('keeps the code when the till does not take it', async () => {
    answers = [ok()];
    const till = openTill(7, () => Promise.reject(new Error('not valid for these products')));
    await till.redeem(reward);
    expect(till.step).toEqual({ kind: 'kept', code: 'THREE-1', why: 'not-applied' });
  });

  it('does not apply a code that is in the cart already', async () => {
    cart = { ...robins, cartDiscounts: [{ discountDescription: 'THREE-1' }] };
    const till = openTill();
    await till.give('THREE-1');
    expect(applied).toEqual([]);
    expect(till.step).toEqual({ kind: 'given', code: 'THREE-1' });
  });

  it('is redeemed once when the connection is lost: a repetition has the same key, amount and answer', async () => {
    answers = [failed('challenge-needed'), failed('network'), ok()];
    const till = openTill();
    await till.redeem(reward, 2.5);
    await till.answerChallenge('2222');
    expect(till.step).toMatchObject({ kind: 'failed', mayHaveHappened: true });
    await till.send();
    const [, lost, repeated] = bodiesOf('redeem');
    expect(repeated).toEqual(lost);
    expect(lost).toMatchObject({ value: 2.5, answer: '2222' });
    expect(applied).toEqual(['THREE-1']);
  });

  it('keeps the key of a lost request when the modal is closed, for a quarter of an hour', async () => {
    answers = [failed('network'), failed('network'), failed('network')];
    await openTill().redeem(reward);
    await openTill().redeem(reward);
    time += 15 * 60 * 1000;
    await openTill().redeem(reward);
    const [first, second, late] = bodiesOf('redeem').map(({ clientKey }) => clientKey);
    expect(second).toBe(first);
    expect(late).not.toBe(first);
  });

  it('has a key of its own for each customer and each redemption', async () => {
    answers = [failed('network'), ok(), ok()];
    await openTill(7).redeem(reward);
    cart = { ...robins, customer: { id: 8 } };
    await openTill(8).redeem(reward);
    await openTill(8).redeem(reward);
    expect(new Set(bodiesOf('redeem').map(({ clientKey }) => clientKey)).size).toBe(3);
  });

  it('says that it is refused, and that nothing is left to repeat', async () => {
    answers = [failed('too-few-points')];
    const till = openTill();
    await till.redeem(reward);
    expect(till.step).toMatchObject({ kind: 'failed', mayHaveHappened: false });
  });

  it('applies a code that is made later, as soon as a look finds it', async () => {
    answers = [ok({ state: 'making', code: null })];
    const till = openTill();
    await till.program.load();
    await till.redeem(reward);
    expect(till.step).toMatchObject({ kind: 'waiting', redemption: { state: 'making' } });
    shown = { ...view, redemptions: [redemption] };
    await till.program.load();
    await given(till);
    expect(applied).toEqual(['THREE-1']);
  });

  it('has no code to apply for store credit: it says that the amount is on the account', async () => {
    answers = [ok({ state: 'credited', kind: 'store-credit', code: null })];
    const till = openTill();
    await till.redeem(reward, 3);
    expect(till.step).toMatchObject({ kind: 'waiting', redemption: { state: 'credited' } });
    expect(applied).toEqual([]);
  });

  it('applies the code of a lost answer, as soon as a look shows that it was redeemed', async () => {
    answers = [failed('network')];
    const till = openTill();
    await till.program.load();
    await till.redeem(reward);
    expect(till.step).toMatchObject({ kind: 'failed', mayHaveHappened: true });
    shown = { ...view, redemptions: [redemption] };
    await till.program.load();
    await given(till);
  });

  it('applies no code by itself that the staff did not ask for', async () => {
    const till = openTill();
    await till.program.load();
    shown = { ...view, redemptions: [redemption] };
    await till.program.load();
    expect(till.step).toEqual({ kind: 'choosing' });
    expect(applied).toEqual([]);
  });

  it('is not redeemed for a cart that cannot have it, whose amounts are not sent in another currency', async () => {
    cart = { ...robins, currency: 'USD' };
    const till = openTill();
    await till.redeem(reward);
    await till.program.load();
    expect(bodiesOf('redeem')).toEqual([]);
    expect(asked).toEqual(['view']);
    cart = robins;
    await till.program.load();
    expect(asked).toEqual(['view', 'view?items=8%3A49.00%3A1']);
  });
});

const sale = { customerId: 7, currency: 'EUR' };
const shirts = { ...shirt, quantity: 2 };

describe('a code of a customer at the till', () => {
  it('is taken back after a question, and the till says how far that is', async () => {
    answers = [ok({ state: 'returning' })];
    const till = openTill();
    till.askTakeBack(redemption);
    expect(sent).toEqual([]);
    expect(till.step).toEqual({ kind: 'returning', redemption });
    await till.takeBack(redemption);
    expect(bodiesOf('take-back')).toEqual([{ redemptionId: 'r1' }]);
    expect(till.step).toMatchObject({ kind: 'waiting', redemption: { state: 'returning' } });
  });

  it.each(['take-back-too-late', 'network'])('stays where that fails: %s', async (code) => {
    answers = [failed(code)];
    const till = openTill();
    await till.takeBack(redemption);
    expect(till.step).toMatchObject({ kind: 'failed', failure: { code }, mayHaveHappened: false });
  });
});

describe('a take back that the program refuses', () => {
  it('is said, and the code is not put into the cart', async () => {
    answers = [ok({ state: 'returning' })];
    const till = openTill();
    await till.takeBack(redemption);
    for (const state of ['returning', 'ready'] as const) {
      shown = { ...view, redemptions: [{ ...redemption, state, takeBackRefused: true }] };
      await till.program.load();
    }
    const code = 'take-back-refused';
    expect(till.step).toMatchObject({ kind: 'failed', failure: { code }, mayHaveHappened: false });
    expect(applied).toEqual([]);
  });
});

describe('the cart of a till', () => {
  it('can have a reward when it is that of the customer, with products, in the currency of the program', () => {
    expect(cartProblem(robins, sale)).toBeUndefined();
    expect(cartProblem({ ...robins, editable: true }, sale)).toBeUndefined();
  });

  it('names the first obstacle', () => {
    const { customer: _, ...guest } = robins;
    expect(cartProblem({ ...guest, lineItems: [] }, sale)).toBe('no-customer');
    expect(cartProblem({ ...robins, customer: { id: 8 } }, sale)).toBe('other-customer');
    expect(cartProblem({ ...robins, lineItems: [] }, sale)).toBe('empty-cart');
    expect(cartProblem({ ...robins, currency: 'USD' }, sale)).toBe('other-currency');
    expect(cartProblem({ ...robins, editable: false }, sale)).toBe('not-editable');
  });

  it('shows a code at the cart or at a line, in any case of letters', () => {
    const code = { discountDescription: 'five-1A' };
    expect(hasCode({ ...robins, cartDiscounts: [code] }, 'FIVE-1a')).toBe(true);
    expect(hasCode({ ...robins, lineItems: [{ ...shirts, discounts: [code] }] }, 'FIVE-1A')).toBe(
      true,
    );
    expect(hasCode({ ...robins, cartDiscounts: [code, {}] }, 'FIVE')).toBe(false);
  });

  it('is sent as products with what is paid for one piece', () => {
    const off = [{ allocatedAmount: { amount: '9.80' } }, { allocatedAmount: { amount: '0.20' } }];
    const lines = [
      { ...shirts, discountAllocations: off },
      { ...shirts, productId: 5, price: 0.1 },
    ];
    expect(itemsOf({ ...robins, lineItems: lines })).toBe('8:44.00:2,5:0.10:2');
  });

  it('leaves out what has no product or no price, and never has a price below 0', () => {
    const custom = { price: 3, quantity: 1, discounts: [] };
    const open = { productId: 5, quantity: 1, discounts: [] };
    const gift = { ...shirts, discountAllocations: [{ allocatedAmount: { amount: '99' } }] };
    expect(itemsOf({ ...robins, lineItems: [custom, open] })).toBeUndefined();
    expect(itemsOf({ ...robins, lineItems: [custom, gift] })).toBe('8:0.00:2');
  });
});
