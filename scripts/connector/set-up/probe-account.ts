import type {
  LoyaltyAssumptions,
  StorefrontSettings,
} from '../../../shared/config/connector-settings.ts';
import type { MappingSettings } from '../../../shared/config/mapping-settings.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import type { Body } from '../../../shared/loyalty/operations.ts';
import { type LoyaltyResult, transportFailure } from '../../../shared/loyalty/result.ts';
import { type Finding, fail, pass, unknown, warn } from '../ground/checks/check.ts';

/** A part of the settings in `connector.config.ts`. */
export interface FoundSettings {
  readonly loyalty?: { readonly assumptions?: LoyaltyAssumptions };
  readonly rules?: MappingSettings;
  readonly storefront?: StorefrontSettings;
}

/** What a step found: what it means is its `what`. */
export interface Conclusion extends Finding {
  /** Only what the answers prove. */
  readonly settings?: FoundSettings;
}

export const UNCLEAR = unknown(
  'the service gave no answer that proves anything',
  'Run the command again.',
);

export type Result = LoyaltyResult<unknown>;

type Verdict =
  | 'accepted'
  | 'refused'
  /** The answer reports no error, and does not say that it is done: cancellations show late. */
  | 'not-yet'
  /** Proves nothing. */
  | 'unclear';

export function verdictOf(result: Result): Verdict {
  switch (result.kind) {
    case 'success':
    case 'warning':
      return 'accepted';
    case 'business-error':
      if (result.finding === 'not-cancelled' || result.finding === 'not-completed')
        return 'not-yet';
      return result.class === 'rejected' || result.class === 'done' ? 'refused' : 'unclear';
    case 'transport-failure':
      return result.class === 'rejected' ? 'refused' : 'unclear';
  }
}

/** Without the service's own sentences: they may repeat what was sent. */
export function answerText(result: Result): string {
  switch (result.kind) {
    case 'success':
      return 'accepted';
    case 'warning':
      return `accepted, with the warning ${result.code ?? 'without a code'}`;
    case 'business-error': {
      if (result.finding !== undefined) return `no error, but ${result.finding}`;
      const number = result.code ?? 'without a number';
      return `error ${[number, result.name ?? result.codeName].filter(Boolean).join(' ')}`;
    }
    case 'transport-failure':
      return result.status === undefined
        ? `no usable answer (${result.reason})`
        : `HTTP ${result.status}`;
  }
}

export function hasCode(result: Result, code: number): boolean {
  return result.kind === 'business-error' && result.code === code;
}

/** Undefined when the call failed. */
export function readValue<Value>(result: LoyaltyResult<Value>): Value | undefined {
  return result.kind === 'success' || result.kind === 'warning' ? result.value : undefined;
}

export interface AccountParts {
  /** `probe-20261005-3f9a2b1c`: the beginning of every name. */
  readonly id: string;
  readonly loyalty: LoyaltyClient;
  readonly signal: AbortSignal;
  readonly now: Date;
  /** How long to wait for points. */
  readonly waitMs: number;
  readonly pause: (ms: number) => Promise<void>;
}

/** The test account: what the steps share, and how everything that they make is undone. */
export type TestAccount = ReturnType<typeof openTestAccount>;

const HOUR_MS = 3_600_000;
const POLL_MS = 500;

