import { answerText, hasCode, type Result, UNCLEAR, verdictOf } from './answer.ts';
import {
  cancellation,
  makeOrder,
  orderOf,
  type ProbeWorld,
  returnOf,
  TOTAL,
} from './probe-world.ts';
import { assume, type Conclusion } from './step.ts';

export interface SeenCancel {
  readonly order: Result;
  readonly cancelled: Result;
  readonly again: Result;
  readonly fallback: Result | undefined;
}

export async function cancelCompleted(world: ProbeWorld): Promise<SeenCancel> {
  const order = await makeOrder(world, 'cancelled', { OrderTotal: TOTAL });
  const cancel = () =>
    world.ask((loyalty) => loyalty.cancelPosOrder(`${world.id}-cancelled`, cancellation(world)));
  const cancelled = await cancel();
  const again = await cancel();
  const returned = returnOf(world, orderOf(world, 'cancelled', { OrderTotal: TOTAL }));
  const fallback = hasCode(cancelled, 13)
    ? await world.ask((loyalty) => loyalty.sendOrder(returned))
    : undefined;
  return { order, cancelled, again, fallback };
}

export function concludeCancel({ order, cancelled, again, fallback }: SeenCancel): Conclusion {
  const answered = [
    `cancel of a completed order: ${answerText(cancelled)}`,
    `the same again: ${answerText(again)}`,
    ...(fallback ? [`sent again as cancelled: ${answerText(fallback)}`] : []),
  ];
  if (verdictOf(order) !== 'accepted') return { answered, means: UNCLEAR };
  if (fallback) {
    const taken = verdictOf(fallback);
    if (taken === 'unclear') return { answered, means: UNCLEAR };
    return {
      answered,
      means:
        taken === 'accepted'
          ? 'A completed order cannot be cancelled (error 13), but can be sent again as cancelled.'
          : 'A completed order can neither be cancelled (error 13) nor sent again as cancelled: a person cancels it in the panel.',
      settings: assume({ completedOrdersTakeTheCancelledMark: taken === 'accepted' }),
    };
  }
  switch (verdictOf(cancelled)) {
    case 'accepted':
      return {
        answered,
        means: `A completed order can be cancelled; cancelling it twice ${verdictOf(again) === 'accepted' ? 'is accepted' : 'is refused'}.`,
        ...((hasCode(again, 33) || verdictOf(again) === 'accepted') && {
          settings: assume({ cancellingTwice: 'done' }),
        }),
      };
    case 'not-yet':
      return {
        answered,
        means:
          'A cancel is taken and shows later, up to 24 hours. The connector asks again until then.',
      };
    case 'refused':
      return {
        answered,
        means: 'A completed order cannot be cancelled, for another reason than error 13.',
      };
    case 'unclear':
      return { answered, means: UNCLEAR };
  }
}

export async function sendBothFlags(world: ProbeWorld): Promise<Result> {
  return makeOrder(world, 'both-flags', {
    OrderTotal: TOTAL,
    IsCancelledOrReturned: true,
    OrderCancelledDate: world.dates.now,
  });
}

export function concludeBothFlags(sent: Result): Conclusion {
  const answered = [answerText(sent)];
  if (verdictOf(sent) === 'unclear') return { answered, means: UNCLEAR };
  if (hasCode(sent, 13)) {
    return {
      answered,
      means: 'Error 13 comes for both flags in one order.',
    };
  }
  return {
    answered,
    means: 'Both flags in one order cause no error 13.',
  };
}
