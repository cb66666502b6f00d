import type { EventQueue } from '../events/queues.ts';
import { applyStep } from './make-code.ts';
import { type BookWorld, openBook } from './open-book.ts';
import type { Redemption } from './redemption.ts';
import { type Customer, findRedemption } from './redemption-book.ts';
import { advance, isMaking, type Step } from './redemption-state.ts';

export type OperatorWord = Extract<Step, { kind: 'operator-happened' | 'operator-did-not-happen' }>;

export type OperatorSettled =
  | { readonly kind: 'settled'; readonly redemption: Redemption }
  | { readonly kind: 'not-found' }
  /** It is settled already, or its call is still under way. */
  | { readonly kind: 'not-pending'; readonly redemption: Redemption };

/** What a person found out about a redemption that is pending or lost. The worker makes the code. */
export async function settleRedemption(
  customer: Customer,
  id: string,
  word: OperatorWord,
  world: BookWorld & { readonly queue: EventQueue },
): Promise<OperatorSettled> {
  const book = openBook(customer, world);
  const before = findRedemption(await book.read(), id);
  if (!before) return { kind: 'not-found' };
  if (!foresee(before, word, world.now())) return { kind: 'not-pending', redemption: before };
  const after = await applyStep(book, id, word);
  if (!after) return { kind: 'not-found' };
  if (!holds(after, word)) return { kind: 'not-pending', redemption: after };
  if (isMaking(after.state)) {
    const receivedAt = world.now().toISOString();
    await world.queue.send({
      ...customer,
      kind: 'redemption',
      id,
      topic: 'operator',
      deliveryId: `operator/${id}/${receivedAt}`,
      receivedAt,
    });
  }
  return { kind: 'settled', redemption: after };
}

/** The redemption after the operator's statement; undefined when its state does not allow that. */
export function foresee(redemption: Redemption, word: OperatorWord, now: Date) {
  // Repeated after a failure, it sends the message that may be missing.
  const isSaidAgain = isMaking(redemption.state) && holds(redemption, word);
  return advance(redemption, word, now) ?? (isSaidAgain ? redemption : undefined);
}

function holds({ state }: Redemption, word: OperatorWord): boolean {
  if (word.kind === 'operator-did-not-happen') {
    return state.at === 'refused' && state.why === 'did-not-happen';
  }
  return isMaking(state) && (word.code ?? state.code.code) === state.code.code;
}
