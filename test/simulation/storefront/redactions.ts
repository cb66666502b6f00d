import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import type { StoreEvent } from '../../../shared/core/events/event.ts';
import type { Store } from '../../../shared/core/store/store.ts';
import { handleTask } from '../../../shared/core/sync/handle-task.ts';
import { workerRewards } from '../../../shared/services/rewards.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import { connector, SHOP, shopRules } from '../world/connector.ts';
import { eventQueueOf, ledgerOf } from '../world/process-world.ts';
import type { StorefrontWorld } from './shoppers.ts';

const AGAIN_MS = 5 * 60_000;

/** Erases what the ledger remembers of customers, as the store asks by law. */
export class Redactions {
  readonly #world: StorefrontWorld;
  /** Customers of whom something was erased. */
  readonly redacted = new Set<string>();
  #runs = 0;
  /** Customers who are not erased yet. */
  readonly open = new Set<string>();

  constructor(world: StorefrontWorld) {
    this.#world = world;
  }

  begin(customerId: string): void {
    this.open.add(customerId);
    this.redacted.add(customerId);
    const receivedAt = this.#world.kernel.now().toISOString();
    this.#run({
      kind: 'customer',
      shop: SHOP,
      id: customerId,
      topic: 'customers/redact',
      deliveryId: `redact-${customerId}-${receivedAt}`,
      receivedAt,
      claim: 'customer-redaction',
      origin: 'webhook',
      body: undefined,
    });
  }

  #run(event: StoreEvent): void {
    const { kernel, ledger, queues, loyalty, telemetry } = this.#world;
    const { time, journal, now } = kernel;
    this.#runs += 1;
    const again = () => void time.after(AGAIN_MS, () => this.#run(event));
    const process = new SimulatedProcess(kernel, `redaction ${this.#runs}`, again);
    const shop = {
      loyalty: loyalty.clientOf(process, () => new Set()),
      breaker: createCircuitBreaker(),
      rules: shopRules,
      assumptions: connector.loyalty.assumptions,
    };
    const task = { kind: 'redact', customerId: event.id, orderIds: [] } as const;
    handleTask(event, task, {
      ledger: ledgerOf(process, ledger),
      queue: eventQueueOf(process, queues),
      store: NO_STORE,
      telemetry,
      now,
      shop: () => shop,
      deadline: NO_DEADLINE,
      rewards: workerRewards(connector),
      orderRetentionDays: connector.orderRetentionDays,
    }).then(
      ({ kind }) => {
        journal.note(process.key, () => `${process.name} of ${event.id}: ${kind}`);
        if (kind === 'retry') again();
        else this.open.delete(event.id);
      },
      () => process.die(),
    );
  }
}

const NO_DEADLINE = new AbortController().signal;

/** A redaction does not ask the store. */
const NO_STORE = {} as Store;
