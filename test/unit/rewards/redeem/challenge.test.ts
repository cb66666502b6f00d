import { describe, expect, it } from 'vitest';
import { transportFailure } from '../../../../shared/loyalty/result.ts';
import { MOST_BY_STAFF, MOST_TRIES } from '../../../../shared/rewards/redeem/challenge.ts';
import { namesOfClick, openRedeeming, ROBIN, SHOP } from '../../../support/redeem-world.ts';

const staffId = '42';
const OUTAGE = transportFailure('time-out', { mayHaveHappened: true, message: '' }) as never;
const ACTED = 'a till acted for a customer';

function openTill() {
  const world = openRedeeming();
  world.loyalty.challenge.isNeeded = true;
  let clicks = 0;
  return {
    ...world,
    /** A click of its own, unless the key says otherwise. */
    click(answer?: string, clientKey?: string) {
      clicks += 1;
      const key = clientKey ?? `till-click-${clicks}`;
      return world.redeem({ clientKey: key, till: { staffId, answer } });
    },
  };
}

describe('redeeming at a till', () => {
  it('needs no challenge where the service asks for none, and says that it was a point of sale', async () => {
    const world = openRedeeming();
    expect(await world.redeem({ till: { staffId } })).toMatchObject({ kind: 'redemption' });
    expect(world.loyalty.bodies).toMatchObject([{ RedeemOrigin: 5 }]);
    expect(world.loyalty.challenge.tried).toBe(0);
    await world.redeem({ clientKey: 'click-0002' });
    expect(world.loyalty.bodies[1]).not.toHaveProperty('RedeemOrigin');
  });

  it('spends nothing without the answer, with a wrong one, and before a PIN was sent', async () => {
    const till = openTill();
    const refused = (why: string) => ({ kind: 'refused', why });
    expect(await till.click()).toEqual(refused('challenge-needed'));
    expect(await till.click('1001')).toEqual(refused('challenge-needed'));
    expect(till.loyalty.challenge.tried).toBe(0);
    await till.challenge();
    expect(await till.click('0000')).toEqual(refused('challenge-wrong'));
    expect(await till.kept()).toEqual([]);
    expect(till.loyalty.calls()).toBe(0);
    expect(await till.click('1001')).toMatchObject({ kind: 'redemption' });
    expect(till.loyalty.calls()).toBe(1);
  });

  it('asks nothing of a customer who redeems in their own account', async () => {
    const till = openTill();
    expect(await till.redeem()).toMatchObject({ kind: 'redemption' });
  });

  it('does not validate the answer again when the same click is repeated', async () => {
    const till = openTill();
    await till.challenge();
    const first = await till.click('1001', 'click-0007');
    till.loyalty.challenge.pin = undefined;
    expect(await till.click('1001', 'click-0007')).toEqual(first);
    expect(till.loyalty.challenge.tried).toBe(1);
    expect(till.loyalty.calls()).toBe(1);
  });

  it('stops guessing after a few tries, over all processes, also with new PINs', async () => {
    const till = openTill();
    await till.challenge();
    const answers = await Promise.all(Array.from({ length: 30 }, () => till.click('0000')));
    const kinds = answers.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'refused')).toHaveLength(MOST_TRIES);
    expect(kinds.filter((kind) => kind === 'too-many')).toHaveLength(30 - MOST_TRIES);
    await till.challenge();
    expect(await till.click('1002')).toEqual({ kind: 'too-many', afterSeconds: 3_600 });
    expect(till.loyalty.challenge.tried).toBe(MOST_TRIES);
    till.clock.ms += 3_600_000;
    await till.challenge();
    expect(await till.click('1003')).toMatchObject({ kind: 'redemption' });
  });

  it('forgets wrong tries after a right one, and counts every customer alone', async () => {
    const till = openTill();
    for (let visit = 1; visit <= 3; visit += 1) {
      await till.challenge();
      for (let n = 1; n < MOST_TRIES; n += 1) {
        expect(await till.click('0000')).toMatchObject({ why: 'challenge-wrong' });
      }
      expect(await till.click(`100${visit}`)).toMatchObject({ kind: 'redemption' });
    }
    await till.challenge('7002');
    const other = { customerId: '7002', clientKey: 'click-0002', till: { staffId, answer: '1' } };
    for (let n = 0; n < MOST_TRIES; n += 1)
      await till.redeem({ ...other, clientKey: `other-${n}-x` });
    expect(await till.redeem(other)).toMatchObject({ kind: 'too-many' });
    await till.challenge();
    expect(await till.click('1005')).toMatchObject({ kind: 'redemption' });
  });

  describe('a member of staff who guesses PINs of one customer after another', () => {
    const guess = (till: ReturnType<typeof openTill>, customer: number, by = staffId) =>
      till.redeem({
        ...{ customerId: `${8_000 + customer}`, clientKey: `guess-${customer}-${by}` },
        till: { staffId: by, answer: '0000' },
      });

    async function openWithPins() {
      const till = openTill();
      const customers = Array.from({ length: 30 }, (_, n) => n);
      for (const n of customers) await till.challenge(`${8_000 + n}`, {}, `4${n}0`);
      return { till, customers };
    }

    it('is stopped after as many wrong ones, over all customers and processes, and rings an alarm', async () => {
      const { till, customers } = await openWithPins();
      const kinds = (await Promise.all(customers.map((n) => guess(till, n)))).map(
        ({ kind }) => kind,
      );
      const tried = kinds.filter((kind) => kind === 'refused').length;
      expect(tried).toBe(till.loyalty.challenge.tried);
      expect(tried).toBeLessThanOrEqual(MOST_BY_STAFF);
      for (const n of customers) await guess(till, n);
      expect(till.loyalty.challenge.tried).toBe(MOST_BY_STAFF);
      expect(await guess(till, 0)).toEqual({ kind: 'too-many', afterSeconds: 3_600 });
      expect(till.telemetry.total('pin-guessing')).toBeGreaterThan(0);
      // Not even the right one, of a customer who is present.
      await till.challenge();
      expect(await till.click('1031')).toMatchObject({ kind: 'too-many' });
      till.clock.ms += 3_600_000;
      await till.challenge();
      expect(await till.click('1032')).toMatchObject({ kind: 'redemption' });
    });

    it('takes no try from the customers, nor from other staff', async () => {
      const { till, customers } = await openWithPins();
      for (const n of customers) await guess(till, n);
      await till.challenge();
      for (let n = 0; n < MOST_TRIES; n += 1)
        expect((await till.click('0000')).kind).toBe('too-many');
      const other = { clientKey: 'click-by-43', till: { staffId: '43', answer: '1031' } };
      expect(await till.redeem(other)).toMatchObject({ kind: 'redemption' });
    });

    it('is nobody who only serves many customers, or asks before a PIN was sent', async () => {
      const till = openTill();
      for (let visit = 1; visit <= 2 * MOST_BY_STAFF; visit += 1) {
        till.loyalty.balances.set(`${visit}`, 1_000);
        const customerId = `${visit}`;
        const clientKey = `visit-${visit}-x`;
        const early = { customerId, clientKey, till: { staffId, answer: '0000' } };
        expect(await till.redeem(early)).toMatchObject({ why: 'challenge-needed' });
        await till.challenge(customerId);
        const answer = till.loyalty.challenge.pin;
        expect(await till.redeem({ ...early, till: { staffId, answer } })).toMatchObject({
          kind: 'redemption',
        });
      }
      expect(till.telemetry.total('pin-guessing')).toBe(0);
    });
  });

  describe('a member of staff who sends PINs to one customer after another', () => {
    const customers = Array.from({ length: MOST_BY_STAFF }, (_, n) => `${8_000 + n}`);

    it('is stopped after as many that nobody answered, over all processes, and rings an alarm', async () => {
      const till = openTill();
      await Promise.all(customers.map((id) => till.challenge(id)));
      for (const id of customers) await till.challenge(id);
      expect(till.loyalty.challenge.sent).toBe(MOST_BY_STAFF);
      expect(await till.challenge('9000')).toEqual({ kind: 'too-many', afterSeconds: 3_600 });
      expect(till.telemetry.total('pin-guessing')).toBeGreaterThan(0);
      // Neither from other staff nor from the customers themselves.
      expect(await till.challenge('9000', {}, '43')).toEqual({ kind: 'started' });
      till.clock.ms += 3_600_000;
      expect(await till.challenge('9000')).toEqual({ kind: 'started' });
    });

    it('is nobody whose starts sent nothing', async () => {
      const till = openTill();
      till.loyalty.challenge.asks = ['Phone'];
      for (const id of [...customers, ...customers]) {
        expect(await till.challenge(id)).toMatchObject({ kind: 'contact-needed' });
      }
      till.loyalty.challenge.asks = [];
      const { startChallenge } = till.loyalty;
      till.loyalty.startChallenge = () => Promise.resolve(OUTAGE);
      for (const id of customers) expect(await till.challenge(id)).toEqual({ kind: 'unavailable' });
      till.loyalty.startChallenge = startChallenge;
      expect(await till.challenge()).toEqual({ kind: 'started' });
      expect(till.telemetry.total('pin-guessing')).toBe(0);
    });
  });

  it('sends a customer a few messages in an hour, and no more', async () => {
    const till = openTill();
    const started = await Promise.all(Array.from({ length: 8 }, () => till.challenge()));
    expect(started.filter(({ kind }) => kind === 'started')).toHaveLength(5);
    expect(till.loyalty.challenge.sent).toBe(5);
    expect(await till.challenge()).toEqual({ kind: 'too-many', afterSeconds: 3_600 });
    expect(await till.challenge('7002')).toEqual({ kind: 'started' });
  });

  it('is counted as used before the service is asked: a lost answer gives no free try', async () => {
    const till = openTill();
    await till.challenge();
    till.loyalty.validateChallenge = () => Promise.resolve(OUTAGE);
    for (let n = 0; n < MOST_TRIES; n += 1) {
      expect(await till.click('1001')).toEqual({ kind: 'unavailable' });
    }
    expect(await till.click('1001')).toMatchObject({ kind: 'too-many' });
    expect(till.loyalty.calls()).toBe(0);
  });

  it('is recorded: who, for whom, which reward, when and how it ended, and no PIN', async () => {
    const till = openTill();
    await till.challenge();
    await till.click('0000');
    await till.click('1001', 'click-0001');
    const lines = till.telemetry.logged.filter(({ message }) => message === ACTED);
    const about = { staffId, shop: SHOP, customerId: ROBIN };
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { ...about, action: 'challenge', outcome: 'started' },
      { ...about, action: 'redeem', rewardId: 1, outcome: 'challenge-wrong' },
      {
        ...about,
        action: 'redeem',
        rewardId: 1,
        outcome: 'redemption',
        redemption: namesOfClick().id,
      },
    ]);
    expect(JSON.stringify(till.telemetry.logged)).not.toMatch(/0000"|1001"|@/);
    expect(await till.kept()).toMatchObject([{ staffId, intendedAt: '2026-10-09T12:00:00.000Z' }]);
    await till.redeem({ clientKey: 'click-0009' });
    expect((await till.kept())[1]).not.toHaveProperty('staffId');
  });
});

