import { recallBalance } from '../balances/remembered-balance.ts';
import { correlationOf, errorFields } from '../batch/telemetry.ts';
import { readEntry } from '../ledger/ledger.ts';
import { applyStep, makeCode } from './make-code.ts';
import type { OpenBook } from './open-book.ts';
import { callRedeem, type RedeemCallEnd } from './redeem-call.ts';
import { answerOf, type RedeemAnswer, type RedeemWorld } from './redeem-world.ts';
import type { Redemption, RefusedWhy } from './redemption.ts';
import { findRedemption, withoutRedemption, withStep } from './redemption-book.ts';

/** From a recorded intent to its answer. */
export async function executeRedemption(
  intent: Redemption,
  book: OpenBook,
  world: RedeemWorld,
): Promise<RedeemAnswer> {
  const { customer } = book;
  const event = eventOf(intent, book);
  await world.queue.send(event);
  const begun = await begin(intent.id, book);
  if (!begun.isOurs) return answerOf(begun.redemption);
  const { redemption } = begun;
  const ended = await callRedeem(redemption, customer.customerId, world);
  try {
    return answerOf(await record(ended, redemption, book, world));
  } catch (error) {
    // The points may be spent: the record says `calling`, and the queue holds the redemption.
    world.telemetry.log('error', 'the end of a redemption was not recorded', {
      ...correlationOf(event),
      ...errorFields(error),
    });
    return answerOf(redemption);
  }
}

function eventOf({ id, intendedAt }: Redemption, { customer }: OpenBook) {
  const names = { kind: 'redemption', topic: 'redeem', deliveryId: `redeem/${id}` } as const;
  return { ...customer, ...names, id, receivedAt: intendedAt };
}

type Begun =
  | { readonly isOurs: true; readonly redemption: Redemption }
  | { readonly isOurs: false; readonly redemption: Redemption | undefined };

/** Of all processes that saw the intent, only one makes the call. */
async function begin(id: string, book: OpenBook): Promise<Begun> {
  return book.change<Begun>((found, now) => {
    const next = withStep(found, id, { kind: 'call' }, now);
    const redemption = findRedemption(next ?? found, id);
    if (!next || !redemption) return { value: { isOurs: false, redemption } };
    return { book: next, line: { id, outcome: 'calling' }, value: { isOurs: true, redemption } };
  });
}

/** The redemption after the call; undefined when it was forgotten. */
async function record(
  ended: RedeemCallEnd,
  redemption: Redemption,
  book: OpenBook,
  world: RedeemWorld,
): Promise<Redemption | undefined> {
  const { id } = redemption;
  switch (ended.kind) {
    case 'not-sent':
      return forget(id, book);
    case 'refused': {
      const why = await refusalReason(ended.why, redemption, book, world);
      return applyStep(book, id, { kind: 'refuse', why });
    }
    case 'unknown':
      world.telemetry.log('warn', 'it is not known whether a reward was redeemed', {
        ...correlationOf(eventOf(redemption, book)),
        customerId: book.customer.customerId,
        why: ended.why,
      });
      return applyStep(book, id, { kind: 'lose-sight', why: ended.why });
    case 'redeemed':
      await applyStep(book, id, { kind: 'answer', code: ended.code });
      return tryCode(redemption, book, world);
  }
}

async function forget(id: string, book: OpenBook): Promise<undefined> {
  return book.change((found) => {
    if (findRedemption(found, id)?.state.at !== 'calling') return { value: undefined };
    const next = withoutRedemption(found, id);
    return { book: next, line: { id, outcome: 'not-sent' }, value: undefined };
  });
}

/** Once, while the customer waits; where it fails, the worker continues. */
async function tryCode(redemption: Redemption, book: OpenBook, world: RedeemWorld) {
  const { id } = redemption;
  try {
    const made = await makeCode(book, id, world);
    if (made.kind !== 'unavailable') return made.redemption;
  } catch (error) {
    world.telemetry.log('warn', 'a code was not made at once', {
      ...correlationOf(eventOf(redemption, book)),
      ...errorFields(error),
    });
  }
  return findRedemption(await book.read(), id);
}

/**
 * The service has one number for all reasons why a reward is not allowed; the balance may say more.
 * While it is not known, too few points are one possible reason.
 */
async function refusalReason(
  why: RefusedWhy,
  { terms }: Redemption,
  { customer: { shop, customerId } }: OpenBook,
  { ledger }: RedeemWorld,
): Promise<RefusedWhy> {
  const key = { shop, kind: 'customer', id: customerId } as const;
  const entry = await readEntry(ledger, key);
  const points = recallBalance(entry?.remembered)?.points;
  if (points === undefined) return why === 'too-few-points' ? why : 'refused';
  return Number(points) < terms.points ? 'too-few-points' : why;
}
