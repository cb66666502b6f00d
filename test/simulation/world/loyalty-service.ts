import type { PartialSettings } from '../../../local/loyalty-sandbox/settings.ts';
import { AFTER_UNKNOWN_OUTCOME_SECONDS } from '../../../shared/core/events/outcome.ts';
import { createLoyaltyClient, type LoyaltyClient } from '../../../shared/loyalty/client.ts';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import type {
  CallAnswer,
  CallFailure,
  CallRequest,
  CallSender,
} from '../../../shared/loyalty/result.ts';
import { type LoyaltyCall, openLoyaltyProgram, routeOf } from '../../support/in-process-loyalty.ts';
import { type Kernel, PROCESS_DIES } from '../kernel/kernel.ts';
import type { SimulatedProcess } from '../kernel/simulated-process.ts';

/** Errors with which the service refuses valid calls on some days: a person must act. */
export const REFUSED_ON_DEMAND = 'DaysToWaitToGrantPointsInvalidValue';
const REFUSAL = { HasError: true, ErrorCode: 30, ErrorMessage: 'Refused on demand.', Result: null };
const REFUSAL_IN_LIST = { HasError: true, ErrorMessages: [REFUSED_ON_DEMAND], Items: null };
const TRY_LATER = { HasError: true, ErrorCode: 77, ErrorMessage: 'Try later.', Result: null };
const TRY_LATER_IN_LIST = { HasError: true, ErrorMessages: ['GenericError'], Items: null };

/** After this time the service has executed a call or never will. Below `AFTER_UNKNOWN_OUTCOME_SECONDS`. */
const LONGEST_EXECUTION_MS = 22_000;

/** An attempt is recorded before it begins. */
const LEDGER_WRITE_MS = 50;

type Ending =
  | 'fine'
  | 'slow'
  | 'no-connection'
  | 'reset'
  | 'time-out'
  | 'throttled'
  | 'server-error'
  | 'try-later';
const FAULTS: readonly Ending[] = [
  'slow',
  'no-connection',
  'reset',
  'time-out',
  'time-out',
  'throttled',
  'server-error',
  'try-later',
];

/** Nothing but a person could continue after a refusal of these. */
const NEVER_REFUSED: ReadonlySet<OperationId> = new Set([
  'cancelRedemption',
  'changeCashback',
  'changePoints',
  'getCustomer',
  'getCustomerPoints',
  'getRewardConfiguration',
  'listAvailableRewards',
  'listCustomersReport',
  'listRewardConfigurations',
  'listTiers',
  'updateRewardMetadata',
]);

/** The sandbox's program behind a faulty network and a faulty service. */
export class LoyaltyService {
  readonly #kernel: Kernel;
  readonly #program;
  /** By entity: until when a call without an answer may still be executed. */
  readonly #unknownUntil = new Map<string, number>();

  /** Called when a call begins. */
  onCall: (words: string) => void = () => {};

  /** Called after every executed call. */
  onExecuted: (call: LoyaltyCall) => void = () => {};

  /** By how much its clock is ahead of ours. */
  readonly aheadMs: number;

  constructor(kernel: Kernel, settings: PartialSettings, aheadMs = 0) {
    this.#kernel = kernel;
    this.aheadMs = aheadMs;
    const now = () => new Date(kernel.time.now + aheadMs);
    this.#program = openLoyaltyProgram(now, settings);
  }

  get rows() {
    return this.#program.rows;
  }

  /** The real client of one process. `failed` collects the entities for which this invocation failed. */
  clientOf(process: SimulatedProcess, failed: () => Set<string>): LoyaltyClient {
    const http: CallSender = {
      send: (request) => this.#send(request, process, failed()),
    };
    return createLoyaltyClient({ credentials: { token: 'token', key: 'key' }, http });
  }

  /** A call of another client of the service, such as a till. */
  answer(operation: OperationId, path: LoyaltyCall['path'], body?: unknown): unknown {
    return this.#execute({ operation, path, body, query: {} });
  }

