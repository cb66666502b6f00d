import { basicAuthorization, type Credentials } from './basic-authorization.ts';
import { buildPath } from './build-path.ts';
import type { Body, Input, Query, Value } from './call-types.ts';
import type { OperationId } from './operation-id.ts';
import { operationTable } from './operation-table.ts';
import { readAnswer } from './read-answer.ts';
import { type LoyaltyResult, transportFailure } from './result.ts';
import { personalTexts } from './scrub.ts';
import { createTransport, type Transport } from './transport.ts';
import { describeFault } from './transport-fault.ts';

export const CALL_TIMEOUT_MS = 10_000;

export type LoyaltyClientSettings = {
  /** A function is asked before every call, so that a rotated key is taken up; it does the caching. */
  readonly credentials: Credentials | (() => Promise<Credentials>);
  /** For a whole call, from its beginning to the end of the answer. Default: `CALL_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
} & (
  | {
      /** https, or http to this machine. */
      readonly baseUrl: string;
    }
  | { readonly transport: Transport }
);

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export type LoyaltyClient = ReturnType<typeof createLoyaltyClient>;

/**
 * One function per operation of the contract, by its operationId. Each makes one attempt and answers
 * with a result. What throws is a programming error: settings that can never work, a missing id, a
 * body that is not JSON. The credentials live in closures only, where no logger can find them.
 */
export function createLoyaltyClient(settings: LoyaltyClientSettings) {
  const { credentials, timeoutMs = CALL_TIMEOUT_MS } = settings;
  const transport =
    'transport' in settings ? settings.transport : createTransport(settings.baseUrl);
  checkTimeout(timeoutMs);
  if (typeof credentials !== 'function') basicAuthorization(credentials);

  async function call<O extends OperationId>(
    operation: O,
    input: Input<O>,
    options: CallOptions = {},
  ): Promise<LoyaltyResult<Value<O>>> {
    const { method, path: template, namesCustomer } = operationTable[operation];
    const path = buildPath(template, input.path, input.query);
    if (path === undefined) {
      const message = `${operation} was not sent: the id in its path is blank.`;
      return transportFailure('blank-id', { mayHaveHappened: false, message });
    }
    const callTimeoutMs = checkTimeout(options.timeoutMs ?? timeoutMs);
    const secrets: string[] = [];
    // Looked for only when a text of the service's must be scrubbed: most calls have none.
    const hidden = () => [
      ...secrets,
      ...personalTexts([input.query, input.body, namesCustomer && { Customer: input.path }]),
    ];
    const authorize = async () => {
      const { token, key } = typeof credentials === 'function' ? await credentials() : credentials;
      const authorization = basicAuthorization({ token, key });
      secrets.push(token, key, authorization.replace('Basic ', ''));
      return authorization;
    };
    const answer = await transport.send({
      method,
      path,
      body: input.body === undefined ? undefined : JSON.stringify(input.body),
      authorize,
      timeoutMs: callTimeoutMs,
      signal: options.signal,
    });
    return answer.kind === 'fault'
      ? describeFault(answer, callTimeoutMs)
      : readAnswer(operation, answer, { input, hidden }, new Date());
  }

  return {
    updateProduct: (id: string, product: Body<'updateProduct'>, options?: CallOptions) =>
      call('updateProduct', { path: { id }, body: product }, options),
    calculateProductPoints: (products: Body<'calculateProductPoints'>, options?: CallOptions) =>
      call('calculateProductPoints', { body: products }, options),
    redeemReward: (id: number, redemption: Body<'redeemReward'>, options?: CallOptions) =>
      call('redeemReward', { path: { id }, body: redemption }, options),
    sendOrder: (order: Body<'sendOrder'>, options?: CallOptions) =>
      call('sendOrder', { body: order }, options),
    createCoupon: (coupon: Body<'createCoupon'>, options?: CallOptions) =>
      call('createCoupon', { body: coupon }, options),
    changeCashback: (customerId: string, change: Body<'changeCashback'>, options?: CallOptions) =>
      call('changeCashback', { path: { id: customerId }, body: change }, options),
    listTiers: (customer: Body<'listTiers'>, options?: CallOptions) =>
      call('listTiers', { body: customer }, options),
    updateRewardMetadata: (update: Body<'updateRewardMetadata'>, options?: CallOptions) =>
      call('updateRewardMetadata', { body: update }, options),
    getRewardConfiguration: (id: number, options?: CallOptions) =>
      call('getRewardConfiguration', { path: { id } }, options),
    listQuizzes: (query?: Query<'listQuizzes'>, options?: CallOptions) =>
      call('listQuizzes', { ...(query && { query }) }, options),
    getCustomer: (customerId: string, options?: CallOptions) =>
      call('getCustomer', { path: { id: customerId } }, options),
    deactivateCoupon: (code: string, options?: CallOptions) =>
      call('deactivateCoupon', { path: { code } }, options),
    cancelPosOrder: (
      orderId: string,
      cancellation: Body<'cancelPosOrder'>,
      options?: CallOptions,
    ) => call('cancelPosOrder', { path: { orderId }, body: cancellation }, options),
    listRewardConfigurations: (query?: Query<'listRewardConfigurations'>, options?: CallOptions) =>
      call('listRewardConfigurations', { ...(query && { query }) }, options),
    answerQuiz: (query: Query<'answerQuiz'>, answers: Body<'answerQuiz'>, options?: CallOptions) =>
      call('answerQuiz', { ...(query && { query }), body: answers }, options),
    cancelOrder: (orderId: string, cancellation: Body<'cancelOrder'>, options?: CallOptions) =>
      call('cancelOrder', { path: { orderId }, body: cancellation }, options),
  } satisfies Record<OperationId, unknown>;
}

/** Beyond 2^31 - 1, setTimeout fires at once. */
function checkTimeout(timeoutMs: number): number {
  if (timeoutMs > 0 && timeoutMs <= 2 ** 31 - 1) return timeoutMs;
  throw new RangeError('Loyalty time-out must be a positive number of milliseconds.');
}
