import { storefrontOf } from '../../../functions/wiring.ts';
import { wrapEvent } from '../../../local/loyalty-sandbox/events/event-sender.ts';
import type { SandboxSettings } from '../../../local/loyalty-sandbox/settings.ts';
import { receivePoints, TOKEN_HEADER } from '../../../shared/rewards/balances/receive-points.ts';
import { joined } from '../kernel/chance.ts';
import { connector, PATH, SHOP } from '../world/connector.ts';
import { Deliveries, type Delivery } from '../world/deliveries.ts';
import { eventQueueOf } from '../world/process-world.ts';
import type { StorefrontWorld } from './shoppers.ts';

const TOKEN = 'T'.repeat(43);
const current = { current: TOKEN };
const tokens = {
  get: async () => current,
  refresh: async () => ({ kind: 'unchanged', value: current }) as const,
};
const { customerIdIn } = storefrontOf(connector);

interface PointDelivery extends Delivery {
  readonly body: Uint8Array;
}

/** The service's point events on their way to the receiver. */
export class PointEvents {
  readonly #world: StorefrontWorld;
  readonly #form: SandboxSettings['eventForm'];
  readonly deliveries: Deliveries<PointDelivery>;
  made = 0;

  constructor(world: StorefrontWorld, form: SandboxSettings['eventForm']) {
    this.#world = world;
    this.#form = form;
    const { kernel, queues, telemetry } = world;
    this.deliveries = new Deliveries(kernel, {
      ...{ what: 'point event', who: 'the service' },
      // Documented: an answer within 30 seconds, else another try after growing pauses.
      ...{ patienceMs: 30_000, retryMinutes: [1, 2, 5, 10, 30, 60, 120] },
      receive: (process, { body }) =>
        receivePoints(
          { method: 'POST', path: PATH, headers: { [TOKEN_HEADER]: TOKEN }, body },
          {
            shops: new Map([[PATH.slice(1), { domain: SHOP, tokens }]]),
            customerIdIn,
            queue: eventQueueOf(process, queues),
            telemetry,
            now: kernel.now,
          },
        ),
    });
  }

  /** Sends what the service has written since the last time. */
  send(): void {
    const { kernel, loyalty } = this.#world;
    const { events } = loyalty.rows;
    while (this.made < events.size) {
      this.made += 1;
      const event = events.get(String(this.made));
      if (!event) throw new Error('the point events are not numbered from 1');
      const uuid = `00000000-0000-4000-8000-${String(this.made).padStart(12, '0')}`;
      const wrapped = wrapEvent(event, { eventForm: this.#form }, uuid, kernel.now());
      this.deliveries.send({
        key: joined(201, this.made),
        words: `point event ${this.made} (${event.topic})`,
        body: Buffer.from(JSON.stringify(wrapped)),
      });
    }
  }
}
