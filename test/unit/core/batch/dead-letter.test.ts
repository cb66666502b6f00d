import { describe, expect, it } from 'vitest';
import {
  type DeadLetterFacts,
  deadLetterKey,
  readSummary,
  restoreSummaries,
  retireSummaries,
  summarize,
  writeSummary,
} from '../../../../shared/core/batch/dead-letter.ts';
import { type Ledger, ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import { encodeSnapshot } from '../../../../shared/core/store/store.ts';
import { topicRoutes } from '../../../../shared/shopify/webhooks/topics.ts';
import { buildOrder } from '../../../fixtures/order-payload.ts';
import { simpleOrder } from '../../../fixtures/order-spec.ts';
import { refusal } from '../../../fixtures/service-answers.ts';
import { storeProduct } from '../../../fixtures/store-entities.ts';
import { sendEvent } from '../../../support/change-order.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
import { LETTER_SHOP, letterEvent, letterReason } from '../../../support/parked-letters.ts';
import { productAt } from '../../../support/product-payload.ts';

const NOW = new Date('2026-10-09T13:00:00.000Z');
const source = { messageId: 'source-1', body: '' };
const parked = { ...letterReason(), family: 'orders' } as const;
const facts: DeadLetterFacts = {
  ...{
    letterId: 'source-1',
    family: 'orders',
    reason: 'rejected',
    why: 'refused',
    code: undefined,
  },
  ...{ attempts: 1, at: Date.parse(parked.at) },
};

const summaryOf = (ledger: ReturnType<typeof createMemoryLedger>, letterId: string) =>
  readSummary(letterId, ledger.entries.get(ledgerKeyText(deadLetterKey(letterId)))?.remembered);

describe('a worker that parks a message', () => {
  const payload = buildOrder(simpleOrder, {}).payload;
  const refusing = () => {
    const connector = openConnector();
    connector.loyalty.world.interfere = () => refusal(50);
    return connector;
  };

  it('writes what lists show of it, without what it says of people', async () => {
    const connector = refusing();
    await connector.deliver({ topic: 'orders/create', payload });
    await connector.work('orders');
    const [letter] = connector.deadLetters();
    const summary = summaryOf(connector.ledger, letter?.groupId ?? '');
    expect(summary?.gone).toBeUndefined();
    expect(summary).toMatchObject({
      ...{ family: 'orders', reason: 'rejected', attempts: 1 },
      code: 'ApiExternalCustomer_document_email_empty',
      event: { kind: 'order', id: String(payload.id), topic: 'orders/create', isInTheStore: true },
    });
    const moment = new Date(connector.clock.ms).toISOString().slice(0, 16);
    expect(summary?.event?.triggeredAt).toContain(moment);
    expect(summary?.event?.receivedAt).toContain(moment);
    expect(JSON.stringify(summary)).not.toContain(payload.email);
  });

  it('parks it all the same when the ledger refuses the summary, and says so', async () => {
    const connector = refusing();
    await connector.deliver({ topic: 'orders/create', payload });
    const { write } = connector.ledger;
    connector.ledger.write = async (key, ...rest) => {
      if (key.kind === 'dead-letter') throw new Error('throttled');
      return write(key, ...rest);
    };
    expect(await connector.work('orders')).toEqual({ received: 1, left: 0 });
    expect(connector.dead.size).toBe(1);
    expect(connector.telemetry.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'a dead letter has no summary' }),
    );
  });
});

describe('the summary of a dead letter', () => {
  it('is listed under what it is about until the dead letter leaves', async () => {
    const ledger = createMemoryLedger();
    const listed: unknown[] = [];
    const watched: Pick<Ledger, 'readMany' | 'write'> = {
      readMany: ledger.readMany,
      write: (key, entry, revision) => {
        listed.push([ledgerKeyText(key), 'listed' in entry && entry.listed]);
        return ledger.write(key, entry, revision);
      },
    };
    await writeSummary(source, letterEvent(), parked, watched);
    await retireSummaries([facts], 'dropped', { ledger: watched, now: NOW });
    const about = expect.objectContaining({ shop: LETTER_SHOP, kind: 'order', id: '1001' });
    expect(listed).toEqual([
      ['dead-letter|all|source-1', { at: parked.at, about }],
      ['dead-letter|all|source-1', false],
    ]);
  });

  it('keeps the last five replays, and 1,000 characters of the reason', async () => {
    const ledger = createMemoryLedger();
    const replays = Array.from({ length: 7 }, (_, n) => ({ at: `day ${n}`, by: 'robin' }));
    const long = { ...parked, why: 'w'.repeat(1_001) };
    await writeSummary(source, letterEvent({ replays }), long, ledger);
    const summary = summaryOf(ledger, 'source-1');
    expect(summary?.event?.replays).toEqual(replays.slice(2));
    expect(summary?.why).toBe('w'.repeat(1_000));
  });

  it('says how its dead letter left first, also if it is taken from the lists again', async () => {
    const ledger = createMemoryLedger();
    await retireSummaries([facts], 'replayed', { ledger, now: NOW });
    await retireSummaries([facts], 'dropped', { ledger, now: new Date(NOW.getTime() + 1_000) });
    expect(summaryOf(ledger, 'source-1')?.gone).toEqual({ at: NOW.toISOString(), how: 'replayed' });
  });

  it('keeps its dead letter on the queue while others write it all the time', async () => {
    const { readMany } = createMemoryLedger();
    const ledger = { readMany, write: async () => ({ kind: 'conflict' }) as const };
    const retired = retireSummaries([facts], 'replayed', { ledger, now: NOW });
    await expect(retired).rejects.toThrow();
  });

  it('stays as it is when the same message is parked again', async () => {
    const ledger = createMemoryLedger();
    await writeSummary(source, letterEvent(), parked, ledger);
    await retireSummaries([facts], 'replayed', { ledger, now: NOW });
    await writeSummary(source, letterEvent(), parked, ledger);
    expect(summaryOf(ledger, 'source-1')?.gone).toEqual({ at: NOW.toISOString(), how: 'replayed' });
  });

  it('expires with its dead letter, also after that was replayed', async () => {
    const ledger = createMemoryLedger();
    const expiry = () => ledger.entries.get(ledgerKeyText(deadLetterKey('source-1')))?.expiresAt;
    await writeSummary(source, undefined, parked, ledger);
    expect(expiry()).toBe(Date.parse('2026-10-23T12:05:00.000Z') / 1_000);
    await retireSummaries([facts], 'dropped', { ledger, now: NOW });
    expect(expiry()).toBe(Date.parse('2026-10-23T12:05:00.000Z') / 1_000);
  });

  it('that a scan writes expires 14 days later: the dead letter may be that much younger than its message', async () => {
    const ledger = createMemoryLedger();
    const now = new Date(NOW.getTime() + 13 * 86_400_000);
    await restoreSummaries([summarize({ ...facts, reason: 'crashed' }, undefined)], {
      ledger,
      now,
    });
    const { expiresAt } = ledger.entries.get(ledgerKeyText(deadLetterKey('source-1'))) ?? {};
    expect(expiresAt).toBe((now.getTime() + 14 * 86_400_000) / 1_000);
  });
});