describe('the transaction of a challenge', () => {
  const rewards = Array.from({ length: 3 }, (_, n) => ({ id: n + 1, points: 100 }));
  const open = () => {
    const world = openRedeeming({ rewards });
    const { challenge } = world.loyalty;
    challenge.isNeeded = true;
    const redeem = (rewardId: number, answer: string, customerId = ROBIN) =>
      world.redeem({
        ...{ rewardId, customerId, clientKey: `click-${customerId}-${rewardId}` },
        till: { staffId, answer },
      });
    return { ...world, service: challenge, click: redeem };
  };

  it('ends with a redemption: its PIN redeems nothing else', async () => {
    const till = open();
    await till.challenge();
    expect(await till.click(1, '1001')).toMatchObject({ kind: 'redemption' });
    expect(await till.click(2, '1001')).toEqual({ kind: 'refused', why: 'challenge-needed' });
    expect(till.service.tried).toBe(1);
    expect(till.loyalty.calls()).toBe(1);
  });

  it('is good for one of several redemptions that come at once, though the service would pass them all', async () => {
    const till = open();
    await till.challenge();
    const answers = await Promise.all([1, 2, 3].map((id) => till.click(id, '1001')));
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual([
      'redemption',
      'refused',
      'refused',
    ]);
    expect(till.loyalty.calls()).toBe(1);
    expect(await till.kept()).toHaveLength(1);
  });

  it('is good for its own customer only', async () => {
    const till = open();
    await till.challenge();
    expect(await till.click(1, '1001', '7002')).toMatchObject({ why: 'challenge-needed' });
    await till.challenge('7002');
    expect(await till.click(1, '1001')).toMatchObject({ why: 'challenge-wrong' });
    expect(till.loyalty.calls()).toBe(0);
  });

  it('lasts an hour from the last message', async () => {
    const till = open();
    await till.challenge();
    till.clock.ms += 3_000_000;
    await till.challenge();
    till.clock.ms += 3_000_000;
    expect(await till.click(1, '0000')).toMatchObject({ why: 'challenge-wrong' });
    till.clock.ms += 600_000;
    expect(await till.click(1, '1002')).toMatchObject({ why: 'challenge-needed' });
  });

  it('is redeemed after a crash between the check and the intent, with the same PIN', async () => {
    const till = open();
    await till.challenge();
    const { write } = till.ledger;
    let writes = 0;
    // Two writes count the try, for user and customer; two give it back, and the start; the fifth would record the intent.
    till.ledger.write = async (...args) => {
      writes += 1;
      if (writes === 5) throw new Error('killed');
      return write(...args);
    };
    expect(await till.click(1, '1001')).toEqual({ kind: 'unavailable' });
    expect(await till.kept()).toEqual([]);
    expect(await till.click(1, '1001')).toMatchObject({ kind: 'redemption' });
  });
});

