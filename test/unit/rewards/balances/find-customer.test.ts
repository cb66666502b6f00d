import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../../../shared/core/batch/waiting.ts';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import type { PointEvent, QueuedEvent } from '../../../../shared/core/events/event.ts';
import { settlePointEvent } from '../../../../shared/rewards/balances/find-customer.ts';
import { pointEvent } from '../../../fixtures/point-event.ts';
import { SHOP } from '../../../support/balance-worker.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
import { createMemoryDeadLetters, createMemoryQueue } from '../../../support/memory-queue.ts';
import { recordTelemetry } from '../../../support/recorded-telemetry.ts';

const EMAIL = 'jordan.testperson@example.com';
const NOW = new Date('2026-10-09T12:30:00.000Z');

interface Answers {
  readonly customer?: unknown;
  /** Of the enrolled customers; without `others`, of all. */
  readonly report?: unknown;
  readonly others?: unknown;
  /** The id in the store: of whom it is asked for, or by address. */
  readonly inStore?: string | Readonly<Record<string, string>>;
  readonly receivedAt?: string;
}

/** Events of one group through the worker; gives what was sent on, and where the messages are. */
async function settle(Customers: object | readonly object[], answers: Answers) {
  const { customer, report = [], others = report, inStore } = answers;
  const { receivedAt = '2026-10-09T12:00:00.000Z' } = answers;
  const sent: QueuedEvent[] = [];
  const asked: string[] = [];
  const deadline = new AbortController().signal;
  /** Of each call of the service. */
  const signals: unknown[] = [];
  const items = [Customers].flat().map((Customer, at): Item => {
    const event: PointEvent = {
      kind: 'point-event',
      shop: SHOP,
      id: 'a1b2',
      topic: 'unnamed',
      deliveryId: `person/${at}`,
      receivedAt,
      body: new TextEncoder().encode(JSON.stringify(pointEvent({ Customer }))),
    };
    const message = {
      ...{ messageId: `m${at}`, receiptHandle: `r${at}`, body: '{}', groupId: 'g', attempts: 1 },
      sequenceNumber: String(at),
    };
    return { message, event };
  });
  const group = { items, unsettled: new Set(items) };
  const success = (value: unknown, options?: { readonly signal?: AbortSignal }) => {
    signals.push(options?.signal);
    return { kind: 'success', value } as never;
  };
  const telemetry = recordTelemetry();
  const dead = createMemoryQueue({ now: () => NOW.getTime() });
  const world: Parameters<typeof settlePointEvent>[1] = {
    shops: new Map([
      [
        SHOP,
        {
          breaker: createCircuitBreaker(),
          loyalty: {
            getCustomer: async (_, options) => success(customer ?? {}, options),
            listCustomersReport: async ({ isEnrolled } = {}, options) =>
              success({ Items: isEnrolled ? report : others }, options),
          },
        },
      ],
    ]),
    customers: {
      async findCustomer(_shop: string, email: string) {
        asked.push(email);
        const value = typeof inStore === 'object' ? inStore[email] : inStore;
        return value === undefined ? ({ kind: 'gone' } as const) : { kind: 'found', value };
      },
    },
    queue: { send: async (one: QueuedEvent) => void sent.push(one) },
    deadLetters: createMemoryDeadLetters(dead),
    ledger: createMemoryLedger(),
    customerIdIn: 'Id',
    telemetry,
    now: () => NOW,
    deadline,
    pauses: { windowFrom: (_, queuedAt) => queuedAt },
  };
  const retry = await settlePointEvent(group, world);
  const parked = dead.receive({ max: 10 }).map(({ attributes }) => attributes.reason);
  return { sent, asked, retry: retry?.why, telemetry, parked, signals, deadline };
}

