import { openConnector } from '../../support/in-process-connector.ts';
import type { Scenario } from './explore.ts';
import { createWatch, type Scheduler } from './scheduler.ts';

type Connector = ReturnType<typeof openConnector>;
export type Watch = ReturnType<ReturnType<typeof createWatch>>;

/** What happens outside of the connector: its steps follow one another, and all else comes in between. */
interface Outside {
  readonly process: string;
  readonly steps: readonly {
    readonly what: string;
    readonly act: () => void | Promise<void>;
    readonly when?: () => boolean;
  }[];
}

/** A process of the connector. It can die at each of its calls. */
interface Inside {
  readonly process: string;
  readonly when: () => boolean;
  readonly run: (watch: Watch) => Promise<unknown>;
}

export interface Plot {
  /** Before the search begins. */
  readonly prepare?: () => Promise<void>;
  readonly outside: readonly Outside[];
  readonly inside: readonly Inside[];
  /** Those whose time is over: what they began goes on, and others have their messages. */
  readonly abandoned?: () => readonly string[];
  /** What decides the end, besides what all plots have. */
  readonly state?: () => unknown;
  /** After all processes have ended, without faults. */
  readonly settle?: () => Promise<void>;
  readonly judge: () => readonly string[];
}

/** Where a plot plays. */
interface Stage {
  readonly clock: { ms: number };
  /** So much time passes once. */
  readonly passMs: number;
  readonly watchAs: ReturnType<typeof createWatch>;
  /** All that the outside holds but for the clock. */
  readonly state: () => readonly unknown[];
  readonly drain: () => Promise<void>;
}

/**
 * Processes of the connector beside what the store, the service and a person do. Once, at any moment at which no
 * worker is busy, so much time passes that what a dead worker had becomes visible again.
 */
export function playPlot(scheduler: Scheduler, plot: Plot, stage: Stage): Scenario {
  const { clock, passMs, watchAs } = stage;
  const insiders = plot.inside.map(({ process }) => process);

  async function happen({ process, steps }: Outside): Promise<void> {
    for (const { what, act, when } of steps) {
      const options = { canDie: false, ...(when && { when }) };
      await scheduler.call(process, what, async () => act(), options);
    }
  }

  async function run({ process, when, run: work }: Inside): Promise<void> {
    await scheduler.call(process, 'begins', async () => {}, { when, canDie: false });
    await work(watchAs(scheduler, process));
  }

  async function passTime(): Promise<void> {
    const pass = async () => {
      clock.ms += passMs;
    };
    const when = () => {
      const gone = plot.abandoned?.() ?? [];
      const others = insiders.filter((one) => !gone.includes(one));
      return !scheduler.isCalling('loyalty') && scheduler.isIdle(others);
    };
    await scheduler.call('clock', 'passes', pass, { when, canDie: false });
  }

  return {
    async begin() {
      await plot.prepare?.();
      for (const one of plot.outside) void happen(one);
      for (const one of plot.inside) void run(one).catch(() => {});
      void passTime();
    },
    state: () => [clock.ms, plot.state?.(), ...stage.state()],
    async finish() {
      await plot.settle?.();
      await stage.drain();
      return plot.judge();
    },
  };
}

/** Longer than a message waits after a call without an answer, and than the queue hides it. */
const PASS_MS = 33_000;

/** The connector's workers of orders, products and coupons, or what the plot runs in their place. */
export function connectorScenario(
  plotOf: (connector: Connector) => Plot,
  settings?: Parameters<typeof openConnector>[0],
) {
  return (scheduler: Scheduler): Scenario => {
    const connector = openConnector(settings);
    const { clock, queues, loyalty, dead, ledger } = connector;
    return playPlot(scheduler, plotOf(connector), {
      ...{ clock, passMs: PASS_MS, watchAs, drain: () => connector.drain() },
      state: () => [
        [...ledger.entries],
        ...Object.values(queues).map((queue) => queue.contents),
        dead.contents,
        ...(['orders', 'points', 'products', 'coupons', 'customers'] as const).map((name) => [
          ...loyalty.rows[name].values(),
        ]),
      ],
    });
  };
}

/** One batch of one worker, as soon as its queue has something to give. */
export function workerOf(
  connector: Pick<Connector, 'queues' | 'work'>,
  family: 'orders' | 'products' | 'coupons',
  process: string,
  deadline = new AbortController().signal,
): Inside {
  const queue = connector.queues[family];
  const when = () => queue.size > queue.hidden;
  return { process, when, run: (watch) => connector.work(family, { watch, deadline }) };
}

/** What is wrong, of all that must be right. */
export function wrongIn(promises: readonly (readonly [isRight: boolean, what: string])[]) {
  return promises.flatMap(([isRight, what]) => (isRight ? [] : [what]));
}

const watchAs = createWatch({
  readings: [
    ...[
      'readMany',
      'readOrder',
      'readProduct',
      'readDiscount',
      'readCoupon',
      'listCodes',
      'createdAt',
    ],
    ...['getOrder', 'getCustomerPoints', 'receive'],
  ],
  service: [
    ...['sendOrder', 'partiallyCancelPosOrder', 'cancelPosOrder'],
    ...['updateProduct', 'createCoupon', 'deactivateCoupon'],
  ],
});
