import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advance,
  asOf,
  codeFrom,
  creditEnd,
  mayBeSpare,
  type RedeemBody,
  type Redemption,
  type RedemptionState,
  type Step,
  secondsUntil,
  viewOf,
} from '../../../../shared/rewards/redeem/redemption.ts';
import { tidy } from '../../../../shared/rewards/redeem/redemption-record.ts';
import { redemptionAt } from '../../../fixtures/redemption.ts';

const now = new Date('2026-10-09T12:00:00.000Z');
const at = now.toISOString();
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

const body: RedeemBody = { CustomerId: 'robin@example.com', OriginalKey: 'key-1' };

const intended: RedemptionState = { at: 'intended', body };
const calling = { at: 'calling', body, attempts: 1, calledAt: at } as const;
const repeated = { ...calling, attempts: 2 };
const doubted = { ...repeated, refusal: { why: 'refused' } } as const;
const absent = { ...repeated, refusal: { why: 'refused', absentAt: at } } as const;
const code = codeFrom('FIVE-1', redemptionAt(intended), now);
const redeemed = { at: 'redeemed', redeemedRewardId: 7, code, calledAt: at } as const;
const ready = { at: 'ready', code, discountId: '1', redeemedRewardId: 7 } as const;
const returning = { at: 'returning', code, discountId: '1', redeemedRewardId: 7 } as const;
const unwanted = { ...redeemed, refusal: { why: 'TAKEN', at } } as const;
const toCredit = { at: 'crediting', redeemedRewardId: 7, attempts: 0, calledAt: at } as const;
const crediting = { ...toCredit, attempts: 1 };
const uncredited = { ...crediting, absentAt: at };
const notCredited = { ...crediting, refusal: { why: 'CREDIT_LIMIT_EXCEEDED', at } };
const expiresAt = '2026-11-09T08:15:30.000Z';
const creditOf = (end: string) => ({ currency: 'EUR', expiresAt: end });
const ofCredit = (state: RedemptionState, given: Partial<Redemption> = {}) => {
  const redemption = redemptionAt(state, given);
  const credit = creditOf(expiresAt);
  return { ...redemption, terms: { ...redemption.terms, kind: 'store-credit', credit } } as const;
};

describe('the code of a redeemed reward', () => {
  it('is the service’s own, with what was offered', () => {
    expect(codeFrom(' TEN-1 ', redemptionAt(intended), now)).toEqual({
      ...{ code: 'TEN-1', kind: 'fixed', value: 5, startsAt: at },
      endsAt: '2026-11-08T12:00:00.000Z',
    });
    const { terms, ...rest } = redemptionAt(intended);
    const { validDays: _, ...endless } = terms;
    expect(codeFrom('TEN-1', { ...rest, terms: endless }, now)).not.toHaveProperty('endsAt');
    const longest = 'x'.repeat(255);
    expect(codeFrom(longest, redemptionAt(intended), now).code).toBe(longest);
  });

  it.each([undefined, null, ' ', 'x'.repeat(256)])(
    'is one of ours where it gives none (%s)',
    (given) => {
      expect(codeFrom(given, redemptionAt(intended), now).code).toBe('FIVE-AAAABBBBCCCC');
    },
  );
});