describe('the customer of a point event', () => {
  it('is asked about in the own group, with the age of the event', async () => {
    const { sent } = await settle({ Email: EMAIL }, { inStore: '7001' });
    expect(sent).toEqual([
      {
        kind: 'balance',
        shop: SHOP,
        id: '7001',
        topic: 'unnamed',
        deliveryId: 'unnamed/90210/2026-10-09T11:59:30.000Z',
        triggeredAt: '2026-10-09T11:59:30.000Z',
        receivedAt: '2026-10-09T12:00:00.000Z',
      },
    ]);
  });

  it('is found by the service, or by the store where the service names somebody else for the address', async () => {
    const customer = { OriginalId: '7001', Email: EMAIL };
    const report = [{ OriginalId: '7001', Document: '12345678900' }];
    const request = {
      ...{ kind: 'balance', shop: SHOP, id: '7001', topic: 'unnamed' },
      ...{ deliveryId: 'unnamed/90210/2026-10-09T11:59:30.000Z' },
      triggeredAt: '2026-10-09T11:59:30.000Z',
      receivedAt: '2026-10-09T12:00:00.000Z',
    };
    expect((await settle({ Email: EMAIL }, { customer })).sent).toEqual([request]);
    expect((await settle({ Document: '12345678900' }, { report })).sent).toEqual([request]);
    const theirs = { customer: { OriginalId: '7009' }, inStore: '7001' };
    expect((await settle({ Email: EMAIL }, theirs)).sent).toEqual([request]);
  });

  it('is looked for in the store under the e-mail that the service has for the document', async () => {
    const report = [null, { Document: '123.456.789-00', Email: EMAIL, OriginalId: 'till-5' }];
    const { sent, asked } = await settle({ Document: '12345678900' }, { report, inStore: '7002' });
    expect(asked).toEqual([EMAIL]);
    expect(sent).toMatchObject([{ id: '7002' }]);
  });

  it('is looked for in the store where the service has the document as its id', async () => {
    const customer = { OriginalId: '12345678900', Document: '123.456.789-00', Email: EMAIL };
    const { sent } = await settle({ Email: EMAIL }, { customer, inStore: '7002' });
    expect(sent).toMatchObject([{ id: '7002' }]);
  });

  it('is found under whichever of their addresses the store knows', async () => {
    const address = fc.constantFrom<string>(EMAIL, 'second@example.com');
    const addresses = fc.uniqueArray(address, { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(addresses, addresses, async (known, [said = '', ofService = said]) => {
        const inStore = Object.fromEntries(known.map((email) => [email, '7003']));
        const report = [{ Document: '12345678900', Email: ofService, OriginalId: 'till-5' }];
        const person = { Email: said, Document: '12345678900' };
        const { sent } = await settle(person, { report, inStore });
        const isKnown = known.includes(said) || known.includes(ofService);
        expect(sent.map(({ id }) => id)).toEqual(isKnown ? ['7003'] : []);
      }),
    );
  });

  it.each(['report', 'others'])('is found enrolled or not: %s', async (list) => {
    const found = { OriginalId: '7001', Document: '12345678900' };
    const answers = { report: [], others: [], [list]: [found] };
    const { sent } = await settle({ Document: '12345678900' }, answers);
    expect(sent).toMatchObject([{ id: '7001' }]);
  });

  it('is asked about for every event in a group', async () => {
    const { sent } = await settle([{ Id: '7001' }, { Id: '7002' }], {});
    expect(sent).toMatchObject([{ id: '7001' }, { id: '7002' }]);
  });

  it.each(['999', '', '-'])(
    'is never one whom the service names for another e-mail or document: %j',
    async (Document) => {
      const other = { OriginalId: '7009', Email: 'other@example.com', Document };
      const answers = { customer: other, report: [other] };
      for (const person of [{ Email: EMAIL }, { Document: '12345678900' }]) {
        expect(await settle(person, answers)).toMatchObject({
          ...{ sent: [], retry: 'customer-not-found', parked: [] },
        });
      }
    },
  );

  it('is looked for during an hour; then the event is parked, long before its queue deletes it', async () => {
    for (const [receivedAt, retry, parked] of [
      ['2026-10-09T11:30:00.000Z', 'customer-not-found', []],
      ['2026-10-09T11:29:59.999Z', undefined, ['unmappable']],
    ] as const) {
      expect(await settle({ Email: EMAIL }, { receivedAt })).toMatchObject({ retry, parked });
    }
  });

  it('is looked for only as long as the worker has time', async () => {
    const person = { Email: EMAIL, Document: '12345678900' };
    const { signals, deadline } = await settle(person, {});
    expect(signals).toHaveLength(3);
    for (const signal of signals) expect(signal).toBe(deadline);
  });

  it('is not looked for where the event names no person', async () => {
    expect(await settle({}, {})).toMatchObject({ retry: undefined, parked: ['unreadable'] });
  });

  it('is read from any answer without a crash, and is an id of the store or none', async () => {
    const field = fc.oneof(fc.constantFrom(EMAIL, '12345678900', '7001', 7001), fc.anything());
    const answer = fc.record({ OriginalId: field, Email: field, Document: field });
    await fc.assert(
      fc.asyncProperty(answer, fc.array(fc.oneof(answer, fc.anything())), async (one, report) => {
        const person = { Email: EMAIL, Document: '12345678900' };
        const { sent, telemetry } = await settle(person, { customer: one, report });
        for (const { id } of sent) expect(id).toMatch(/^[1-9]\d{0,18}$/);
        expect(JSON.stringify(telemetry.logged)).not.toContain(EMAIL);
      }),
    );
  });
});
