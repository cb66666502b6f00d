import {
  letterReaderOf,
  newTally,
  replayLetters,
} from '../../../scripts/connector/ground/letters/replay-letters.ts';
import { readSummary, retireSummaries } from '../../../shared/core/batch/dead-letter.ts';
import { type BulkQueue, deduplicationIdOf, groupIdOf } from '../../../shared/core/events/event.ts';
import { encodeEvent } from '../../../shared/core/events/message-body.ts';
import { SHOP } from '../../support/in-process-connector.ts';
import type { MemoryQueue } from '../../support/memory-queue.ts';
import { letterIdsIn } from '../../support/parked-letters.ts';
import { letterQueueOn } from '../world/queues.ts';
import { REFUSAL } from './abandoned-schedules.ts';
import { connectorScenario, type Watch, workerOf, wrongIn } from './connector-scenario.ts';
import { ID, orderAt } from './refund-schedules.ts';

/**
 * The service refuses an order, and later takes it. A worker parks the order, a person replays it at any moment, and
 * another worker sends it. No dead letter is lost, and no list shows one that is gone.
 */
export const replayScenario = connectorScenario((connector) => {
  const { loyalty, dead, queues, clock, ledger } = connector;
  const now = () => new Date(clock.ms);

  /** Also of what has no summary yet: the list of the command would not have it. */
  async function replay(watch: Watch): Promise<void> {
    const letterIds = new Set(await letterIdsIn([letterQueueOn('orders', dead)]));
    await replayLetters(
      { letterIds, by: 'robin' },
      {
        queues: [watch(letterQueueOn('orders', dead))],
        replayQueue: watch(replayQueueOn(queues.orders)),
        retire: (letters) =>
          retireSummaries(letters, 'replayed', { ledger: watch(ledger), now: now() }),
        ...letterReaderOf([{ domain: SHOP, platform: 'shopify' }]),
        ...{ now, signal: new AbortController().signal, onReplayed: () => {} },
      },
      newTally(),
    );
  }

  return {
    async prepare() {
      loyalty.world.interfere = () => REFUSAL;
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
      // What a killed command held becomes visible; a person replays until no dead letter is left.
      for (let runs = 0; runs < 4; runs += 1) {
        await connector.drain();
        clock.ms += 3_600_000;
        await replay((part) => part);
      }
    },
    judge() {
      const open = [...ledger.entries].filter(
        ([text, { remembered }]) =>
          text.startsWith('dead-letter|') && readSummary('', remembered)?.gone === undefined,
      );
      return wrongIn([
        [
          loyalty.rows.orders.get(ID) !== undefined,
          'the dead letter was lost, and its order not sent',
        ],
        [dead.size === 0, `${dead.size} dead letters are left`],
        [open.length === 0, 'a list shows a dead letter that is gone'],
      ]);
    },
  };
});

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
