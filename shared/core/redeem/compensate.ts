import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { Outcome } from '../batch/outcome.ts';
import { callLoyalty } from '../sync/call-loyalty.ts';
import type { CircuitBreaker } from '../sync/circuit-breaker.ts';
import { applyStep } from './make-code.ts';
import type { OpenBook } from './open-book.ts';
import type { Redemption } from './redemption.ts';

export interface CompensationWorld {
  readonly loyalty: Pick<LoyaltyClient, 'changeCashback'>;
  readonly breaker: CircuitBreaker;
  /** The operation that adds; undefined where nothing is to be compensated. */
  readonly cashbackAddIs: 0 | 1 | undefined;
  readonly now: () => Date;
  readonly deadline: AbortSignal;
}

/** ChangePoints_ChangeKeyAlreadyExists. */
const KEY_EXISTS = 66;

/** Only an amount has a known worth in cashback. */
export function canBeCompensated(
  { state }: Redemption,
  { cashbackAddIs }: Pick<CompensationWorld, 'cashbackAddIs'>,
): boolean {
  return cashbackAddIs !== undefined && 'code' in state && state.code.kind === 'fixed';
}

/**
 * Gives the worth of a lost code as cashback. Marked before the call, so that no code is made for it any
 * more; the redemption's id is the key of the change, so the service takes it once.
 */
export async function compensate(
  book: OpenBook,
  redemption: Redemption,
  world: CompensationWorld,
): Promise<Outcome> {
  const { id } = redemption;
  const { cashbackAddIs, loyalty, deadline } = world;
  if (cashbackAddIs === undefined) {
    const why = 'cashback was to be given for a lost code, and the settings no longer allow it';
    return { kind: 'rejected', reason: 'rejected', why };
  }
  const marked = await applyStep(book, id, { kind: 'compensate' });
  if (marked?.state.at !== 'compensating') return { kind: 'handled', how: 'redemption-settled' };
  const change = {
    Value: marked.state.code.value,
    OperationType: cashbackAddIs,
    Reason: `The code of redemption ${id} could not be made in the store.`,
    ChangeKey: id,
  };
  const called = await callLoyalty(
    'changeCashback',
    () => loyalty.changeCashback(book.customer.customerId, change, { signal: deadline }),
    world,
  );
  if (called.kind === 'stay-away') {
    return { kind: 'retry', why: 'loyalty-unavailable', afterSeconds: called.afterSeconds };
  }
  const { result, outcome } = called;
  const isKnown = result.kind === 'business-error' && result.code === KEY_EXISTS;
  if (outcome.kind !== 'applied' && !isKnown) return outcome;
  await applyStep(book, id, { kind: 'compensated' });
  return { kind: 'handled', how: 'redemption-compensated' };
}
