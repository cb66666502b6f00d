import type { Value } from '../../../shared/loyalty/operations.ts';
import type { LoyaltyResult } from '../../../shared/loyalty/result.ts';
import { answerText, type Result, readValue, UNCLEAR, verdictOf } from './answer.ts';
import { makeOrder, type ProbeWorld } from './probe-world.ts';
import type { Conclusion } from './step.ts';

/** Enough for a reward in a program that gives a point or more per unit. */
export const FIRST_TOTAL = 1000;

export interface SeenEnrolment {
  readonly order: Result;
  readonly isEnrolled: boolean | undefined;
}

export async function enrol(world: ProbeWorld): Promise<SeenEnrolment> {
  const { customer, undos, ask } = world;
  undos.push({
    what: `customer ${customer.OriginalId} (stays, set inactive)`,
    byHand: 'Set the customer inactive in the panel of the service.',
    absentCodes: [59],
    undoneCodes: [],
    run: (loyalty) =>
      loyalty.changeCustomerStatus(customer.OriginalId, { IsEnabled: false, Reason: 'probe' }),
  });
  const order = await makeOrder(world, 'first', { OrderTotal: FIRST_TOTAL });
  const read = readValue(await ask((loyalty) => loyalty.getCustomer(customer.OriginalId)));
  const isEnrolled = read?.IsEnrolled;
  if (isEnrolled !== true) {
    // The later steps need a customer who earns points, and an order sent before gives none.
    await ask((loyalty) => loyalty.upsertCustomer({ ...customer, IsEnrolled: true }));
    await makeOrder(world, 'second', { OrderTotal: FIRST_TOTAL });
  }
  // Points that come later would be taken for those of the next step.
  await world.pointsOtherThan(0);
  return { order, isEnrolled };
}

export function concludeEnrolment({ order, isEnrolled }: SeenEnrolment): Conclusion {
  const answered = [`order: ${answerText(order)}; IsEnrolled read ${isEnrolled ?? 'unknown'}`];
  if (verdictOf(order) !== 'accepted') {
    const means = `The service does not take a completed order of a new customer: the other steps say little.`;
    return { answered, means };
  }
  if (isEnrolled === undefined) return { answered, means: UNCLEAR };
  return isEnrolled
    ? {
        answered,
        means: 'A customer without IsEnrolled takes part.',
        settings: { rules: { enrolment: 'unstated' } },
      }
    : {
        answered,
        means:
          "A customer without IsEnrolled takes no part: 'everyone' if all of them agreed, else a function of yours.",
        settings: { rules: { enrolment: 'everyone' } },
      };
}

type History = LoyaltyResult<Value<'listPointsHistory'>>;

export const readHistory = ({ ask, customer }: ProbeWorld): Promise<History> =>
  ask((loyalty) => loyalty.listPointsHistory(customer.OriginalId, { PageSize: 50 }));

export function concludeHistory(read: History): Conclusion {
  const items = readValue(read)?.Items ?? [];
  const answered = [
    answerText(read),
    ...items.map(
      ({ PointType, Points, IsCanceled }) =>
        `PointType ${PointType ?? 'absent'}: ${Points ?? 'no'} points${IsCanceled ? ', cancelled' : ''}`,
    ),
  ];
  const means =
    items.length === 0
      ? UNCLEAR
      : 'For information: the connector relies on no value of PointType.';
  return { answered, means };
}

export interface SeenCoupon {
  readonly created: Result;
  readonly changed: Result;
  readonly value: number | undefined;
}

export async function sendCoupon({ ask, id, undos, dates }: ProbeWorld): Promise<SeenCoupon> {
  undos.push({
    what: `coupon ${id}`,
    byHand: 'Set it inactive in the panel of the service.',
    absentCodes: [57],
    undoneCodes: [],
    run: (loyalty) => loyalty.deactivateCoupon(id),
  });
  const send = (CouponValue: number) =>
    ask((loyalty) =>
      loyalty.createCoupon({
        OriginalId: `${id}-coupon`,
        CouponCode: id,
        CreatedDate: dates.now,
        CouponType: 0,
        IsUsed: false,
        CouponValue,
        ValidDateStart: dates.now,
        ValidDateEnd: new Date(Date.parse(dates.now) + 86_400_000).toISOString(),
      }),
    );
  const created = await send(1);
  const changed = await send(2);
  const value = readValue(await ask((loyalty) => loyalty.getCoupon(id)))?.Items?.[0]?.CouponValue;
  return { created, changed, value };
}

export function concludeCoupon({ created, changed, value }: SeenCoupon): Conclusion {
  const answered = [
    `without a customer: ${answerText(created)}`,
    `sent again with the value 2: ${answerText(changed)}; value read ${value ?? 'unknown'}`,
  ];
  switch (verdictOf(created)) {
    case 'refused':
      return {
        answered,
        means: 'A coupon must have a customer: codes for everyone cannot be sent.',
        settings: { rules: { couponForEveryone: 'skip' } },
      };
    case 'accepted': {
      const isChanged = verdictOf(changed) === 'accepted' && value === 2;
      const isKnown = verdictOf(changed) === 'refused' || value !== undefined;
      return {
        answered,
        means: `A coupon needs no customer. ${isChanged ? 'Sent again, it replaces the earlier one.' : isKnown ? 'Sent again, it does not replace the earlier one.' : UNCLEAR}`,
        settings: {
          rules: { couponForEveryone: 'send' },
          ...(isKnown && { loyalty: { assumptions: { couponsAreReplaced: isChanged } } }),
        },
      };
    }
    default:
      return { answered, means: UNCLEAR };
  }
}

export const askWrongly = ({ askAsStranger }: ProbeWorld): Promise<Result> =>
  askAsStranger((loyalty) => loyalty.listRewardConfigurations({ PageSize: 1 }));

export function concludeCredentials(result: Result): Conclusion {
  const answered = [answerText(result)];
  if (verdictOf(result) === 'accepted') {
    return { answered, means: 'THE SERVICE ANSWERS WRONG CREDENTIALS: this is no real account.' };
  }
  const isRecognised =
    (result.kind === 'business-error' || result.kind === 'transport-failure') &&
    result.class === 'misconfigured';
  return {
    answered,
    means: isRecognised
      ? 'The connector recognises this: it rings "misconfigured" and waits.'
      : 'The connector does not recognise this as wrong credentials: it would retry or park. Please report it.',
  };
}
