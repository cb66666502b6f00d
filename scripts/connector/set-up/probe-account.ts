import type {
  LoyaltyAssumptions,
  StorefrontSettings,
} from '../../../shared/config/connector-settings.ts';
import type { MappingSettings } from '../../../shared/config/mapping-settings.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import type { Body, OperationId, Value } from '../../../shared/loyalty/operations.ts';
import { type LoyaltyResult, transportFailure } from '../../../shared/loyalty/result.ts';
import { type Finding, fail, pass, unknown, warn } from '../ground/checks/check.ts';

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

export interface Answer<Value = unknown> {
  /** `not-yet`: it reports no error, and does not say that it is done: cancellations show late. `unclear`: nothing. */
  readonly verdict: 'accepted' | 'refused' | 'not-yet' | 'unclear';
  /** The service itself gave no answer. */
  readonly isLost?: true;
  readonly code?: number;
  readonly value?: Value;
  /** Without the service's own sentences: they may repeat what was sent. */
  readonly text: string;
}

function answerOf<Value>(result: LoyaltyResult<Value>): Answer<Value> {
  switch (result.kind) {
    case 'success':
      return { verdict: 'accepted', value: result.value, text: 'accepted' };
    case 'warning': {
      const text = `accepted, with the warning ${result.code ?? 'without a code'}`;
      return { verdict: 'accepted', value: result.value, text };
    }
    case 'business-error': {
      const { code, finding } = result;
      const isOpen = finding === 'not-cancelled' || finding === 'not-completed';
      const isRefused = result.class === 'rejected' || result.class === 'done';
      const name = [code ?? 'without a number', result.name ?? result.codeName].filter(Boolean);
      const text = finding === undefined ? `error ${name.join(' ')}` : `no error, but ${finding}`;
      const verdict = isOpen ? 'not-yet' : isRefused ? 'refused' : 'unclear';
      return { verdict, text, ...(code !== undefined && { code }) };
    }
    case 'transport-failure': {
      const { status } = result;
      const text = status === undefined ? `no usable answer (${result.reason})` : `HTTP ${status}`;
      return { verdict: result.class === 'rejected' ? 'refused' : 'unclear', text, isLost: true };
    }
  }
}

export const answerText = (result: LoyaltyResult<unknown>): string => answerOf(result).text;

type Service = {
  readonly [O in OperationId]: (
    ...given: Parameters<LoyaltyClient[O]>
  ) => Promise<Answer<Value<O>>>;
};

/** Makes no call any more once the signal fired. A call that has begun is not broken off. */
function asked(
  client: LoyaltyClient,
  signal?: AbortSignal,
  onAnswer: (name: string, answer: Answer) => void = () => {},
): Service {
  const stopped = transportFailure('aborted', { mayHaveHappened: false, message: 'Interrupted.' });
  const get = (target: LoyaltyClient, name: OperationId) => {
    const call = target[name] as (...given: readonly unknown[]) => Promise<LoyaltyResult<unknown>>;
    return async (...given: readonly unknown[]) => {
      const answer = answerOf(signal?.aborted ? stopped : await call(...given));
      onAnswer(name, answer);
      return answer;
    };
  };
  return new Proxy(client, { get }) as unknown as Service;
}

export interface AccountParts {
  /** `probe-20261005-3f9a2b1c`: the beginning of every name. */
  readonly id: string;
  readonly loyalty: LoyaltyClient;
  readonly signal: AbortSignal;
  readonly now: Date;
  readonly waitMs: number;
  readonly pause: (ms: number) => Promise<void>;
}

/** The test account: what the steps share, and how everything that they make is undone. */
export type TestAccount = ReturnType<typeof openTestAccount>;

/** What of an answer's value is shown. */
const SHOWN = ['IsEnrolled', 'OrderTotal', 'PointsBalance', 'AvailablePoints', 'RewardId'] as const;
const HOUR_MS = 3_600_000;
const POLL_MS = 500;

export function openTestAccount(parts: AccountParts) {
  const { id, signal, now, pause } = parts;
  let { waitMs } = parts;
  let answers: string[] = [];
  const loyalty = asked(parts.loyalty, signal, (name, { value, text }) => {
    const known = Object(value);
    const shown = SHOWN.flatMap((field) => (field in known ? [`${field} ${known[field]}`] : []));
    const answer = [`${name}: ${text}`, ...shown].join(', ');
    // Points are read until they change.
    const isRepeated = answer === answers.at(-1) && name === 'getCustomerPoints';
    if (!isRepeated) answers.push(answer);
  });
  // example.com is reserved: no message of the service reaches a person.
  const customer = { OriginalId: `${id}-customer`, Name: id, Email: `${id}@example.com` };
  const undos: Undo[] = [];
  /** Undefined when it cannot be read. */
  const points = async () =>
    (await loyalty.getCustomerPoints(customer.OriginalId)).value?.PointsBalance;
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
    undoAll: () => undoAll(undos, asked(parts.loyalty), pause),
  };
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
export const returnOf = ({ dates }: TestAccount, order: Order): Order => ({
  ...order,
  IsCompleted: false,
  OrderCompletedDate: null,
  IsCancelledOrReturned: true,
  OrderCancelledDate: dates.now,
});

/** Sends an order for the first time, and registers its cancellation. */
export function makeOrder(account: TestAccount, name: string, total: number) {
  const order = orderOf(account, name, total);
  account.undos.push({
    what: `order ${order.OriginalId}`,
    byHand: 'Cancel it in the panel of the service.',
    goneCodes: [33, 37],
    async run(loyalty) {
      const cancelled = await loyalty.cancelPosOrder(order.OriginalId ?? '', account.cancellation);
      return cancelled.code === 13 ? loyalty.sendOrder(returnOf(account, order)) : cancelled;
    },
  });
  return account.loyalty.sendOrder(order);
}

/** How to undo one thing that the probe is about to make. Registered before the call that makes it. */
interface Undo {
  readonly what: string;
  readonly byHand: string;
  /** These errors mean that it was never made, or is undone already. */
  readonly goneCodes: readonly number[];
  run(loyalty: Service): Promise<Answer>;
}

const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/** The newest first: points go back to a customer who is still active. */
async function undoAll(
  undos: readonly Undo[],
  loyalty: Service,
  pause: (ms: number) => Promise<void>,
): Promise<readonly Finding[]> {
  const results: Finding[] = [];
  for (const undo of undos.toReversed()) {
    let answer = await undo.run(loyalty);
    for (let attempt = 1; attempt < ATTEMPTS && answer.verdict === 'unclear'; attempt += 1) {
      await pause(PAUSE_MS);
      answer = await undo.run(loyalty);
    }
    results.push(judgeUndo(undo, answer));
  }
  return results;
}

function judgeUndo({ what, byHand, goneCodes }: Undo, { verdict, code, text }: Answer): Finding {
  if (verdict === 'accepted') return pass(`${what}: undone`);
  if (code !== undefined && goneCodes.includes(code)) return pass(`${what}: nothing to undo`);
  return verdict === 'not-yet'
    ? warn(`${what}: taken, and shows up to 24 hours later (${text})`, `Look then. ${byHand}`)
    : fail(`${what}: NOT UNDONE (${text})`, byHand);
}