describe('a redemption', () => {
  const states: readonly RedemptionState[] = [
    intended,
    calling,
    repeated,
    doubted,
    absent,
    { at: 'refused', why: 'refused' },
    redeemed,
    unwanted,
    toCredit,
    crediting,
    uncredited,
    notCredited,
    { at: 'credited', transactionId: '1', expiresAt },
    { at: 'cancelling', redeemedRewardId: 7, code },
    { at: 'cancelled', code },
    ready,
    { at: 'used', code, discountId: '1' },
    returning,
    { ...returning, begunAt: at },
    { ...returning, begunAt: at, deletedAt: at },
    { at: 'owing', code },
  ];
  const steps: readonly Step[] = [
    { kind: 'call' },
    { kind: 'not-sent', attempt: 1 },
    { kind: 'answer', redeemedRewardId: 7, code },
    { kind: 'refuse', attempt: 1, why: 'refused' },
    { kind: 'refuse', attempt: 2, why: 'refused' },
    { kind: 'absent' },
    { kind: 'made', discountId: '1' },
    { kind: 'store-refused', why: 'TAKEN' },
    { kind: 'answer', redeemedRewardId: 7 },
    { kind: 'credit', after: 0 },
    { kind: 'credit', after: 1 },
    { kind: 'credit-not-sent', attempt: 1 },
    { kind: 'credit-absent' },
    { kind: 'credit-refused', attempt: 1, why: 'CREDIT_LIMIT_EXCEEDED' },
    { kind: 'credited', transactionId: '1', expiresAt },
    { kind: 'cancel' },
    { kind: 'cancelled' },
    { kind: 'use' },
    { kind: 'take-back' },
    { kind: 'begin-return' },
    { kind: 'deleted' },
    { kind: 'restore' },
    { kind: 'taken-again' },
  ];

  function waysOf(
    steps: readonly Step[],
    at: Date,
    given: Partial<Redemption> = {},
  ): readonly string[] {
    const ways = states.flatMap((state) =>
      steps.flatMap((step) => {
        const before = ofCredit(state, given);
        const to = advance(before, step, at)?.state.at;
        return to === undefined || to === state.at ? [] : [`${state.at} → ${to}`];
      }),
    );
    return [...new Set(ways)].toSorted();
  }

  it('goes the ways that are drawn above its code, and no other', () => {
    expect(waysOf(steps, later(3_000))).toEqual([
      'calling → crediting',
      'calling → intended',
      'calling → redeemed',
      'calling → refused',
      'cancelling → cancelled',
      'crediting → cancelling',
      'crediting → credited',
      'intended → calling',
      'owing → used',
      'ready → returning',
      'ready → used',
      'redeemed → cancelling',
      'redeemed → ready',
      'returning → cancelling',
      'returning → used',
    ]);
  });

  it('looks for a credit before the first one where the ledger may have forgotten it', () => {
    const answered = { kind: 'answer', redeemedRewardId: 7 } as const;
    const attemptsAfter = (more: { readonly tried?: true }) => {
      const one = redemptionAt({ at: 'intended', body }, { intendedAt: at, ...more });
      const called = advance(one, { kind: 'call' }, later(1));
      return called && advance(called, answered, later(2))?.state;
    };
    expect(attemptsAfter({})).toMatchObject({ at: 'crediting', attempts: 0 });
    expect(attemptsAfter({ tried: true })).toMatchObject({ at: 'crediting', attempts: 1 });
  });

  it('may have been made twice where the ledger forgot it, also after a take back that came too late', () => {
    const [start, ...next] = [
      redemptionAt(ready, { tried: true }),
      { kind: 'take-back' },
      { kind: 'use' },
    ] as const;
    const used = next.reduce<Redemption | undefined>(
      (one, step) => one && advance(one, step, now),
      start,
    );
    expect(used).toMatchObject({ state: { at: 'used' }, tried: true });
    expect(used && mayBeSpare(used)).toBe(true);
    expect(start && mayBeSpare(start)).toBe(false);
  });

  it('goes these ways besides when it was taken back, and is not taken back again', () => {
    const usual = waysOf(steps, later(3_000));
    const ways = waysOf(steps, later(3_000), { takeBack: { at } });
    expect(ways.filter((way) => !usual.includes(way))).toEqual([
      'cancelled → owing',
      'cancelling → redeemed',
      'redeemed → used',
    ]);
    expect(usual.filter((way) => !ways.includes(way))).toEqual(['ready → returning']);
    const ordered = { at: 'cancelling', redeemedRewardId: 7, code, ordered: true } as const;
    const from = (step: Step, refused?: true) =>
      advance(redemptionAt(ordered, { takeBack: { at, ...(refused && { refused }) } }), step, now);
    expect(from({ kind: 'cancelled' })?.state).toEqual({ at: 'owing', code });
    expect(from({ kind: 'restore' })?.state).toEqual({ at: 'used', code });
    expect(from({ kind: 'restore' }, true)).toBeUndefined();
  });

  it('is cancelled 60 seconds after its code was deleted, and not before a worker began', () => {
    const deleted = { ...returning, begunAt: at, deletedAt: at };
    expect(next(returning, { kind: 'deleted' }, 1)).toBeUndefined();
    expect(next({ ...returning, begunAt: at }, { kind: 'cancel' }, 3_600)).toBeUndefined();
    expect(next(deleted, { kind: 'cancel' }, 59)).toBeUndefined();
    expect(next(deleted, { kind: 'cancel' }, 60)).toMatchObject({ at: 'cancelling' });
  });

  it('is ready again when no worker began to take it back for an hour', () => {
    const given = { intendedAt: '2026-09-30T12:00:00.000Z', takeBack: { at } };
    const unbegun = redemptionAt(returning, given);
    const begin = { kind: 'begin-return' } as const;
    expect(advance(unbegun, begin, later(3_299))?.state).toMatchObject({ at: 'returning' });
    expect(advance(unbegun, begin, later(3_300))).toBeUndefined();
    expect(asOf(unbegun, later(3_599))).toBe(unbegun);
    expect(asOf(unbegun, later(3_600))).toEqual(
      redemptionAt(ready, { intendedAt: given.intendedAt }),
    );
    const begun = redemptionAt({ ...returning, begunAt: at }, given);
    expect(asOf(begun, later(86_400))).toBe(begun);
  });

  it('is closed by a person only where it needs one', () => {
    const close = [
      { kind: 'close', as: 'refused' },
      { kind: 'close', as: 'cancelled' },
      { kind: 'close', as: 'used' },
      { kind: 'close', as: 'credited' },
    ] as const;
    expect(waysOf(close, later(60))).toEqual([]);
    const ways = [
      'calling → cancelled',
      'calling → refused',
      'cancelling → cancelled',
      'crediting → cancelled',
      'crediting → credited',
      'owing → used',
      'redeemed → cancelled',
      'returning → cancelled',
    ];
    expect(waysOf(close, later(60), { stuck: 'look-up-refused' })).toEqual(ways);
    expect(waysOf(close, later(86_400))).toEqual(ways);
    const closed = (state: RedemptionState, as: 'refused' | 'credited') =>
      advance(ofCredit(state), { kind: 'close', as }, later(86_400))?.state;
    // No click was answered with it: the customer sees it in the list.
    expect(closed(calling, 'refused')).toEqual({ at: 'refused', why: 'refused', late: true });
    expect(closed(crediting, 'credited')).toEqual({ at: 'credited', expiresAt });
  });

  const next = (state: RedemptionState, step: Step, seconds: number) =>
    advance(redemptionAt(state), step, later(seconds))?.state;

  it('is repeated with the same body, at least 30 seconds after an unanswered attempt', () => {
    expect(next(calling, { kind: 'call' }, 29)).toBeUndefined();
    expect(next(calling, { kind: 'call' }, 30)).toEqual({
      ...calling,
      attempts: 2,
      calledAt: later(30).toISOString(),
    });
    expect(next(doubted, { kind: 'call' }, 3600)).toBeUndefined();
  });

  it('is refused by a refusal with no unanswered attempt before it, and by no other', () => {
    const refuse = { kind: 'refuse', attempt: 1, why: 'too-few-points' } as const;
    expect(next(calling, refuse, 1)).toEqual({ at: 'refused', why: 'too-few-points' });
    expect(next(repeated, { ...refuse, attempt: 2 }, 1)).toEqual({
      ...repeated,
      refusal: { why: 'too-few-points' },
    });
    // Of an attempt that was repeated meanwhile.
    expect(next(repeated, refuse, 1)).toBeUndefined();
  });

  it('records what the store answered, and when it refused', () => {
    const why = 'CREDIT_LIMIT_EXCEEDED';
    expect(next(redeemed, { kind: 'made', discountId: '1' }, 0)).toEqual(ready);
    expect(next(redeemed, { kind: 'store-refused', why: 'TAKEN' }, 0)).toEqual(unwanted);
    expect(next(crediting, { kind: 'credit-refused', attempt: 1, why }, 0)).toEqual(notCredited);
    expect(next(crediting, { kind: 'credit-refused', attempt: 2, why }, 0)).toBeUndefined();
    const credited = { at: 'credited', transactionId: '1', expiresAt } as const;
    expect(next(crediting, { ...credited, kind: 'credited' }, 0)).toEqual(credited);
  });

  it('counts no attempt that was surely not sent', () => {
    expect(next(repeated, { kind: 'not-sent', attempt: 2 }, 1)).toEqual(calling);
    expect(next(repeated, { kind: 'not-sent', attempt: 1 }, 1)).toBeUndefined();
    expect(next(calling, { kind: 'not-sent', attempt: 1 }, 1)).toEqual(intended);
    expect(next(crediting, { kind: 'credit-not-sent', attempt: 1 }, 1)).toEqual(toCredit);
    expect(next(crediting, { kind: 'credit-not-sent', attempt: 2 }, 1)).toBeUndefined();
  });

  const cancelling = { at: 'cancelling', redeemedRewardId: 7, code } as const;
  const taken = { takeBack: { at } };
  const tooLate = { takeBack: { at, refused: true } } as const;
  it.each<[state: RedemptionState, given: Partial<Redemption>, shown: string, hasCode: boolean]>([
    [intended, {}, 'pending', false],
    [doubted, {}, 'pending', false],
    [redeemed, {}, 'making', false],
    [toCredit, {}, 'making', false],
    [ready, {}, 'ready', true],
    [{ at: 'used', code }, {}, 'used', true],
    [{ at: 'owing', code }, taken, 'used', true],
    [returning, taken, 'returning', false],
    [cancelling, {}, 'making', false],
    [cancelling, taken, 'returning', false],
    // The points stay spent: the customer gets the code again.
    [cancelling, tooLate, 'making', false],
    [{ ...cancelling, ordered: true }, taken, 'used', true],
    [{ at: 'cancelled', code }, {}, 'cancelled', false],
    [{ at: 'credited', expiresAt }, {}, 'credited', false],
    [{ at: 'refused', why: 'refused', late: true }, {}, 'refused', false],
    [{ ...cancelling, why: 'another-member' }, {}, 'refused', false],
  ])('is shown as what the customer can do: %j %j is %s', (state, given, shown, hasCode) => {
    const view = viewOf(redemptionAt(state, given));
    expect(view).toMatchObject({
      ...{
        id: 'AAAABBBBCCCC',
        rewardId: 1,
        title: 'Five off',
        points: 100,
        kind: 'fixed',
        value: 5,
      },
      ...{ state: shown, code: hasCode ? 'FIVE-1' : null, takeBackUntil: null },
      takeBackRefused: given === tooLate,
    });
    const ends = shown === 'credited' ? expiresAt : null;
    expect(view?.validUntil).toBe(hasCode ? code.endsAt : ends);
  });

  it('is not shown where the click itself was answered with the refusal', () => {
    expect(viewOf(redemptionAt({ at: 'refused', why: 'refused' }))).toBeUndefined();
  });

  it('is never over before all of its seconds have passed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), fc.nat(100), (passedMs, seconds) => {
        const left = secondsUntil(at, seconds, new Date(now.getTime() + passedMs));
        expect(left === 0).toBe(passedMs >= seconds * 1000);
        expect(secondsUntil(at, seconds, new Date(now.getTime() + passedMs + left * 1000))).toBe(0);
      }),
    );
  });

  it('is refused when its key is absent twice, ten minutes apart', () => {
    expect(next(repeated, { kind: 'absent' }, 0)).toBeUndefined();
    expect(next(doubted, { kind: 'absent' }, 0)).toEqual(absent);
    expect(next(absent, { kind: 'absent' }, 599)).toBeUndefined();
    expect(next(absent, { kind: 'absent' }, 600)).toMatchObject({ at: 'refused', late: true });
    const answer = { kind: 'answer', redeemedRewardId: 7, code } as const;
    expect(next(absent, answer, 599)).toEqual(redeemed);
  });

  it('is cancelled 60 seconds after the last call, and only when the store refuses its code', () => {
    expect(next(redeemed, { kind: 'cancel' }, 3600)).toBeUndefined();
    expect(next(unwanted, { kind: 'cancel' }, 59)).toBeUndefined();
    expect(next({ ...unwanted, calledAt: later(10).toISOString() }, { kind: 'cancel' }, 60)).toBe(
      undefined,
    );
    // A slow store refuses long after it was called, and may have made the code until then.
    const refusedLate = { ...unwanted, refusal: { why: 'TAKEN', at: later(10).toISOString() } };
    expect(next(refusedLate, { kind: 'cancel' }, 69)).toBeUndefined();
    for (const [state, after] of [[unwanted, 60] as const, [refusedLate, 70] as const]) {
      expect(next(state, { kind: 'cancel' }, after)).toMatchObject({ at: 'cancelling' });
    }
  });

  it('calls the store again only after two looks, ten minutes apart, since its last call', () => {
    const again = { kind: 'credit', after: 1 } as const;
    expect(next(toCredit, { kind: 'credit', after: 0 }, 1)).toMatchObject({ attempts: 1 });
    expect(next(crediting, again, 3_600)).toBeUndefined();
    expect(next(crediting, { kind: 'credit-absent' }, 0)).toEqual(uncredited);
    expect(next(uncredited, { kind: 'credit-absent' }, 3_600)).toBeUndefined();
    expect(next(uncredited, again, 599)).toBeUndefined();
    // The look of another process is older than the last call.
    expect(next(uncredited, { kind: 'credit', after: 0 }, 3_600)).toBeUndefined();
    const calledAt = later(600).toISOString();
    expect(next(uncredited, again, 600)).toEqual({ ...crediting, attempts: 2, calledAt });
    expect(next(notCredited, again, 3_600)).toBeUndefined();
  });

  it('says of store credit why it was given back', () => {
    expect(next(notCredited, { kind: 'cancel' }, 59)).toBeUndefined();
    const cancelling = next(notCredited, { kind: 'cancel' }, 60);
    const why = 'CREDIT_LIMIT_EXCEEDED';
    expect(cancelling).toEqual({ at: 'cancelling', redeemedRewardId: 7, why });
    expect(cancelling && next(cancelling, { kind: 'cancelled' }, 61)).toEqual({
      ...{ at: 'cancelled', why },
    });
  });

  it('has an end of its credit that no other redemption has, and the same for the same click', () => {
    const bare = redemptionAt(intended);
    const end = creditEnd(bare, [], now);
    expect(creditEnd(bare, [], later(3_600))).toBe(end);
    expect(Date.parse(end)).toBeGreaterThanOrEqual(later(30 * 86_400).getTime());
    expect(Date.parse(end)).toBeLessThan(later(32 * 86_400).getTime());
    const second = redemptionAt(intended, { terms: { ...bare.terms, credit: creditOf(end) } });
    const next = creditEnd(bare, [second], now);
    expect(Date.parse(next) - Date.parse(end)).toBe(1_000);
    const { validDays: _, ...endless } = bare.terms;
    expect(creditEnd({ ...bare, terms: endless }, [], now)).toMatch(/^2036-/);
  });

  it('keeps the personal data of its call no longer than the call', () => {
    for (const step of steps) {
      const state = advance(redemptionAt(calling), step, later(60))?.state;
      const isOver = state?.at !== 'calling' && state?.at !== 'intended';
      if (isOver) expect(JSON.stringify(state ?? '')).not.toContain('robin');
    }
  });

  it('is forgotten when nothing was sent for an hour', () => {
    expect(next(intended, { kind: 'call' }, 3_299)).toBeDefined();
    // By another clock it may be forgotten soon.
    expect(next(intended, { kind: 'call' }, 3_300)).toBeUndefined();
    expect(asOf(redemptionAt(intended), later(3_599))).toBeDefined();
    expect(asOf(redemptionAt(intended), later(3_600))).toBeUndefined();
    expect(asOf(redemptionAt(calling), later(86_400))).toBeDefined();
  });

  it.each([
    { at: 'refused', why: 'refused' },
    { at: 'cancelled', code },
    { at: 'used', code, discountId: '1' },
    { at: 'credited', transactionId: '1', expiresAt },
  ] as const)('that is open is never dropped, however many are $at after it', (state) => {
    const closed = Array.from({ length: 50 }, (_, index) =>
      redemptionAt(state, { id: `CLOSED${String(index).padStart(6, '0')}` }),
    );
    const open = redemptionAt(calling);
    const held = redemptionAt(ready, { id: 'READY0000000' });
    const { redemptions } = tidy({ redemptions: [open, held, ...closed], intents: [] }, now);
    expect(redemptions).toHaveLength(22);
    expect(redemptions.slice(0, 2)).toEqual([open, held]);
    expect(redemptions.at(-1)).toEqual(closed.at(-1));
    const many = [...closed.slice(-20), ...Array.from({ length: 30 }, () => held)];
    expect(tidy({ redemptions: many, intents: [] }, now).redemptions).toEqual(many);
  });

  it('stays in the redemption record while its code can be used, up to the bound for such codes', () => {
    const ready = Array.from({ length: 120 }, (_, index) =>
      redemptionAt(
        { at: 'ready', code, discountId: String(index), redeemedRewardId: 7 },
        { id: `READY${String(index).padStart(7, '0')}` },
      ),
    );
    expect(tidy({ redemptions: ready, intents: [] }, now).redemptions).toEqual(ready.slice(-100));
  });
});
