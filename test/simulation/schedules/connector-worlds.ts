import { SHOP } from '../../../local/harness/in-process-connector.ts';
import type { MemoryQueue } from '../../../local/harness/memory-queue.ts';
import { letterReaderOf } from '../../../scripts/connector/dead-letters/replay/prepare-replay.ts';
import { replayLetters } from '../../../scripts/connector/dead-letters/replay/replay-letters.ts';
import { newTally } from '../../../scripts/connector/dead-letters/replay/replay-tally.ts';
import { letterIn, retireSummaries } from '../../../shared/core/batch/letter-summary.ts';
import type { LetterQueue } from '../../../shared/core/events/dead-letter.ts';
import { encodeEvent } from '../../../shared/core/events/encode-event.ts';
import { deduplicationIdOf, groupIdOf } from '../../../shared/core/events/message-ids.ts';
import type { BulkQueue } from '../../../shared/core/events/queues.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger-key.ts';
import { mergedInto } from '../../../shared/core/ledger/merged-customer.ts';
import type { CallAnswer } from '../../../shared/loyalty/result.ts';
import { storeCoupon } from '../../fixtures/store-entities.ts';
import { deadLetterIn } from '../world/letters.ts';
import { connectorScenario, type Watch, workerOf, wrongIn } from './connector-scenario.ts';
import { ID, orderAt } from './refund-schedules.ts';

/** A discount with one code is announced and deleted, while two workers fan it out and send its code. */
export const fanOutScenario = connectorScenario((connector) => {
  const { store, loyalty, dead } = connector;
  const { discountId } = storeCoupon();
  const admin_graphql_api_id = `gid://shopify/DiscountCodeNode/${discountId}`;
  const at = (second: number) => `2026-10-09T11:00:0${second}.000Z`;
  const deliver = (topic: string, dated: object) => () =>
    connector.deliver({
      ...{ topic, payload: { admin_graphql_api_id, ...dated }, webhookId: topic },
    });
  let isDeleted = false;
  return {
    async prepare() {
      store.putCoupon(SHOP, storeCoupon({ updatedAt: at(0) }));
      await deliver('discounts/create', { updated_at: at(0) })();
    },
    outside: [
      {
        process: 'store',
        steps: [
          {
            what: 'deletes',
            act() {
              isDeleted = true;
              store.remove(SHOP, 'discount', discountId);
            },
          },
          { what: 'sends', act: deliver('discounts/delete', { deleted_at: at(1) }) },
        ],
      },
    ],
    inside: [1, 2].map((n) => workerOf(connector, 'coupons', `worker-${n}`)),
    state: () => isDeleted,
    judge() {
      const active = [...loyalty.rows.coupons.values()].filter((row) => row.isActive);
      return wrongIn([
        [active.length === 0, 'its code is active, and no store has it'],
        [dead.size === 0, `${dead.size} dead letters need a person`],
      ]);
    },
  };
});

const [GONE, KEPT] = [7_001, 7_002];

/**
 * Two customers are merged while an order of the one who is gone is on its way, as it was before. Noted before the
 * order arrives, the merge must send it for the kept customer.
 */
export const mergeScenario = connectorScenario(
  (connector) => {
    const { store, loyalty, ledger, dead } = connector;
    const customerOf = (id: number) => ({ id, email: `${id}@example.com`, first_name: 'Robin' });
    const { payload, order } = orderAt(1, 0);
    const pending = { fulfillment_status: null, fulfillments: [] };
    const asOf = (id: number) => ({ ...payload, ...pending, customer: customerOf(id) });
    const record = { shop: SHOP, kind: 'customer', id: String(GONE) } as const;
    let wasNoted = false;
    return {
      async prepare() {
        const customer = order.customer && { ...order.customer, id: String(KEPT) };
        store.putOrder(SHOP, { ...order, customer, fulfillmentStatus: undefined });
      },
      outside: [
        {
          process: 'merge',
          steps: [
            {
              what: 'arrives',
              act: () =>
                connector.deliver({
                  topic: 'customers/merge',
                  payload: {
                    admin_graphql_api_customer_kept_id: `gid://shopify/Customer/${KEPT}`,
                    admin_graphql_api_customer_deleted_id: `gid://shopify/Customer/${GONE}`,
                    status: 'completed',
                  },
                }),
            },
          ],
        },
        {
          process: 'order',
          steps: [
            {
              what: 'arrives',
              act() {
                wasNoted = mergedInto(ledger.entries.get(ledgerKeyText(record))) !== undefined;
                return connector.deliver({ topic: 'orders/updated', payload: asOf(GONE) });
              },
            },
          ],
        },
      ],
      inside: [
        workerOf(connector, 'coupons', 'worker of merges'),
        workerOf(connector, 'orders', 'worker of orders'),
        workerOf(connector, 'orders', 'another worker of orders'),
      ],
      state: () => wasNoted,
      judge() {
        const held = loyalty.rows.orders.get(ID);
        const holder = held && loyalty.rows.customers.get(held.customerId)?.OriginalId;
        const isNoted = mergedInto(ledger.entries.get(ledgerKeyText(record))) === String(KEPT);
        return wrongIn([
          [isNoted, 'the merge is not noted'],
          [held !== undefined, 'the order was not sent'],
          [!wasNoted || holder === String(KEPT), `the order is sent for ${holder}`],
          [dead.size === 0, `${dead.size} dead letters need a person`],
        ]);
      },
    };
  },
  { rules: { customers: 'from-sign-up' } },
);

