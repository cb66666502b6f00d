import { correlationOf, errorFields } from '../batch/telemetry.ts';
import { makeCode } from './make-code.ts';
import type { OpenBook } from './open-book.ts';
import { attemptRedeem } from './redeem-call.ts';
import { answerOf, type RedeemAnswer, type RedeemWorld } from './redeem-world.ts';
import type { Redemption } from './redemption.ts';
import { findRedemption, withoutRedemption } from './redemption-book.ts';

/** From a recorded intent to its answer. Where the customer cannot wait, the worker continues. */
export async function executeRedemption(
  intent: Redemption,
  book: OpenBook,
  world: RedeemWorld,
): Promise<RedeemAnswer> {
  const { id, intendedAt } = intent;
  const { customer } = book;
  // The same click may be intended again after its first intent was forgotten.
  const deliveryId = `redeem/${id}/${intendedAt}`;
  const names = { kind: 'redemption', topic: 'redeem', deliveryId } as const;
  const event = { ...customer, ...names, id, receivedAt: intendedAt };
  await world.queue.send(event);
  const attempted = await attemptRedeem(book, id, 'shopper', world);
  switch (attempted.kind) {
    case 'known':
      return answerOf(await tryCode(attempted.redemption, book, world));
    case 'not-sent':
      return answerOf(await forget(id, attempted.attempt, book));
    case 'unanswered':
      world.telemetry.log('warn', 'no answer says whether a reward was redeemed', {
        ...correlationOf(event),
        customerId: customer.customerId,
        why: attempted.retry.why,
      });
      return answerOf(attempted.redemption);
  }
}

/** The click can be tried again at once. */
async function forget(id: string, attempt: number, book: OpenBook): Promise<undefined> {
  return book.change((found) => {
    const state = findRedemption(found, id)?.state;
    const isOurs = state?.at === 'calling' && state.attempts === attempt && attempt === 1;
    if (!isOurs) return { value: undefined };
    const next = withoutRedemption(found, id);
    return { book: next, line: { id, outcome: 'not-sent' }, value: undefined };
  });
}

/** Once, while the customer waits. */
async function tryCode(
  redemption: Redemption | undefined,
  book: OpenBook,
  world: RedeemWorld,
): Promise<Redemption | undefined> {
  if (redemption?.state.at !== 'redeemed' || redemption.state.refusal) return redemption;
  try {
    const { retentionDays } = world.settings;
    const made = await makeCode(book, redemption, { ...world, retentionDays });
    return made.kind === 'settled' ? made.redemption : redemption;
  } catch (error) {
    const { shop, customerId } = book.customer;
    const fields = { shop, customerId, redemption: redemption.id, ...errorFields(error) };
    world.telemetry.log('warn', 'a code was not made at once', fields);
    return redemption;
  }
}
