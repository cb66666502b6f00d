import type { CallAnswer } from '../../../shared/loyalty/result.ts';
import { connectorScenario, workerOf } from './connector-scenario.ts';
import { refundPlot } from './refund-schedules.ts';

const refusal = { HasError: true, ErrorCode: 30, ErrorMessage: 'no', Result: null };
export const REFUSAL: CallAnswer = {
  ...{ kind: 'answer', status: 200, headers: {}, text: JSON.stringify(refusal) },
};

/**
 * A worker whose time is over hands its messages back. What it had begun goes on when its process is used again: beside
 * another worker, which has the same messages. The service has refused a refund, and takes it from then on. A person
 * replays what was parked, and another refund follows.
 */
export const abandonedScenario = connectorScenario((connector) => {
  const { loyalty, dead, queues } = connector;
  const time = new AbortController();
  let isRefused = false;
  const { happen, prepare, judge } = refundPlot({ takenBack: [1, 2], workers: 0 }, connector);

  async function replay(): Promise<void> {
    for (const { messageId, body, receiptHandle } of dead.receive()) {
      queues.orders.send({ body, groupId: messageId, deduplicationId: messageId });
      dead.delete(receiptHandle);
    }
  }

  return {
    async prepare() {
      await prepare?.();
      await happen(1);
      loyalty.world.interfere = () => {
        isRefused = true;
        return REFUSAL;
      };
    },
    outside: [
      {
        process: 'time',
        steps: [
          {
            what: 'is over',
            when: () => isRefused,
            act() {
              time.abort();
              loyalty.world.interfere = undefined;
            },
          },
        ],
      },
    ],
    inside: [
      workerOf(connector, 'orders', 'worker', time.signal),
      workerOf(connector, 'orders', 'another worker'),
    ],
    abandoned: () => (time.signal.aborted ? ['worker'] : []),
    state: () => [isRefused, time.signal.aborted],
    async settle() {
      await connector.drain();
      await replay();
      await connector.drain();
      await happen(2);
    },
    judge,
  };
});
