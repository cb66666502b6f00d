import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  changeControl,
  withOperatorPause,
  withServicePause,
} from '../../../../shared/core/calls/shop-pause.ts';
import { noteMerge } from '../../../../shared/core/ledger/entry.ts';
import { balanceKey, rememberBalance } from '../../../../shared/rewards/balances/point-balance.ts';
import { balanceChange } from '../../../../shared/rewards/balances/settle-balances.ts';
import { openBalanceWorker, SHOP } from '../../../support/balance-worker.ts';
import { onePartApart } from '../../../support/one-part-apart.ts';

let worker: ReturnType<typeof openBalanceWorker>;
beforeEach(() => {
  worker = openBalanceWorker(['1', '2', '3']);
});

describe('balances in the store', () => {
  it('are written for all customers of a batch in one call, with the tier that the service names', async () => {
    worker.tiers.set('2', 'Gold');
    for (const id of ['1', '2', '3']) await worker.announce(id, Number(id) * 100);
    expect(await worker.work()).toEqual({ received: 3, left: 0 });
    expect(worker.store.calls).toEqual([3]);
    expect(Object.fromEntries(worker.store.customers)).toEqual({
      1: { points: '100', cashback: '5' },
      2: { points: '200', cashback: '10', tier: 'Gold' },
      3: { points: '300', cashback: '15' },
    });
  });

  it('cost no call to the store when nothing changed', async () => {
    await worker.handle('1', 50);
    await worker.handle('1', 50);
    expect(worker.store.calls).toEqual([1]);
    expect(worker.telemetry.total('unchanged')).toBe(1);
  });
});

describe('a worker that dies', () => {
  it('hands back only what is unfinished when its time is up', async () => {
    await worker.handle('1', 10);
    await worker.announce('1', 10, {
      receivedAt: new Date(worker.clock.ms - 60_000).toISOString(),
    });
    await worker.announce('2', 20);
    const hangs = vi.fn(() => new Promise<never>(() => {}));
    worker.store.before = hangs;
    const soon = new AbortController();
    const working = worker.work({ deadline: soon.signal });
    await vi.waitFor(() => expect(hangs).toHaveBeenCalledOnce(), { timeout: 20_000 });
    soon.abort();
    expect(await working).toEqual({ received: 2, left: 1 });
    expect(worker.telemetry.total('superseded')).toBe(1);
  });

  it('whose record was overtaken asks for the customer to be written again', async () => {
    await worker.announce('1', 10);
    worker.store.before = async () => {
      worker.store.before = undefined;
      await worker.ledger.markUncertain(KEY);
      return undefined;
    };
    expect(await worker.work()).toEqual({ received: 1, left: 1 });
    expect(worker.queue.size).toBe(2);
    for (let round = 0; round < 5 && worker.queue.size > 0; round += 1) {
      worker.clock.ms += 60_000;
      await worker.work();
    }
    expect(worker.queue.size).toBe(0);
    expect(worker.entry('1')?.uncertain).toBe(false);
    expect(worker.pointsOf('1')).toBe('10');
  });
});

describe('what goes wrong with one customer', () => {
  it('stays with them: a customer unknown to the store is skipped, the others are written', async () => {
    for (const id of ['1', '666', '3']) await worker.announce(id, 10);
    expect(await worker.work()).toEqual({ received: 3, left: 0 });
    expect(worker.telemetry.total('applied')).toBe(2);
    expect(worker.telemetry.total('skipped', { why: 'unknown-customer' })).toBe(1);
    const entry = worker.entry('666');
    expect(entry?.outcomes.at(-1)).toMatchObject({ outcome: 'skipped', why: 'unknown-customer' });
    expect(entry?.expiresAt).toBeGreaterThan(worker.clock.ms / 1000);
  });

  it('parks what cannot be read, whole, and goes on with the rest of the group', async () => {
    await worker.announce('1', 10);
    worker.sendRaw('{"v":1,"kind":"order"}', `${SHOP}/balance/1`);
    expect(await worker.work()).toEqual({ received: 2, left: 0 });
    expect(worker.pointsOf('1')).toBe('10');
    const [letter] = worker.dead.receive();
    expect(letter?.body).toBe('{"v":1,"kind":"order"}');
    expect(letter?.attributes).toMatchObject({ reason: 'unreadable' });
  });

  it('is settled once though their dead letters were sent back, each in a group of its own', async () => {
    await worker.announce('1', 10);
    await worker.announce('1', 20);
    await worker.announce('2', 30);
    const sentBack = worker.queue.receive({ max: 10 });
    for (const { receiptHandle } of sentBack) worker.queue.delete(receiptHandle);
    for (const { body, messageId } of sentBack) worker.sendRaw(body, messageId);
    expect(await worker.work()).toEqual({ received: 3, left: 0 });
    expect(worker.store.calls).toEqual([2]);
    expect(worker.pointsOf('1')).toBe('20');
    expect(worker.queue.size).toBe(0);
  });

  it('parks events of a shop that is not in the settings', async () => {
    await worker.handle('1', 10, { shop: 'other.myshopify.com' });
    expect(worker.dead.size).toBe(1);
    expect(worker.store.calls).toEqual([]);
  });

  it('delays all messages of the customer together while the service is down', async () => {
    worker.tiers.set('1', {
      failure: {
        ...{ kind: 'transport-failure', class: 'retry', reason: 'time-out', message: 'no answer' },
        mayHaveHappened: true,
      },
    });
    await worker.announce('1', 10);
    await worker.announce('1', 20);
    expect(await worker.handle('2', 30)).toEqual({ received: 3, left: 2 });
    expect(worker.pointsOf('2')).toBe('30');
    expect(worker.queue.receive()).toEqual([]);
    worker.tiers.clear();
    worker.clock.ms += 60_000;
    expect(await worker.work()).toEqual({ received: 2, left: 0 });
    expect(worker.pointsOf('1')).toBe('20');
  });

  it('parks the newest with the store’s code when the store does not take it', async () => {
    worker.store.before = async () => ({ kind: 'refused', code: 'INVALID_VALUE' });
    expect(await worker.handle('1', 10)).toEqual({ received: 1, left: 0 });
    expect(worker.dead.receive()[0]?.attributes).toMatchObject({
      reason: 'rejected',
      why: 'the store refused the balance: INVALID_VALUE',
    });
  });

  it('waits long, with the metric of the alarm, when a person must act', async () => {
    const why = 'access-denied-write-customers';
    worker.store.before = async () => ({ kind: 'unavailable', why, misconfigured: true });
    expect(await worker.handle('1', 10)).toEqual({ received: 1, left: 1 });
    expect(worker.telemetry.total('misconfigured')).toBe(1);
    expect(worker.dead.size).toBe(0);
  });
});