describe('a customer whom the service cannot reach', () => {
  const PHONE = '+55 11 5550 0100';
  const EMAIL = 'robin.typed@example.com';
  const open = (...asks: ('Phone' | 'Email')[]) => {
    const world = openRedeeming();
    const { challenge } = world.loyalty;
    Object.assign(challenge, { isNeeded: true, asks, says: 'Informe o telefone.' });
    return { ...world, service: challenge };
  };

  it('is asked for what the service lacks, in its own words, and gets the PIN there', async () => {
    const till = open('Phone');
    const asked = { kind: 'contact-needed', asks: ['phone'], said: 'Informe o telefone.' };
    expect(await till.challenge()).toEqual(asked);
    expect(await till.challenge(ROBIN, { phone: PHONE })).toEqual({ kind: 'started' });
    const [first, second] = till.service.starts;
    expect(first).not.toHaveProperty('Phone');
    expect(second).toMatchObject({ Phone: PHONE, TransactionId: first?.TransactionId });
    const click = { clientKey: 'click-0001', till: { staffId, answer: '1001' } };
    expect(await till.redeem(click)).toMatchObject({ kind: 'redemption' });
  });

  it('is reached where the service says, never where a till says without being asked', async () => {
    const known = open();
    const typed = { phone: PHONE, email: EMAIL };
    expect(await known.challenge(ROBIN, typed)).toEqual({ kind: 'started' });
    const asked = open('Phone');
    await asked.challenge();
    await asked.challenge(ROBIN, { email: EMAIL });
    await asked.challenge('7002', typed);
    // That one may be answered at its number only, and a new transaction asks again.
    await asked.challenge(ROBIN, { phone: PHONE });
    const click = { clientKey: 'click-0001', till: { staffId, answer: '1001' } };
    await asked.redeem(click);
    await asked.challenge(ROBIN, { phone: '+55 11 5550 0199' });
    const sent = [...known.service.starts, ...asked.service.starts].map(({ Phone, Email }) => [
      Phone,
      Email,
    ]);
    const nothing = [undefined, undefined];
    expect(sent).toEqual([nothing, nothing, nothing, nothing, [PHONE, undefined], nothing]);
  });

  it('is not remembered: what was typed is in no log and not in the ledger', async () => {
    const till = open('Phone', 'Email');
    await till.challenge();
    await till.challenge(ROBIN, { phone: PHONE, email: EMAIL });
    const kept = JSON.stringify([till.telemetry.logged, [...till.ledger.entries.values()]]);
    expect(kept).not.toMatch(/5550|robin\.typed|Informe/);
    const lines = till.telemetry.logged.filter(({ message }) => message === ACTED);
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { action: 'challenge', outcome: 'contact-needed' },
      { action: 'challenge', outcome: 'started', typedContacts: 'phone, email' },
    ]);
  });

  it('is told why no message was sent, and why an answer is wrong', async () => {
    const till = open();
    till.service.says = '  The\u0000 code\n is too old. ';
    await till.challenge();
    const wrong = await till.redeem({ till: { staffId, answer: '0000' } });
    const said = 'The code is too old.';
    expect(wrong).toEqual({ kind: 'refused', why: 'challenge-wrong', said });
    till.loyalty.startChallenge = async () =>
      ({ kind: 'success', value: { Success: false, FriendlyErrorMessage: 'Não.' } }) as never;
    expect(await till.challenge()).toEqual({ kind: 'refused', why: 'refused', said: 'Não.' });
    till.loyalty.startChallenge = async () =>
      ({ kind: 'success', value: { Success: false, FriendlyErrorMessage: 7 } }) as never;
    expect(await till.challenge()).toMatchObject({ kind: 'refused', said: undefined });
  });
});