/** Only the body is signed: an attacker who captured one chooses topic and delivery id. */
const captured = buildOrder(simpleOrder).payload;
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

type Connector = ReturnType<typeof openConnector>;

const OTHER_TOPICS = [...topicRoutes].flatMap(([topic, { kind }]) =>
  kind === 'order' ? [] : [topic],
);

/** Under every topic of another kind, each time as a new delivery. */
async function flood(connector: Connector, payload: unknown = captured): Promise<void> {
  for (const topic of OTHER_TOPICS) await connector.deliver({ topic, payload });
  await connector.drain();
}

describe('a captured body, sent under other topics', () => {
  it('is one dead letter, however often and under whatever topic it comes', async () => {
    const connector = openConnector();
    await flood(connector);
    expect(connector.dead.size).toBe(1);
    // Longer than SQS recognizes a repetition.
    connector.clock.ms += 10 * MINUTE_MS;
    await flood(connector);
    expect(connector.dead.size).toBe(1);
    expect(connector.telemetry.total('rejected')).toBe(1);
    expect(connector.telemetry.total('skipped', { why: 'parked-before' })).toBeGreaterThan(10);
  });

  it('hides no other body: each has its own dead letter', async () => {
    const connector = openConnector();
    await flood(connector);
    await flood(connector, { ...captured, note: 'another' });
    expect(connector.dead.size).toBe(2);
  });

  it('can be a dead letter again when the first one has expired', async () => {
    const connector = openConnector();
    await flood(connector);
    connector.clock.ms += 14 * DAY_MS;
    connector.ledger.expire(connector.clock.ms / 1000);
    await flood(connector);
    expect(connector.telemetry.total('rejected')).toBe(2);
  });
});

describe('a rejected webhook', () => {
  const refuse = (connector: Connector) => {
    connector.loyalty.world.interfere = () => refusal(50);
  };

  it('has a dead letter of its own, although a copy under another topic was parked before', async () => {
    const connector = openConnector();
    refuse(connector);
    await flood(connector);
    expect(connector.dead.size).toBe(1);
    await connector.deliver({ topic: 'orders/create', payload: captured });
    await connector.drain();
    expect(connector.dead.size).toBe(2);
  });

  it('is one dead letter each time where a person sends it, and no webhook', async () => {
    const connector = openConnector();
    refuse(connector);
    const product = storeProduct();
    const now = new Date(connector.clock.ms);
    for (const deliveryId of ['backfill/1', 'backfill/2']) {
      const key = { shop: SHOP, kind: 'product', id: product.id } as const;
      const body = encodeSnapshot({ kind: 'product', product }, now);
      await sendEvent(connector, key, { topic: 'backfill/product', deliveryId, body });
      await connector.drain();
    }
    expect(connector.dead.size).toBe(2);
  });

  it('is parked although its worker died after the claim', async () => {
    const connector = openConnector();
    refuse(connector);
    await connector.deliver({ topic: 'products/update', payload: productAt(1) });
    const died = await connector
      .work('products', {
        watch: (part) =>
          'park' in part ? { ...part, park: () => Promise.reject(new Error('dead')) } : part,
      })
      .catch(() => 'died');
    expect([died, connector.dead.size]).toEqual([{ received: 1, left: 1 }, 0]);
    await connector.drain();
    expect(connector.dead.size).toBe(1);
  });

  it('whose dead letter SQS sends back is parked again, and not lost', async () => {
    const connector = openConnector();
    refuse(connector);
    await connector.deliver({ topic: 'products/update', payload: productAt(1) });
    await connector.drain();
    const [letter] = connector.deadLetters();
    if (!letter) throw new Error('nothing was parked');
    connector.queues.products.send({ ...letter, groupId: 'redrive', deduplicationId: 'redrive' });
    await connector.drain();
    expect(connector.dead.size).toBe(2);
  });
});