/** Each look at the clock moves it by so much. */
function letTimePass(clock: { ms: number }, stepMs: number): void {
  let { ms } = clock;
  Object.defineProperty(clock, 'ms', {
    get() {
      ms += stepMs;
      return ms;
    },
  });
}

// The batch had not begun the work, found no pause when it came to it, and took the message for settled.
it.each([700, 1_000, 1_300])(
  'no balance is lost when a pause of its shop ends within the batch: %i',
  async (stepMs) => {
    await worker.announce('1', 10);
    const asked = { why: 'throttled', seconds: 5 } as const;
    const now = new Date(worker.clock.ms);
    await changeControl(worker.ledger, SHOP, (control) => withServicePause(control, asked, now));
    letTimePass(worker.clock, stepMs);
    for (let batches = 0; batches < 20; batches += 1) await worker.work();
    expect([worker.pointsOf('1'), worker.queue.size]).toEqual(['10', 0]);
  },
);

// What one change drops shows only at the change after it: here each story has several.

const KEY = { shop: SHOP, kind: 'customer', id: '1' } as const;
const shown = () => worker.store.customers.get('1');
const redact = () =>
  worker.ledger.redact([KEY], { redactedAt: worker.clock.ms, expiresAt: 1_900_000_000 });

it('a balance is written again where only its points, cashback, tier or expiring points differ', () => {
  const amount = fc.constantFrom('1', '2');
  const expiring = fc.record({ points: amount, at: fc.constantFrom('2026-10-10', '2026-10-11') });
  const parts = { points: amount, cashback: amount, tier: amount, expiring };
  fc.assert(
    fc.property(onePartApart(parts), (pair) => {
      const [one, other] = pair.map((held) => balanceKey(held));
      expect(one).not.toBe(other);
    }),
  );
});

describe('a balance over many changes', () => {
  it.each([
    { tier: null, held: null, given: {} },
    { tier: undefined, held: 'Gold', given: {} },
    { tier: null, held: undefined, given: { tier: null } },
    { tier: null, held: 'Gold', given: { tier: null } },
    { tier: 'Gold', held: null, given: { tier: 'Gold' } },
  ])('costs a second call only for what must be taken away: %j', ({ tier, held, given }) => {
    const balance = { points: '1', cashback: '0', expiring: null };
    const withTier = (one: typeof tier) => ({
      ...balance,
      ...(one !== undefined && { tier: one }),
    });
    const remembered = rememberBalance(withTier(held));
    const entry = { version: 1, uncertain: false, outcomes: [], revision: 1, remembered };
    expect(balanceChange('1', withTier(tier), entry)).toStrictEqual({
      ...{ customerId: '1', points: '1', cashback: '0' },
      ...given,
    });
  });

  it('loses a tier although the first try to take it away did not reach the store', async () => {
    worker.tiers.set('1', 'Gold');
    await worker.handle('1', 10);
    worker.tiers.set('1', null);
    worker.store.before = async () => ({ kind: 'unavailable', why: 'no-word' });
    await worker.handle('1', 20);
    worker.store.before = undefined;
    worker.clock.ms += 600_000;
    await worker.work();
    expect(shown()).toEqual({ points: '20', cashback: '1' });
  });

  it('that is the same is decided again where another worker wrote meanwhile', async () => {
    await worker.handle('1', 10);
    const { ledger } = worker;
    worker.parts.ledger = {
      ...ledger,
      write: async (...given) => {
        worker.parts.ledger = ledger;
        await ledger.markUncertain(KEY);
        return ledger.write(...given);
      },
    };
    await worker.announce('1', 10);
    expect(await worker.work()).toEqual({ received: 1, left: 1 });
    worker.clock.ms += 60_000;
    expect(await worker.work()).toEqual({ received: 1, left: 0 });
    expect(worker.entry('1')?.uncertain).toBe(false);
  });
});