/**
 * The service refuses an order, and later takes it. A worker parks the order, a person replays it at any moment, and
 * another worker sends it. No letter is lost, and no list shows one that is gone.
 */
export const replayScenario = connectorScenario((connector) => {
  const { loyalty, dead, queues, clock, ledger } = connector;
  const now = () => new Date(clock.ms);
  const refusal = { HasError: true, ErrorCode: 30, ErrorMessage: 'no', Result: null };
  const answer = { kind: 'answer', status: 200, headers: {}, text: JSON.stringify(refusal) };

  const replay = (watch: Watch): Promise<void> =>
    replayLetters(
      { filter: {}, limit: 10, refetch: false, force: false, by: 'robin' },
      {
        queues: [watch(letterQueueOn(dead))],
        replayQueue: watch(replayQueueOn(queues.orders)),
        retire: (letters) =>
          retireSummaries(letters, 'replayed', { ledger: watch(ledger), now: now() }),
        ...letterReaderOf([{ domain: SHOP }]),
        pacer: { pass: async (waiting) => waiting },
        ...{ now, signal: new AbortController().signal, onReplayed: () => {} },
      },
      newTally(),
    );

  return {
    async prepare() {
      loyalty.world.interfere = () => answer as CallAnswer;
      await connector.deliver({ topic: 'orders/create', payload: orderAt(1, 0).payload });
    },
    outside: [
      {
        process: 'service',
        steps: [
          {
            what: 'takes orders again',
            act() {
              loyalty.world.interfere = undefined;
            },
          },
        ],
      },
    ],
    inside: [
      workerOf(connector, 'orders', 'worker-1'),
      { process: 'replay', when: () => dead.size > dead.hidden, run: replay },
      workerOf(connector, 'orders', 'worker-2'),
    ],
    state: () => loyalty.world.interfere === undefined,
    async settle() {
      // What a killed command held becomes visible; a person replays until no letter is left.
      for (let runs = 0; runs < 4; runs += 1) {
        await connector.drain();
        clock.ms += 3_600_000;
        await replay((part) => part);
      }
    },
    judge() {
      const open = [...ledger.entries].filter(
        ([text, { remembered }]) =>
          text.includes('|letter|') && letterIn('', remembered)?.gone === undefined,
      );
      return wrongIn([
        [loyalty.rows.orders.get(ID) !== undefined, 'the letter was lost, and its order not sent'],
        [dead.size === 0, `${dead.size} letters are left`],
        [open.length === 0, 'a list shows a letter that is gone'],
      ]);
    },
  };
});

function letterQueueOn(queue: MemoryQueue): LetterQueue {
  return {
    family: 'orders',
    receive: async (visibilitySeconds) =>
      queue.receive({ visibilitySeconds }).map((message) => deadLetterIn('orders', message)),
    async giveBack(handles) {
      for (const handle of handles) queue.changeVisibility(handle, 0);
    },
    async remove(handles) {
      for (const handle of handles) queue.delete(handle);
    },
    counts: async () => ({ visible: queue.size, inFlight: 0, retentionSeconds: 0 }),
  };
}

function replayQueueOn(queue: MemoryQueue): Pick<BulkQueue, 'sendAll'> {
  return {
    async sendAll(events, nameOf = deduplicationIdOf) {
      for (const event of events) {
        const deduplicationId = nameOf(event);
        queue.send({ body: encodeEvent(event), groupId: groupIdOf(event), deduplicationId });
      }
      return [];
    },
  };
}
