import { storefrontOf } from '../../../functions/wiring.ts';
import { wrapEvent } from '../../../local/loyalty-sandbox/events/event-sender.ts';
import type { SandboxSettings } from '../../../local/loyalty-sandbox/settings.ts';
import { receivePoints, TOKEN_HEADER } from '../../../shared/core/balances/receive-points.ts';
import { joined } from '../kernel/chance.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import { connector, PATH, SHOP } from '../world/connector.ts';
import type { LoyaltyService } from '../world/loyalty-service.ts';
import { eventQueueOf } from '../world/process-world.ts';
import type { Queues } from '../world/queues.ts';
import type { WatchedTelemetry } from '../world/watched-telemetry.ts';
import type { StorefrontWorld } from './shoppers.ts';

const TOKEN = 'T'.repeat(43);
const tokens = { current: TOKEN };
const { customerIdIn } = storefrontOf(connector);

/** Documented: an answer within 30 seconds, else another try after growing pauses. */
const PATIENCE_MS = 30_000;
const RETRY_MINUTES = [1, 2, 5, 10, 30, 60, 120];
/** The second copy of a delivery has its own attempts. */
const SECOND_COPY = 20;

interface PointDelivery {
  readonly key: number;
  readonly what: string;
  readonly body: Uint8Array;
}

/** Delivers the service's point events to the receiver: late, twice, out of order, or not at all. */
export class PointEvents {
  readonly #kernel: Kernel;
  readonly #queues: Queues;
  readonly #telemetry: WatchedTelemetry;
  readonly #loyalty: LoyaltyService;
  readonly #form: SandboxSettings['eventForm'];
  #sent = 0;
  delivered = 0;
  /** Events that never reached the connector. */
  lost = 0;
  /** When the last planned delivery arrives. */
  lastPlannedAt = 0;

  constructor(
    { kernel, queues, telemetry, loyalty }: StorefrontWorld,
    form: SandboxSettings['eventForm'],
  ) {
    this.#kernel = kernel;
    this.#queues = queues;
    this.#telemetry = telemetry;
    this.#loyalty = loyalty;
    this.#form = form;
  }

  get made(): number {
    return this.#sent;
  }

  /** Sends what the service has written since the last time. */
  send(): void {
    const { events } = this.#loyalty.rows;
    while (this.#sent < events.size) {
      this.#sent += 1;
      const event = events.get(String(this.#sent));
      if (!event) throw new Error('the point events are not numbered from 1');
      this.#sendOne(this.#sent, event);
    }
  }

  #sendOne(number: number, event: Parameters<typeof wrapEvent>[0]): void {
    const kernel = this.#kernel;
    const { rates } = kernel;
    const key = joined(201, number);
    const what = `point event ${number} (${event.topic})`;
    const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const wrapped = wrapEvent(event, { eventForm: this.#form }, uuid, kernel.now());
    const delivery = { key, what, body: Buffer.from(JSON.stringify(wrapped)) };
    if (
      kernel.happens(
        joined(key, 1),
        rates.drops,
        'point event: lost',
        () => `${what} is never sent`,
      )
    ) {
      this.lost += 1;
      return;
    }
    this.#plan(this.#delay(delivery, 2), delivery, 0);
    if (
      kernel.happens(
        joined(key, 3),
        rates.duplicates,
        'point event: twice',
        () => `${what} comes twice`,
      )
    ) {
      this.#plan(this.#delay(delivery, 5), delivery, SECOND_COPY);
    }
  }

  #delay({ key, what }: PointDelivery, part: number): number {
    const { chance, rates } = this.#kernel;
    const name = joined(key, part);
    const drawn = chance(name, 8);
    if (
      this.#kernel.happens(
        name,
        rates.late,
        'point event: hours late',
        () => `${what} comes hours late`,
      )
    ) {
      return drawn * 5 * 3_600_000;
    }
    if (
      this.#kernel.happens(
        joined(name, 9),
        rates.shuffled,
        'point event: overtaken',
        () => `${what} is overtaken`,
      )
    ) {
      return drawn * 60_000;
    }
    return 20 + drawn * 400;
  }

  #plan(afterMs: number, delivery: PointDelivery, attempt: number): void {
    const { time } = this.#kernel;
    this.lastPlannedAt = Math.max(this.lastPlannedAt, time.now + afterMs);
    time.after(afterMs, () => this.#deliver(delivery, attempt));
  }

  #deliver(delivery: PointDelivery, attempt: number): void {
    const { time, journal, now } = this.#kernel;
    this.delivered += 1;
    const name = `receiver of ${delivery.what} #${attempt}`;
    const began = time.now;
    const tryLater = () => this.#tryLater(delivery, attempt);
    const process = new SimulatedProcess(this.#kernel, name, () => {
      time.after(PATIENCE_MS, tryLater);
    });
    const request = {
      method: 'POST',
      path: PATH,
      headers: { [TOKEN_HEADER]: TOKEN },
      body: delivery.body,
    };
    const answering = receivePoints(request, {
      shops: new Map([[PATH.slice(1), { domain: SHOP, tokens: TOKENS }]]),
      customerIdIn,
      queue: eventQueueOf(process, this.#queues),
      telemetry: this.#telemetry,
      now,
    });
    answering.then(
      ({ status }) => {
        journal.note(process.key, () => `${name}: ${status}`);
        if (status !== 200 || time.now - began > PATIENCE_MS) tryLater();
      },
      (error) => {
        journal.violation('broke-off', `${name} throws ${error}`);
        process.die();
      },
    );
  }

  #tryLater(delivery: PointDelivery, attempt: number): void {
    const minutes = RETRY_MINUTES[attempt % SECOND_COPY];
    if (minutes === undefined) {
      this.lost += 1;
      this.#kernel.journal.note(delivery.key, () => `the service gives up on ${delivery.what}`);
    } else this.#plan(minutes * 60_000, delivery, attempt + 1);
  }
}

const TOKENS = {
  get: async () => tokens,
  refresh: async () => ({ kind: 'unchanged', value: tokens }) as const,
};
