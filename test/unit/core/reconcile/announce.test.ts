import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterEach, describe, expect, it } from 'vitest';
import type { SummarizedDeadLetter } from '../../../../shared/core/batch/dead-letter.ts';
import {
  changeControl,
  withOperatorPause,
  withServicePause,
} from '../../../../shared/core/calls/shop-pause.ts';
import { type Announcement, announce } from '../../../../shared/core/reconcile/announce.ts';
import { cursorKey, openCursor } from '../../../../shared/core/reconcile/dependencies.ts';
import { keepLastReconcile } from '../../../../shared/core/reconcile/last-reconcile.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';

const ajv = addFormats.default(new Ajv({ strict: false }));
ajv.addSchema(JSON.parse(readFileSync('docs/events.schema.json', 'utf8')), 'events');
const checks = new Map<string, ReturnType<typeof ajv.compile>>();
const accepts = ({ type, detail }: Announcement) => {
  const $ref = `events#/definitions/${encodeURIComponent(type)}`;
  const check = checks.get(type) ?? ajv.compile({ $ref });
  checks.set(type, check);
  return check({ ...detail, stack: 'loyalty-connector-prod' }) ? [] : check.errors;
};

const SHOP = 'example-store.myshopify.com';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** One stack, a clock, and all that was announced. */
function open(shops: readonly string[] = [SHOP]) {
  const ledger = createMemoryLedger();
  const letters: SummarizedDeadLetter[] = [];
  const all: Announcement[] = [];
  const clock = { now: new Date('2026-11-02T10:00:00Z'), isRefused: false };
  async function* readLetters() {
    yield letters;
  }
  async function send(some: readonly Announcement[]) {
    if (clock.isRefused) throw new Error('refused');
    all.push(...some);
  }
  return {
    ...{ ledger, letters, all, clock },
    /** What a run a while later announces. */
    async run(afterMs = 5 * MINUTE) {
      clock.now = new Date(clock.now.getTime() + afterMs);
      const before = all.length;
      await announce(shops, { ledger, readLetters, send, now: () => clock.now });
      for (const one of all) expect(accepts(one)).toEqual([]);
      return all.slice(before).map(({ type, detail }) => (detail.again ? `${type} again` : type));
    },
  };
}

const letter = (letterId: string, at: Date): SummarizedDeadLetter => ({
  ...{ letterId, family: 'orders', reason: 'rejected', why: 'Maria Silva', attempts: 1 },
  at: at.getTime(),
  event: {
    ...{ shop: SHOP, kind: 'order', id: '77', topic: 'orders/updated', isInTheStore: true },
    receivedAt: at.toISOString(),
  },
});

