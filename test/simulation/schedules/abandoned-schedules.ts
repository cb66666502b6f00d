import type { CallAnswer } from '../../../shared/loyalty/result.ts';
import { storeProduct } from '../../fixtures/store-entities.ts';
import { storeEvent } from '../../fixtures/store-event.ts';
import { SHOP } from '../../support/in-process-connector.ts';
import { connectorScenario, workerOf, wrongIn } from './connector-scenario.ts';

const refusal = { HasError: true, ErrorCode: 30, ErrorMessage: 'no', Result: null };
export const REFUSAL: CallAnswer = {
  ...{ kind: 'answer', status: 200, headers: {}, text: JSON.stringify(refusal) },
};

/**
 * A worker whose time is over hands its messages back. What it had begun goes on when its process is used again: beside
 * another worker, which has the same messages. The service has refused a new title, and takes it from then on. A person
 * drops what was parked, and the product gets its old title back: who believes that the service still has it sends
 * nothing.
 */
export const abandonedScenario = connectorScenario((connector) => {
  const { store, loyalty, dead, clock } = connector;
  const { id } = storeProduct();
  const time = new AbortController();
  let isRefused = false;

  async function change(title: string): Promise<void> {
    clock.ms += 1_000;
    const moment = new Date(clock.ms).toISOString();
    store.putProduct(SHOP, storeProduct({ title, updatedAt: moment }));
    const [topic, deliveryId] = ['products/update', moment];
    const about = { shop: SHOP, kind: 'product', id, topic, deliveryId } as const;
    await connector.send(storeEvent({ ...about, receivedAt: moment, body: undefined }));
  }

  return {
    async prepare() {
      await change('Linen shirt');
      await connector.drain();
      await change('Linen blouse');
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
      workerOf(connector, 'products', 'worker', time.signal),
      workerOf(connector, 'products', 'another worker'),
    ],
    abandoned: () => (time.signal.aborted ? ['worker'] : []),
    state: () => [isRefused, time.signal.aborted],
    async settle() {
      await connector.drain();
      for (const { receiptHandle } of dead.receive()) dead.delete(receiptHandle);
      await change('Linen shirt');
    },
    judge() {
      const title = loyalty.rows.products.get(id)?.Title;
      return wrongIn([
        [title === 'Linen shirt', `the service has the title ${title}`],
        [dead.size === 0, `${dead.size} dead letters need a person`],
      ]);
    },
  };
});
