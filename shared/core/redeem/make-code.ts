import { correlationOf, type Telemetry } from '../batch/telemetry.ts';
import type { StoreUnavailable } from '../sync/store-reader.ts';
import type { OpenBook } from './open-book.ts';
import type { Redemption } from './redemption.ts';
import { findRedemption, withStep } from './redemption-book.ts';
import { isMaking, type Step } from './redemption-state.ts';
import type { RewardStore, WantedCode } from './reward-store.ts';

export interface CodeWorld {
  readonly store: RewardStore;
  readonly telemetry: Telemetry;
}

export type CodeEnd =
  /** The store has it, or no code is to be made any more. */
  | { readonly kind: 'settled'; readonly redemption: Redemption | undefined }
  /** The store refuses it; `why` is one plain sentence. */
  | { readonly kind: 'lost'; readonly redemption: Redemption; readonly why: string }
  | StoreUnavailable;

/** The service's code and a few of our own: if all are taken, something else is wrong. */
const MOST_CODES = 5;

/** Makes the code of a redeemed reward in the store, and records it. May be repeated at any moment. */
export async function makeCode(book: OpenBook, id: string, world: CodeWorld): Promise<CodeEnd> {
  const { shop, customerId } = book.customer;
  let redemption = findRedemption(await book.read(), id);
  for (let codes = 0; codes < MOST_CODES; codes += 1) {
    if (!redemption || !isMaking(redemption.state)) return { kind: 'settled', redemption };
    const { code } = redemption.state.code;
    const made = await world.store.makeCode(shop, wantedCode(redemption, customerId));
    switch (made.kind) {
      case 'made': {
        const settled = await applyStep(book, id, {
          kind: 'made',
          code,
          discountId: made.discountId,
        });
        return { kind: 'settled', redemption: settled };
      }
      case 'taken':
        redemption = await applyStep(book, id, { kind: 'taken', code });
        reportTaken(book, id, world);
        break;
      case 'refused': {
        const why = `the store does not take the code: ${made.code}`;
        const lost = await applyStep(book, id, { kind: 'store-refused', code, why });
        return lost?.state.at === 'lost'
          ? { kind: 'lost', redemption: lost, why }
          : { kind: 'settled', redemption: lost };
      }
      case 'unavailable':
        return made;
    }
  }
  return { kind: 'unavailable', why: 'codes-taken' };
}

function wantedCode({ id, terms, state }: Redemption, customerId: string): WantedCode {
  if (!isMaking(state)) throw new Error('a code is wanted for points that are not spent');
  const { minimum, combines, title, product } = terms;
  return {
    ...state.code,
    customerId,
    title: `${title} (${id})`,
    combines,
    ...(minimum !== undefined && { minimum }),
    ...(product && { productId: product.id }),
  };
}

/** The redemption after the step, also when another process made it. */
export async function applyStep(
  book: OpenBook,
  id: string,
  step: Step,
): Promise<Redemption | undefined> {
  return book.change((found, now) => {
    const next = withStep(found, id, step, now);
    const redemption = findRedemption(next ?? found, id);
    const why = 'why' in step ? { why: step.why } : {};
    return {
      book: next,
      value: redemption,
      ...(redemption && { line: { id, outcome: redemption.state.at, ...why } }),
    };
  });
}

/** The customer gets another code, which the loyalty service does not know. */
function reportTaken(
  { customer: { shop, customerId } }: OpenBook,
  id: string,
  world: CodeWorld,
): void {
  world.telemetry.count('notice', { why: 'reward-code-taken' });
  const labels = { kind: 'redemption', topic: 'redeem', deliveryId: `redeem/${id}` } as const;
  world.telemetry.log('warn', 'another discount of the store has the code of a reward', {
    ...correlationOf({ shop, id, ...labels }),
    customerId,
  });
}