describe('what is announced', () => {
  let opened = open();
  afterEach(() => {
    opened = open();
  });

  it('is nothing where nothing is', async () => {
    expect([await opened.run(), await opened.run()]).toEqual([[], []]);
  });

  it('is a dead letter once, again after a day, each further one, and their end', async () => {
    const { letters, clock, run, all } = opened;
    letters.push(letter('one', clock.now));
    expect([await run(), await run(12 * HOUR), await run(12 * HOUR)]).toEqual([
      ['Dead Letters Added'],
      [],
      ['Dead Letters Added again'],
    ]);
    letters.unshift(letter('two', clock.now));
    // One that SQS moved is listed by a later scan, under the moment when it was moved.
    expect(await run()).toEqual(['Dead Letters Added']);
    letters.push(letter('older', new Date(0)));
    expect(await run()).toEqual(['Dead Letters Added']);
    letters.splice(0, 2);
    expect(await run()).toEqual([]);
    letters.splice(0);
    expect([await run(), await run()]).toEqual([['Dead Letters Cleared'], []]);
    // Ids, never the reason in words: that may quote a person.
    expect(JSON.stringify(all)).not.toContain('Maria');
    expect(all[0]?.detail.letters).toEqual([
      { id: 'one', queue: 'orders', reason: 'rejected', entity: 'order 77' },
    ]);
  });

  it('is a dead letter of no shop, too, and at most twenty ids of ten thousand', async () => {
    const { letters, clock, run, all } = opened;
    const { event: _, ...unreadable } = letter('', clock.now);
    letters.push(
      ...Array.from({ length: 10_000 }, (_, i) => ({ ...unreadable, letterId: `${i}` })),
    );
    expect(await run()).toEqual(['Dead Letters Added']);
    expect(all[0]?.detail).toMatchObject({ waiting: 10_000, letters: { length: 20 } });
    expect(all[0]?.detail).not.toHaveProperty('shop');
  });

  it('is a pause by an operator, of one queue as well, and its end at once', async () => {
    const { ledger, clock, run, all } = opened;
    await changeControl(ledger, SHOP, (one) =>
      withOperatorPause(one, 'orders', 'olivia', clock.now),
    );
    expect([await run(), await run(), await run(24 * HOUR)]).toEqual([
      ['Shop Paused'],
      [],
      ['Shop Paused again'],
    ]);
    expect(all[0]?.detail).toMatchObject({ by: 'operator', queue: 'orders' });
    // Who it was is in the history, for operators.
    expect(JSON.stringify(all)).not.toContain('olivia');
    await changeControl(ledger, SHOP, (one) => ({ ...one, operator: {} }));
    expect([await run(), await run()]).toEqual([['Shop Resumed'], []]);
  });

  it('is one pause for refused credentials, though each attempt begins another one', async () => {
    const { ledger, clock, run } = opened;
    const refuse = () =>
      changeControl(ledger, SHOP, (one) =>
        withServicePause(one, { why: 'misconfigured' }, clock.now),
      );
    await refuse();
    expect(await run()).toEqual(['Shop Paused']);
    for (let attempts = 0; attempts < 5; attempts += 1) {
      await refuse();
      expect(await run(30 * MINUTE)).toEqual([]);
    }
    expect(await run(HOUR)).toEqual(['Shop Resumed']);
  });

  it('is which orders differ, but not those that may only be late', async () => {
    const { ledger, clock, run, all } = opened;
    const found = async (differing: readonly object[]) => {
      const { keep } = await openCursor(ledger, cursorKey(SHOP, 'deep'));
      await keep({ phase: 'done', began: 0, differing }, 0);
    };
    const at = clock.now.getTime();
    await found([{ id: '1', at, lately: true }]);
    expect(await run()).toEqual([]);
    await found([
      { id: '1', at, lately: true },
      { id: '2', at },
    ]);
    expect([await run(), await run()]).toEqual([['Orders Differ'], []]);
    expect(all[0]?.detail.orders).toEqual(['2']);
    await found([]);
    expect(await run()).toEqual(['Orders Agree']);
  });

  it('is each run of reconciliation, once', async () => {
    const { ledger, run, all } = opened;
    const counts = { order: 3, product: 0, coupon: 1, member: 0 };
    const beganAt = '2026-11-02T09:00:00.000Z';
    const ran = {
      beganAt,
      lookedAt: counts,
      healed: counts,
      rolledOut: counts,
      sent: [],
      stopped: [],
    };
    await keepLastReconcile(ledger, SHOP, { ...ran, endedAt: '2026-11-02T09:01:00.000Z' });
    expect([await run(), await run(24 * HOUR)]).toEqual([['Reconciled'], []]);
    await keepLastReconcile(ledger, SHOP, { ...ran, endedAt: '2026-11-02T10:01:00.000Z' });
    expect(await run()).toEqual(['Reconciled']);
    expect(all[0]?.detail).toMatchObject({ lookedAt: 4, healed: 4, complete: true });
  });

  it('comes with the next run where EventBridge refused it, and is lost nowhere', async () => {
    const { letters, clock, run } = opened;
    letters.push(letter('one', clock.now));
    clock.isRefused = true;
    await expect(run()).rejects.toThrow('refused');
    clock.isRefused = false;
    expect(await run()).toEqual(['Dead Letters Added']);
  });

  it('fits one item of the ledger for five hundred shops', async () => {
    const shops = Array.from({ length: 500 }, (_, i) => `shop-number-${i}.myshopify.com`);
    const many = open(shops);
    const all = shops.map((shop) => {
      const one = letter(shop, many.clock.now);
      return { ...one, event: one.event && { ...one.event, shop } };
    });
    many.letters.push(...all);
    expect(await many.run()).toHaveLength(500);
    const entry = (await many.ledger.readMany([cursorKey('all', 'announced')])).values().next();
    expect(entry.value?.remembered?.length).toBeLessThan(200_000);
  });
});
