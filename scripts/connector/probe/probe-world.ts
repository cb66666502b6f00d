import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import type { Body } from '../../../shared/loyalty/operations.ts';
import { type LoyaltyResult, transportFailure } from '../../../shared/loyalty/result.ts';
import { hasCode, readValue } from './answer.ts';
import type { Undo } from './undo.ts';

type Ask = <Value>(
  call: (loyalty: LoyaltyClient) => Promise<LoyaltyResult<Value>>,
) => Promise<LoyaltyResult<Value>>;

/** What the steps share. */
export interface ProbeWorld {
  /** `probe-20261005-k3f9a2`: the beginning of every name. */
  readonly id: string;
  readonly customer: { readonly OriginalId: string; readonly Name: string; readonly Email: string };
  /** Makes no call any more once the probe was interrupted. A call that has begun is not broken off. */
  readonly ask: Ask;
  /** With credentials that cannot be right. */
  readonly askAsStranger: Ask;
  readonly undos: Undo[];
  readonly dates: { readonly placed: string; readonly completed: string; readonly now: string };
  /** Undefined when it cannot be read. */
  points(): Promise<number | undefined>;
  /** The balance when it differs from this one, or after the time that `--wait` gives. */
  pointsOtherThan(before: number | undefined): Promise<number | undefined>;
}

export interface WorldParts {
  readonly id: string;
  readonly loyalty: LoyaltyClient;
  readonly stranger: LoyaltyClient;
  readonly signal: AbortSignal;
  readonly now: Date;
  readonly waitMs: number;
  readonly pause: (ms: number) => Promise<void>;
}

const HOUR_MS = 3_600_000;
const POLL_MS = 500;

export function createWorld(parts: WorldParts): ProbeWorld {
  const { id, loyalty, stranger, signal, now, pause } = parts;
  let { waitMs } = parts;
  const askWith =
    (client: LoyaltyClient): Ask =>
    async (call) =>
      signal.aborted
        ? transportFailure('aborted', { mayHaveHappened: false, message: 'Interrupted.' })
        : call(client);
  const ask = askWith(loyalty);
  // example.com is reserved: no message of the service reaches a person.
  const customer = { OriginalId: `${id}-customer`, Name: id, Email: `${id}@example.com` };
  const points = async () =>
    readValue(await ask((client) => client.getCustomerPoints(customer.OriginalId)))?.PointsBalance;
  const before = (hours: number) => new Date(now.getTime() - hours * HOUR_MS).toISOString();
  return {
    id,
    customer,
    ask,
    askAsStranger: askWith(stranger),
    undos: [],
    // Error 12: the completion must be after the placement.
    dates: { placed: before(2), completed: before(1), now: now.toISOString() },
    points,
    async pointsOtherThan(known) {
      for (let waitedMs = 0; ; waitedMs += POLL_MS) {
        const found = await points();
        if ((found !== undefined && found !== known) || signal.aborted) return found;
        if (waitedMs >= waitMs) {
          // Who has no points by now gets none in the later steps either: they need not wait.
          if (known === 0) waitMs = 0;
          return found;
        }
        await pause(POLL_MS);
      }
    },
  };
}

/** Of an order. */
export const TOTAL = 100;

type Order = Body<'sendOrder'>;

/** A completed order of the probe's customer. It names no product: none is made. */
export function orderOf({ id, customer, dates }: ProbeWorld, name: string, changes: Order): Order {
  return {
    OriginalId: `${id}-${name}`,
    OrderPlacementDate: dates.placed,
    OrderCompletedDate: dates.completed,
    OrderCancelledDate: null,
    OrderStatus: 'probe',
    IsCancelledOrReturned: false,
    IsCompleted: true,
    Customer: customer,
    Products: null,
    UpdatedDate: dates.now,
    ...changes,
  };
}

/** Sends an order for the first time, and registers its cancellation. */
export function makeOrder(world: ProbeWorld, name: string, changes: Order) {
  const order = orderOf(world, name, changes);
  const returned = returnOf(world, order);
  world.undos.push({
    what: `order ${order.OriginalId}`,
    byHand: 'Cancel it in the panel of the service.',
    absentCodes: [37],
    undoneCodes: [33],
    async run(loyalty) {
      const cancelled = await loyalty.cancelPosOrder(order.OriginalId ?? '', cancellation(world));
      return hasCode(cancelled, 13) ? loyalty.sendOrder(returned) : cancelled;
    },
  });
  return world.ask((loyalty) => loyalty.sendOrder(order));
}

/** The order sent again as cancelled, which is the way where a cancel is refused. */
export function returnOf({ dates }: ProbeWorld, order: Order): Order {
  return {
    ...order,
    IsCompleted: false,
    OrderCompletedDate: null,
    IsCancelledOrReturned: true,
    OrderCancelledDate: dates.now,
  };
}

export function cancellation({ dates }: ProbeWorld) {
  return { OrderCancelledDate: dates.now, OrderStatus: 'probe' };
}
