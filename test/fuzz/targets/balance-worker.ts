import { encodeEvent } from '../../../shared/core/events/message-body.ts';
import { openBalanceWorker, SHOP } from '../../support/balance-worker.ts';
import { chance, expectLaw, type FuzzTarget, pick } from '../fuzz-target.ts';
import { makeBody, toTree } from '../make-body.ts';

const MESSAGE = toTree(
  JSON.parse(
    encodeEvent({
      kind: 'balance',
      shop: SHOP,
      id: '1',
      topic: 'Point_Add',
      deliveryId: 'Point_Add/90210/2026-10-09T11:59:30.000Z',
      triggeredAt: '2026-10-09T11:59:30.000Z',
      receivedAt: '2026-10-09T12:00:00.000Z',
    }),
  ),
);

/** A customer in the loyalty service: the client checks only the outer objects. */
const CUSTOMER = toTree({ OriginalId: '1', CurrentTier: { Id: 1, Name: 'Gold', Points: 100 } });

/** What a reading of the customer answers. */
const POINTS = toTree({
  CustomerExists: true,
  PointsBalance: 310,
  CashbackBalance: 15.5,
  PointsToExpire: [{ Points: 20, When: '2026-11-01T00:00:00Z' }],
});

/** The balance worker with any message, and any customer and balance in the loyalty service. */
export function createTarget(): FuzzTarget {
  return {
    make(random) {
      const of = chance(random, 0.6) ? 'message' : pick(random, ['customer', 'points'] as const);
      const body = makeBody({ message: MESSAGE, customer: CUSTOMER, points: POINTS }[of], random);
      return { body, parts: { of, group: pick(random, ['1', 'sha256:x']) } };
    },
    async run({ body, parts: { of, group = '' } }) {
      const worker = openBalanceWorker(['1']);
      const text = Buffer.from(body).toString('utf8');
      if (of === 'message') {
        if (text === '' || text.length > 1_000_000) return 'nothing that SQS takes';
        // SQS refuses some characters, so such a message cannot be on the queue.
        const sent = text.replace(/[^\x20-\x7e\t\r\n]/g, '?');
        worker.sendRaw(sent, group || '1');
      } else {
        const value = parse(text);
        if (typeof value !== 'object' || value === null) return 'no customer';
        if (of === 'points') worker.points.set('1', { ...value });
        else worker.tiers.set('1', { failure: { kind: 'success', value } });
        await worker.announce('1', 310);
        await worker.ask('1');
      }
      const { left } = await worker.work();
      const broken = worker.telemetry.logged.find(({ message }) => /broke off/.test(message));
      expectLaw(!broken, `no work breaks off: ${broken?.fields.error} ${broken?.fields.stack}`);
      if (worker.dead.size > 0) return 'parked';
      return left > 0 ? 'waits' : 'settled';
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