  #send(
    request: CallRequest,
    process: SimulatedProcess,
    failed: Set<string>,
  ): Promise<CallAnswer | CallFailure> {
    const { time, journal, chance, rates } = this.#kernel;
    const call = routeOf(request.method, request.path, request.body);
    const entity = entityOf(call);
    const words = `${process.name}: ${call.operation} ${entity ?? ''}`;
    const began = time.now;
    this.onCall(words);
    if (entity) this.#watch(entity, failed, words);
    const name = process.nextName();
    const ending = this.#decide(name, words);
    const rejects =
      ending === 'fine' &&
      !NEVER_REFUSED.has(call.operation) &&
      this.#kernel.happens(
        process.nextName(),
        rates.rejections,
        'loyalty: refuses a valid call',
        () => `${words}: is refused`,
      );
    const dies = this.#kernel.happens(
      process.nextName(),
      rates.crash,
      PROCESS_DIES,
      () => `${words}: the process dies at this call`,
    );
    const drawn = chance(name, 4);

    return new Promise((resolve) => {
      let settled = false;
      const answer = (result: CallAnswer | CallFailure) => {
        if (settled) return;
        settled = true;
        const unknown = result.kind === 'failure' && result.mayHaveHappened;
        // The next attempt of a redemption is counted from the beginning of the last.
        const since = call.operation === 'redeemRewardByKey' ? began : time.now;
        if (entity && unknown) {
          this.#unknownUntil.set(
            entity,
            since + AFTER_UNKNOWN_OUTCOME_SECONDS * 1000 - LEDGER_WRITE_MS,
          );
        }
        if (entity && isToBeTriedAgain(result)) failed.add(entity);
        process.hear(() => resolve(result));
      };
      const execute = (): CallAnswer => {
        const body = this.#execute(call);
        journal.note(name, () => `${words}: ${outcomeOf(body)}`);
        return ok(body);
      };
      const fail = (reason: CallFailure['reason'], mayHaveHappened: boolean) =>
        answer({ kind: 'failure', reason, mayHaveHappened });
      // After an abort the service may still execute what was sent.
      request.signal?.addEventListener('abort', () => fail('aborted', true), { once: true });
      const isList = call.operation === 'createCoupon' || call.operation === 'deactivateCoupon';
      const executeAfter = (ms: number, then: (result: CallAnswer) => void) =>
        time.after(ms, () => {
          if (dies && drawn < 0.4) return process.die();
          const result = execute();
          if (dies) return process.die();
          then(result);
        });
      const ms = 5 + drawn * 300;
      switch (ending) {
        case 'fine':
          if (rejects) time.after(ms, () => answer(ok(isList ? REFUSAL_IN_LIST : REFUSAL)));
          else executeAfter(ms, answer);
          break;
        case 'slow':
          executeAfter(1_000 + drawn * 8_000, answer);
          break;
        case 'no-connection':
          time.after(ms, () => fail('connection', false));
          break;
        case 'reset':
          if (drawn < 0.5) executeAfter(ms, () => fail('connection', true));
          else time.after(ms, () => fail('connection', true));
          break;
        case 'time-out':
          if (drawn < 0.7) executeAfter(drawn * (LONGEST_EXECUTION_MS / 0.7), () => {});
          time.after(request.timeoutMs, () => fail('time-out', true));
          break;
        case 'throttled': {
          const headers = drawn < 0.5 ? { 'retry-after': '7' } : {};
          time.after(ms, () => answer({ kind: 'answer', status: 429, headers, text: '' }));
          break;
        }
        case 'server-error': {
          const wrong = { kind: 'answer', status: 502, headers: {}, text: '' } as const;
          if (drawn < 0.5) executeAfter(ms, () => answer(wrong));
          else time.after(ms, () => answer(wrong));
          break;
        }
        case 'try-later':
          // "Something went wrong" does not say how far a redemption had come.
          if (call.operation === 'redeemRewardByKey' && drawn < 0.5) {
            executeAfter(ms, () => answer(ok(TRY_LATER)));
          } else time.after(ms, () => answer(ok(isList ? TRY_LATER_IN_LIST : TRY_LATER)));
      }
    });
  }

  #execute(call: LoyaltyCall): unknown {
    const answer = this.#program.answer(call);
    this.onExecuted(call);
    return answer;
  }

  #decide(name: number, words: string): Ending {
    if (this.#kernel.isOut('loyalty')) return 'no-connection';
    const { chance, rates } = this.#kernel;
    const fault = FAULTS[Math.floor(chance(name, 5) * FAULTS.length)] ?? 'slow';
    const happens = this.#kernel.happens(
      name,
      rates.loyalty,
      `loyalty: ${fault}`,
      () => `${words}: ${fault}`,
    );
    return happens ? fault : 'fine';
  }

  #watch(entity: string, failed: ReadonlySet<string>, words: string): void {
    const { time, journal } = this.#kernel;
    if (failed.has(entity)) {
      journal.violation('behind-a-failure', `${words}, although a call for it has just failed`);
    }
    if ((this.#unknownUntil.get(entity) ?? 0) > time.now) {
      journal.violation('too-soon', `${words}, while an earlier call may still be executed`);
    }
  }
}

/** Whose calls must keep their distance; undefined where a repetition is safe at any moment. */
function entityOf({ operation, path, body }: LoyaltyCall): string | undefined {
  const { OriginalId: id, OriginalKey: key } = (body ?? {}) as Readonly<Record<string, string>>;
  switch (operation) {
    case 'sendOrder':
    case 'cancelPosOrder':
    case 'partiallyCancelPosOrder':
      return `order ${path.orderId ?? id}`;
    case 'updateProduct':
      return `product ${path.id}`;
    case 'redeemRewardByKey':
      return `redemption ${key}`;
    case 'createCoupon':
    case 'deactivateCoupon':
      return `coupon ${path.code ?? id}`;
    default:
      return undefined;
  }
}

function isToBeTriedAgain(result: CallAnswer | CallFailure): boolean {
  if (result.kind === 'failure' || result.status !== 200) return true;
  return result.text.includes('Try later') || result.text.includes('GenericError');
}

const ok = (body: unknown): CallAnswer => ({
  kind: 'answer',
  status: 200,
  headers: {},
  text: JSON.stringify(body),
});

function outcomeOf(body: unknown): string {
  const { HasError, ErrorCode, ErrorMessages } = body as {
    readonly HasError?: boolean;
    readonly ErrorCode?: number;
    readonly ErrorMessages?: readonly string[];
  };
  return HasError ? `answered with ${ErrorCode ?? ErrorMessages?.[0]}` : 'done';
}
