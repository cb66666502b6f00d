import { take } from './make-code.ts';
import { type BookWorld, openBook } from './open-book.ts';
import type { Redemption } from './redemption.ts';
import { type Customer, findRedemption } from './redemption-book.ts';
import type { RedemptionQueue } from './redemption-event.ts';
import { isMaking, type Step } from './redemption-state.ts';

export type OperatorWord = Extract<Step, { kind: 'operator-happened' | 'operator-did-not-happen' }>;

export type OperatorSettled =
  | { readonly kind: 'settled'; readonly redemption: Redemption }
  | { readonly kind: 'not-found' }
  /** It is settled already, or its call is still under way. */
  | { readonly kind: 'not-pending'; readonly redemption: Redemption };

/** What a person found out about a pending redemption. The worker makes the code. */
export async function settleRedemption(
  customer: Customer,
  id: string,
  word: OperatorWord,
  world: BookWorld & { readonly redemptions: RedemptionQueue },
): Promise<OperatorSettled> {
  const book = openBook(customer, world);
  const before = findRedemption(await book.read(), id);
  if (!before) return { kind: 'not-found' };
  const after = await take(book, id, word);
  if (!after) return { kind: 'not-found' };
  // Said again after a failure, it sends the message that may be missing.
  if (isMaking(after.state) && word.kind === 'operator-happened') {
    const receivedAt = world.now().toISOString();
    await world.redemptions.send({
      ...customer,
      kind: 'redemption',
      id,
      topic: 'operator',
      deliveryId: `operator/${id}/${receivedAt}`,
      receivedAt,
    });
    return { kind: 'settled', redemption: after };
  }
  const changed = before.state.at === 'unknown' && after.state.at !== 'unknown';
  return { kind: changed ? 'settled' : 'not-pending', redemption: after };
}