export function openTestAccount(parts: AccountParts) {
  const { id, signal, now, pause } = parts;
  let { waitMs } = parts;
  let answers: string[] = [];
  const loyalty = recorded(parts.loyalty, signal, (answer) => {
    // Points are read until they change.
    const isRepeated = answer === answers.at(-1) && answer.startsWith('getCustomerPoints');
    if (!isRepeated) answers.push(answer);
  });
  // example.com is reserved: no message of the service reaches a person.
  const customer = { OriginalId: `${id}-customer`, Name: id, Email: `${id}@example.com` };
  const undos: Undo[] = [];
  /** Undefined when it cannot be read. */
  const points = async () =>
    readValue(await loyalty.getCustomerPoints(customer.OriginalId))?.PointsBalance;
  const before = (hours: number) => new Date(now.getTime() - hours * HOUR_MS).toISOString();
  // Error 12: the completion must be after the placement.
  const dates = { placed: before(2), completed: before(1), now: now.toISOString() };
  return {
    ...{ id, customer, loyalty, undos, dates, points },
    cancellation: { OrderCancelledDate: dates.now, OrderStatus: 'probe' },
    /** The balance when it differs from this one, or after the time that `--wait` gives. */
    async pointsOtherThan(known: number | undefined): Promise<number | undefined> {
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
    /** What the service answered since the last time. */
    takeAnswers(): readonly string[] {
      const taken = answers;
      answers = [];
      return taken;
    },
    undoAll: () => undoAll(undos, parts.loyalty, pause),
  };
}

/** What of an answer's value is shown. */
const SHOWN = ['IsEnrolled', 'OrderTotal', 'PointsBalance', 'AvailablePoints', 'RewardId'] as const;

/** Makes no call any more once the probe was interrupted. A call that has begun is not broken off. */
function recorded(
  client: LoyaltyClient,
  signal: AbortSignal,
  onAnswer: (answer: string) => void,
): LoyaltyClient {
  const stopped = transportFailure('aborted', { mayHaveHappened: false, message: 'Interrupted.' });
  return new Proxy(client, {
    get: (target, name: keyof LoyaltyClient) => {
      const call = target[name] as (...given: readonly unknown[]) => Promise<Result>;
      return async (...given: readonly unknown[]) => {
        const result = signal.aborted ? stopped : await call(...given);
        const value = Object(readValue(result));
        const shown = SHOWN.flatMap((field) =>
          field in value ? [`${field} ${value[field]}`] : [],
        );
        onAnswer([`${name}: ${answerText(result)}`, ...shown].join(', '));
        return result;
      };
    },
  });
}

type Order = Body<'sendOrder'>;

/** A completed order of the probe's customer. It names no product: none is made. */
export function orderOf({ id, customer, dates }: TestAccount, name: string, total: number): Order {
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
    OrderTotal: total,
  };
}

/** The order sent again as cancelled, which is the way where a cancel is refused. */
export function returnOf({ dates }: TestAccount, order: Order): Order {
  return {
    ...order,
    IsCompleted: false,
    OrderCompletedDate: null,
    IsCancelledOrReturned: true,
    OrderCancelledDate: dates.now,
  };
}

/** Sends an order for the first time, and registers its cancellation. */
export function makeOrder(account: TestAccount, name: string, total: number): Promise<Result> {
  const order = orderOf(account, name, total);
  account.undos.push({
    what: `order ${order.OriginalId}`,
    byHand: 'Cancel it in the panel of the service.',
    goneCodes: [33, 37],
    async run(loyalty) {
      const cancelled = await loyalty.cancelPosOrder(order.OriginalId ?? '', account.cancellation);
      return hasCode(cancelled, 13) ? loyalty.sendOrder(returnOf(account, order)) : cancelled;
    },
  });
  return account.loyalty.sendOrder(order);
}

/** How to undo one thing that the probe is about to make. Registered before the call that makes it. */
interface Undo {
  readonly what: string;
  /** What a person does when it fails. */
  readonly byHand: string;
  /** These errors mean that it was never made, or is undone already. */
  readonly goneCodes: readonly number[];
  run(loyalty: LoyaltyClient): Promise<Result>;
}

const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/** The newest first: points go back to a customer who is still active. */
async function undoAll(
  undos: readonly Undo[],
  loyalty: LoyaltyClient,
  pause: (ms: number) => Promise<void>,
): Promise<readonly Finding[]> {
  const results: Finding[] = [];
  for (const undo of undos.toReversed()) {
    let result = await undo.run(loyalty);
    for (let attempt = 1; attempt < ATTEMPTS && verdictOf(result) === 'unclear'; attempt += 1) {
      await pause(PAUSE_MS);
      result = await undo.run(loyalty);
    }
    results.push(judgeUndo(undo, result));
  }
  return results;
}

function judgeUndo({ what, byHand, goneCodes }: Undo, result: Result): Finding {
  const verdict = verdictOf(result);
  if (verdict === 'accepted') return pass(`${what}: undone`);
  if (goneCodes.some((code) => hasCode(result, code))) return pass(`${what}: nothing to undo`);
  const answered = answerText(result);
  return verdict === 'not-yet'
    ? warn(`${what}: taken, and shows up to 24 hours later (${answered})`, `Look then. ${byHand}`)
    : fail(`${what}: NOT UNDONE (${answered})`, byHand);
}