/** What the connector asks for by itself: a page that was opened, the nightly comparison. */
const ASKED_BY_US = ['visit', 'repair'] as const;

describe('a redacted customer', () => {
  it('is not remembered by an event from before the redaction that was still on its way', async () => {
    await worker.handle('1', 10);
    await worker.announce('1', 20);
    worker.clock.ms += 1_000;
    await redact();
    await worker.work();
    expect(worker.store.calls).toEqual([1]);
    expect(worker.entry('1')?.remembered).toBeUndefined();
  });

  it('stays unread also after the store did not know them', async () => {
    await worker.handle('1', 10);
    const redactedAt = worker.clock.ms;
    await redact();
    worker.store.customers.delete('1');
    await worker.handle('1', 20);
    expect(worker.entry('1')).toMatchObject({ redactedAt, uncertain: false });
    const asked = worker.asked();
    for (const topic of ASKED_BY_US) {
      worker.clock.ms += 3_600_000;
      await worker.ask('1', topic);
      await worker.work();
      expect([topic, worker.asked(), worker.queue.size]).toEqual([topic, asked, 0]);
    }
  });

  it.each(ASKED_BY_US)(
    'whom the store still has is not read again by a %s, only by a new point event',
    async (topic) => {
      await worker.handle('1', 10);
      await redact();
      const asked = worker.asked();
      worker.clock.ms += 3_600_000;
      await worker.ask('1', topic);
      await worker.work();
      expect([worker.asked(), worker.pointsOf('1')]).toEqual([asked, '10']);
      expect(worker.entry('1')?.remembered).toBeUndefined();
      await worker.handle('1', 20);
      expect(worker.pointsOf('1')).toBe('20');
    },
  );
});

describe('the tier of a balance', () => {
  beforeEach(async () => {
    worker.tiers.set('1', 'Gold');
    await worker.handle('1', 50);
    expect(worker.store.customers.get('1')?.tier).toBe('Gold');
  });

  const refused = { kind: 'business-error', class: 'rejected', code: 59, message: 'no' };
  const oddlyNamed = {
    kind: 'success',
    value: { OriginalId: '1', CurrentTier: { Name: { pt: 'Ouro' } } },
  };

  it.each([
    ['goes when the customer no longer has it', null, '60', undefined],
    [
      'stays, and so does all of it, when the service does not let the customer be read',
      { failure: refused },
      '50',
      'Gold',
    ],
    ['stays when the service names it by other than text', { failure: oddlyNamed }, '60', 'Gold'],
  ])('the tier of a balance %s', async (_, answer, points, tier) => {
    worker.tiers.set('1', answer);
    expect(await worker.handle('1', 60)).toEqual({ received: 1, left: 0 });
    const expected = { points, cashback: String(Number(points) / 20), ...(tier && { tier }) };
    expect(worker.store.customers.get('1')).toEqual(expected);
  });
});

describe('a shop whose balances are paused', () => {
  it('gets none written, and no question about them', async () => {
    const now = new Date(worker.clock.ms);
    await changeControl(worker.ledger, SHOP, (control) =>
      withOperatorPause(control, 'balances', 'robin', now),
    );
    await worker.announce('1', 100);
    expect(await worker.work()).toEqual({ received: 1, left: 1 });
    // Nothing was begun that ends later, either.
    for (let turn = 0; turn < 40; turn += 1) await new Promise(setImmediate);
    expect([worker.store.calls, worker.asked()]).toEqual([[], 0]);
  });
});

describe('the balance of a customer who was merged into another', () => {
  it('is neither read nor written, and the kept one keeps their own', async () => {
    await worker.handle('2', 70);
    const { ledger, clock } = worker;
    const noted = { ledger, now: new Date(clock.ms), topic: 'customers/merge', retentionDays: 400 };
    expect(await noteMerge({ shop: SHOP, id: '1' }, '2', noted)).toBe(true);
    const asked = worker.asked();
    expect(await worker.handle('1', 999)).toEqual({ received: 1, left: 0 });
    expect(worker.telemetry.total('skipped')).toBe(1);
    expect(worker.asked()).toBe(asked);
    expect(worker.pointsOf('1')).toBe('');
    expect(worker.pointsOf('2')).toBe('70');
  });
});
