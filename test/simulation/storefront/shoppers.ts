import { REDEEM_MS, STORE_MS, storefrontOf } from '../../../functions/wiring.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { createMembers } from '../../../shared/rewards/redeem/own-member.ts';
import { createRedeeming } from '../../../shared/rewards/redeem/redeem-reward.ts';
import {
  createStorefront,
  type Storefront,
} from '../../../shared/rewards/storefront/storefront.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import { connector, crediting, SHOP } from '../world/connector.ts';
import type { LoyaltyService } from '../world/loyalty-service.ts';
import { eventQueueOf, ledgerOf } from '../world/process-world.ts';
import type { Queues } from '../world/queues.ts';
import type { WatchedTelemetry } from '../world/watched-telemetry.ts';
import type { RewardShop } from './reward-shop.ts';

const { posCustomerId, redeemsPerHour, takeBack } = storefrontOf(connector);
const retentionDays = connector.orderRetentionDays;

/** As deployed: see infra/connector-function.ts. */
const STOREFRONT_TIMEOUT_MS = 30_000;

export interface StorefrontWorld {
  readonly kernel: Kernel;
  readonly queues: Queues;
  readonly ledger: Ledger;
  readonly loyalty: LoyaltyService;
  readonly shop: RewardShop;
  readonly telemetry: WatchedTelemetry;
}

interface Instance {
  readonly process: SimulatedProcess;
  readonly storefront: Storefront;
  /** Ends the timers of the current request. */
  cancel: (() => void)[];
}

/** The function behind the pages of the store: one request at a time in each instance. */
export class Shoppers {
  readonly #world: StorefrontWorld;
  readonly #idle: Instance[] = [];
  #instances = 0;
  #names = 0;

  constructor(world: StorefrontWorld) {
    this.#world = world;
  }

  /** Undefined when the process died, and no answer comes. */
  ask<Answer>(
    what: string,
    act: (storefront: Storefront) => Promise<Answer>,
    onAnswer: (answer: Answer | undefined) => void,
  ): void {
    const { time, journal } = this.#world.kernel;
    let instance = this.#idle.pop();
    while (instance?.process.isOver) instance = this.#idle.pop();
    const used = instance ?? this.#start();
    const { process } = used;
    process.thaw(() => {
      for (const one of used.cancel) one();
      onAnswer(undefined);
    });
    journal.note(process.key, () => `${process.name}: ${what}`);
    used.cancel = [time.after(STOREFRONT_TIMEOUT_MS, () => process.die())];
    act(used.storefront).then(
      (answer) => {
        if (process.isDead) return;
        for (const one of used.cancel) one();
        process.freeze();
        this.#idle.push(used);
        journal.note(process.key, () => `${process.name} answers ${JSON.stringify(answer)}`);
        onAnswer(answer);
      },
      // A page without its answer is asked for again; a redemption never throws.
      () => process.die(),
    );
  }

  #start(): Instance {
    this.#instances += 1;
    const { kernel, loyalty, queues, shop, telemetry } = this.#world;
    const process = new SimulatedProcess(kernel, `storefront ${this.#instances}`);
    process.freeze();
    const { now } = kernel;
    const ledger = ledgerOf(process, this.#world.ledger);
    const queue = eventQueueOf(process, queues);
    const line = {
      loyalty: loyalty.clientOf(process, () => new Set()),
      breaker: createCircuitBreaker(),
    };
    const members = createMembers({ ...line, shop: SHOP, telemetry, now, posCustomerId });
    const customers = 'from-sign-up' as const;
    const { rewardTypes } = storefrontOf(shop.givesCredit ? crediting : connector);
    const program = { ...line, members, telemetry, now, rewardTypes, customers };
    const after = (ms: number): AbortSignal => {
      const controller = new AbortController();
      const abort = () => process.hear(() => controller.abort());
      instance.cancel.push(kernel.time.after(ms, abort));
      return controller.signal;
    };
    const storefront = {
      ...createStorefront({
        ...program,
        ...{ shop: SHOP, ledger, queue, retentionDays },
        ...{ taxInPrices: 0, pointCallsPerMinute: 60, takeBack },
      }),
      ...createRedeeming(SHOP, () => ({
        ...program,
        ledger,
        queue,
        inDoubt: () => false,
        newKey: () => `00000000-0000-4000-8000-${this.#nextName(12)}`,
        ...{ rewardTypes, redeemsPerHour, retentionDays, keepsMetadata: true, takeBack },
        store: shop.askedBy(process, after(STORE_MS)),
        deadline: after(REDEEM_MS),
      })),
    };
    const instance: Instance = { process, storefront, cancel: [] };
    return instance;
  }

  #nextName(length: number): string {
    this.#names += 1;
    return String(this.#names).padStart(length, '0');
  }
}
