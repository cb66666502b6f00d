import { decodeEvent } from '../../shared/core/events/decode-event.ts';
import type { PointEvent } from '../../shared/core/events/event.ts';
import { encodeEvent } from '../../shared/core/events/message-body.ts';
import { encodeCoupon } from '../../shared/core/store/store.ts';
import {
  redemptionsKey,
  rememberRedemptions,
} from '../../shared/rewards/redeem/redemption-record.ts';
import { orderAt, withId } from '../fixtures/order-life.ts';
import type { Person } from '../fixtures/persons.ts';
import { pointEvent } from '../fixtures/point-event.ts';
import { redemptionAt } from '../fixtures/redemption.ts';
import { storeCoupon } from '../fixtures/store-entities.ts';
import { type OperatedConnector, SHOP } from './operated-connector.ts';
import { letterEvent, letterReason, orderEvent, parkLetters } from './parked-letters.ts';
import { foundIn, readRawItems } from './raw-ledger.ts';

/** Somebody of whom the stack keeps something in every place that it has. */
export type KeptPerson = Awaited<ReturnType<typeof keepPerson>>;

/** Different for each number, and in no other text. */
export function personOf(number: number): Person {
  const three = String(number).padStart(3, '0');
  const name = `Zephyr${'abcdefghij'[number % 10]}${three}`;
  return {
    ...{ id: 0, first_name: name, last_name: `Quorn${three}`, street: `Marrow Lane ${three}` },
    email: `${name.toLowerCase()}@example.com`,
    phone: `+1555555${three}9`,
    document: `${three}.447.100-98`,
  };
}

let orders = 8_800_000;
const NOON = '2026-10-09T12:00:00.000Z';

/**
 * An order and their account in the ledger, redeemed rewards, a dead letter with a body, another that names them by
 * e-mail address alone, one about a code of theirs, and a message that waits because the service fails.
 */
export async function keepPerson(
  operated: OperatedConnector,
  person: Person,
  { waits = true } = {},
) {
  const { store, loyalty, ledger, sqs, outputs } = operated;
  const { first_name: firstName, last_name: lastName, email, phone, document } = person;
  const { id } = store.actions.createCustomer({ firstName, lastName, email, phone });
  const same = { ...person, id: Number(id) };
  const send = async (orderId = ++orders) => {
    const at = new Date().toISOString();
    const dates = { created_at: at, processed_at: at, updated_at: at };
    const changes = { ...withId(orderId), ...dates, currency: 'EUR' };
    const payload = orderAt(0, { fulfilledAfterDays: 2 }, changes, same);
    await operated.send(orderEvent(orderId, payload, at));
    await operated.work();
    return String(orderId);
  };
  await send();
  loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 30 });
  await send();
  loyalty.faults.clear();
  if (waits) {
    // For long enough to be found.
    const retryAfterSeconds = 300;
    loyalty.faults.add({ operation: 'sendOrder', kind: 'http-503', retryAfterSeconds, count: 1 });
    await send();
    loyalty.faults.clear();
  }
  const code = { code: `QUILL-${orders}`, kind: 'fixed', value: 5, startsAt: NOON } as const;
  const state = { at: 'ready', code, discountId: 'gid://1', redeemedRewardId: 7 } as const;
  const one = redemptionAt(state, { id: `Z${String(orders).padStart(11, '0')}` });
  const book = rememberRedemptions({ redemptions: [one], intents: [] });
  const entry = { version: Date.now(), uncertain: false, remembered: book, outcomes: [] };
  await ledger.write(redemptionsKey({ shop: SHOP, customerId: id }), entry, undefined);
  const named = pointEvent({
    Customer: { Id: null, Email: email, Name: `${firstName} ${lastName}` },
  });
  const event = {
    ...{ shop: SHOP, kind: 'point-event', id: `hash-${orders}`, topic: 'unnamed' },
    ...{ deliveryId: `points-${orders}`, receivedAt: new Date().toISOString() },
    body: new TextEncoder().encode(JSON.stringify(named)),
  } as const;
  const letters = [
    { event: encodeEvent(event as PointEvent), reason: letterReason({ at: event.receivedAt }) },
  ];
  await parkLetters(sqs, outputs.BalancesDeadLetterQueueUrl ?? '', letters, {
    ...{ ledger, family: 'balances' },
  });
  // The message of a code carries whose it is.
  const own = { id, name: `${firstName} ${lastName}`, email, phone, createdAt: undefined };
  const coupon = storeCoupon({
    ...{ code: `PLUME-${orders}`, audience: { kind: 'customers', customers: [own] } },
  });
  const ofCode = letterEvent({
    ...{ kind: 'coupon', id: coupon.code, topic: 'discounts/update', origin: 'fan-out' },
    body: encodeCoupon(coupon),
  });
  await parkLetters(
    sqs,
    outputs.CouponsDeadLetterQueueUrl ?? '',
    [{ event: ofCode, reason: letterReason({ at: event.receivedAt }) }],
    { ledger, family: 'coupons' },
  );
  return {
    ...{ id, email },
    texts: [firstName, lastName, email, phone, document],
  };
}

const textOf = (body: string) => {
  const decoded = decodeEvent(body);
  const event = decoded.kind === 'event' ? decoded.event : undefined;
  const carried = event && 'body' in event ? event.body : undefined;
  return `${body} ${carried ? Buffer.from(carried).toString('utf8') : ''}`;
};

/** Where each of these texts is found: in anything that the stack keeps. */
export async function placesOf(
  { aws, output, queues }: OperatedConnector,
  { texts }: Pick<KeptPerson, 'texts'>,
): Promise<Readonly<Record<'ledger' | 'deadLetters' | 'logs', readonly string[]>>> {
  return {
    ledger: foundIn(await readRawItems(aws.dynamoDb, 'ledger'), texts),
    deadLetters: foundIn(
      (await queues.deadLetters()).map(({ body }) => textOf(body)),
      texts,
    ),
    logs: foundIn(output.pieces, texts),
  };
}

export const NOWHERE = { ledger: [], deadLetters: [], logs: [] };
