import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { captureOutput } from '../../../local/harness/captured-output.ts';
import { createSqsDeadLetters } from '../../../shared/aws/sqs-queues.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import { encodeEvent } from '../../../shared/core/events/message-body.ts';
import { orderAt, withId } from '../../fixtures/order-life.ts';
import { runCommand } from '../../support/connector-command.ts';
import { countMessages, receive } from '../../support/event-source.ts';
import { type OperatedConnector, openOperatedConnector } from '../../support/operated-connector.ts';
import { orderEvent } from '../../support/parked-letters.ts';
import type { ReplayStep } from './replay-until.ts';

const script = fileURLToPath(new URL('./replay-until.ts', import.meta.url));
const ORDERS = 14;
/** More than the dead letters are hidden for, less than SQS recognises a repetition for; and more than that. */
const SOON_SECONDS = 250;
const LATE_SECONDS = 400;

let connector: OperatedConnector;
let firstId = 4_000;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  connector = await openOperatedConnector();
});
beforeEach(() => connector.loyalty.reset());
afterAll(async () => {
  await connector.close();
  vi.useRealTimers();
});

// What the workers log is of no interest here.
let output: ReturnType<typeof captureOutput>;
beforeEach(() => {
  output = captureOutput();
});
afterEach(() => output.stop());

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

/** Parks orders that nobody knows yet; two of them have a newer dead letter too. Gives their ids. */
async function parkOrders(): Promise<readonly string[]> {
  const deadLetters = createSqsDeadLetters(
    connector.sqs,
    connector.queues.urls.orders.deadLetterUrl,
    'orders',
  );
  const ids = Array.from({ length: ORDERS }, (_, index) => firstId + index);
  firstId += ORDERS;
  for (const id of [...ids, ...ids.slice(-2)]) {
    const updated_at = new Date().toISOString();
    pass(1);
    const payload = orderAt(0, { fulfilledAfterDays: 2 }, { ...withId(id), updated_at });
    const body = encodeEvent(orderEvent(id, payload, updated_at));
    await deadLetters.park(
      { messageId: `source-${id}-${Date.now()}`, body },
      { reason: 'rejected', why: 'refused', attempts: 1, at: updated_at },
    );
  }
  return ids.map(String);
}

/** The orders that a queue holds, whoever held them before; it goes on holding them. */
async function ordersIn(url: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const messages = await receive(connector.sqs, url, 5);
    if (messages.length === 0) break;
    for (const { Body = '' } of messages) {
      const decoded = decodeEvent(Body);
      if (decoded.kind === 'event') ids.push(decoded.event.id);
    }
  }
  pass(6);
  return ids;
}

const ordersHeld = () => connector.loyalty.state().orders.map(({ OriginalId }) => OriginalId);

const replay = (env: Readonly<Record<string, string>> = {}) =>
  runCommand([], { folder: connector.folder, script, env });

const steps = [
  ['received', '1'],
  ['received', '2'],
  ['sending', '1'],
  ['sending', '2'],
  ['sent', '1'],
  ['sent', '2'],
  ['retired', '1'],
  ['retired', '2'],
  ['removed', '1'],
  ['removed', '2'],
] as const satisfies readonly (readonly [ReplayStep, string])[];

describe('a replay killed at any point', { timeout: 240_000 }, () => {
  it.each(steps)(
    'loses nothing and applies nothing twice: at "%s", time %s',
    async (step, time) => {
      const ids = await parkOrders();
      const { orders } = connector.queues.urls;

      const killed = await replay({ DIE_AT: step, DIE_AFTER: time });
      expect(killed).toMatchObject({ code: null, stderr: '' });

      // At once, and however far the workers got: it is somewhere.
      pass(SOON_SECONDS);
      const waiting = [...(await ordersIn(orders.url)), ...(await ordersIn(orders.deadLetterUrl))];
      expect(new Set(waiting)).toEqual(new Set(ids));
      await connector.work();
      const left = await ordersIn(orders.deadLetterUrl);
      expect(new Set([...ordersHeld(), ...left])).toEqual(new Set(ids));

      const again = await replay();
      expect(again).toMatchObject({ code: 0, stderr: '' });
      await connector.work();
      expect(await countMessages(connector.sqs, orders.deadLetterUrl)).toBe(0);
      expect(await countMessages(connector.sqs, orders.url)).toBe(0);
      expect(ordersHeld().toSorted()).toEqual(ids.toSorted());
      const sent = connector.loyalty.journal.entries({ operation: 'sendOrder' });
      expect(sent).toHaveLength(ids.length);
    },
  );

  it('is the same message to SQS when it is run again soon', async () => {
    await parkOrders();
    const { orders } = connector.queues.urls;
    await replay({ DIE_AT: 'sent', DIE_AFTER: '1' });
    const parked = await countMessages(connector.sqs, orders.deadLetterUrl);
    pass(SOON_SECONDS);
    await replay();
    expect(parked).toBeGreaterThan(0);
    expect(await countMessages(connector.sqs, orders.url)).toBe(ORDERS + 2);
    await connector.work();
  });

  it('is unchanged to the ledger when it is run again late', async () => {
    const ids = await parkOrders();
    const { orders } = connector.queues.urls;
    await replay({ DIE_AT: 'sent', DIE_AFTER: '1' });
    await connector.work();
    pass(LATE_SECONDS);
    await replay();
    expect(await countMessages(connector.sqs, orders.url)).toBeGreaterThan(0);
    await connector.work();
    expect(connector.loyalty.journal.entries({ operation: 'sendOrder' })).toHaveLength(ids.length);
  });
});
