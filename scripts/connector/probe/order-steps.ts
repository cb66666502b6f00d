import type { LoyaltyAssumptions } from '../../../shared/config/connector-settings.ts';
import { answerText, type Result, readValue, UNCLEAR, verdictOf } from './answer.ts';
import { makeOrder, orderOf, type ProbeWorld, TOTAL } from './probe-world.ts';
import { assume, type Conclusion } from './step.ts';

export const LOWER = 80;

type Points = number | undefined;

/** What an order did to the balance. */
interface Movement {
  readonly before: Points;
  readonly after: Points;
}

const pointsText = ({ before, after }: Movement) =>
  `points ${before ?? 'unknown'}, then ${after ?? 'unknown'}`;

const hasMoved = ({ before, after }: Movement) =>
  before !== undefined && after !== undefined && before !== after;

const NO_POINTS =
  'No points came in time, so their change is not known: try again with a longer --wait, in a program that gives points at once.';

const totalOf = async ({ ask, id }: ProbeWorld, name: string) =>
  readValue(await ask((loyalty) => loyalty.getOrder(`${id}-${name}`)))?.OrderTotal;

export interface SeenResend {
  readonly first: Result;
  readonly given: Movement;
  readonly second: Result;
  readonly total: number | undefined;
  readonly changed: Movement;
}

export async function resend(world: ProbeWorld): Promise<SeenResend> {
  const before = await world.points();
  const first = await makeOrder(world, 'resent', { OrderTotal: TOTAL });
  const given = { before, after: await world.pointsOtherThan(before) };
  const lower = orderOf(world, 'resent', { OrderTotal: LOWER });
  const second = await world.ask((loyalty) => loyalty.sendOrder(lower));
  const total = await totalOf(world, 'resent');
  const after = hasMoved(given) ? await world.pointsOtherThan(given.after) : given.after;
  return { first, given, second, total, changed: { before: given.after, after } };
}

export function concludeResend(seen: SeenResend): Conclusion {
  const { first, given, second, total, changed } = seen;
  const answered = [
    `first: ${answerText(first)}; ${pointsText(given)}`,
    `with another total: ${answerText(second)}; total read ${total ?? 'unknown'}; ${pointsText(changed)}`,
  ];
  if (verdictOf(first) !== 'accepted') return { answered, means: UNCLEAR };
  if (total === TOTAL && second.kind !== 'transport-failure') {
    const means = 'An order that was sent cannot be changed by sending it again.';
    return { answered, means, settings: assume({ ordersAreReplaced: false }) };
  }
  if (total !== LOWER) return { answered, means: UNCLEAR };
  const replaced = 'An order sent again replaces the earlier one';
  const settings = assume({ ordersAreReplaced: true });
  if (!hasMoved(given)) return { answered, means: `${replaced}. ${NO_POINTS}`, settings };
  const means = hasMoved(changed)
    ? `${replaced}, and its points follow.`
    : `${replaced}, but its points stay: a lower total takes none back.`;
  return { answered, means, settings };
}

export interface SeenParts {
  readonly order: Result;
  readonly first: Result;
  readonly total: number | undefined;
  readonly moved: Movement;
  readonly repeated: Result;
  readonly afterRepetition: Points;
  readonly second: Result;
  readonly afterSecond: Points;
  readonly raised: Result;
  readonly afterRaise: Points;
}

const PARTS = [30, 20] as const;
/** Sent after both parts: 20 more than the total before them. */
const RAISED = TOTAL + 20;

export async function cancelParts(world: ProbeWorld): Promise<SeenParts> {
  const start = await world.points();
  const order = await makeOrder(world, 'parts', { OrderTotal: TOTAL });
  const before = await world.pointsOtherThan(start);
  const hasPoints = before !== start;
  const settled = (known: Points) => (hasPoints ? world.pointsOtherThan(known) : world.points());
  const cancel = (key: string, ValueToRefund: number) =>
    world.ask((loyalty) =>
      loyalty.partiallyCancelPosOrder(`${world.id}-parts`, {
        ValueToRefund,
        CancelKey: `${world.id}-${key}`,
      }),
    );
  const first = await cancel('key-1', PARTS[0]);
  const after = await settled(before);
  const total = await totalOf(world, 'parts');
  const repeated = await cancel('key-1', PARTS[0]);
  const afterRepetition = await settled(after);
  const second = await cancel('key-2', PARTS[1]);
  const afterSecond = await settled(afterRepetition);
  const higher = orderOf(world, 'parts', { OrderTotal: RAISED });
  const raised = await world.ask((loyalty) => loyalty.sendOrder(higher));
  const afterRaise = await settled(afterSecond);
  return {
    order,
    first,
    total,
    moved: { before, after },
    repeated,
    afterRepetition,
    second,
    afterSecond,
    raised,
    afterRaise,
  };
}

export function concludeParts(seen: SeenParts): Conclusion {
  const { order, first, total, moved, repeated, afterRepetition, second, afterSecond } = seen;
  const answered = [
    `a part of ${PARTS[0]}: ${answerText(first)}; total read ${total ?? 'unknown'}; ${pointsText(moved)}`,
    `the same key again: ${answerText(repeated)}; points ${afterRepetition ?? 'unknown'}`,
    `a part of ${PARTS[1]} with another key: ${answerText(second)}; points ${afterSecond ?? 'unknown'}`,
    `a total of ${RAISED} then: ${answerText(seen.raised)}; points ${seen.afterRaise ?? 'unknown'}`,
  ];
  if (verdictOf(order) !== 'accepted' || verdictOf(first) === 'unclear') {
    return { answered, means: UNCLEAR };
  }
  if (verdictOf(first) !== 'accepted') {
    const means = 'The service takes no partial cancel of a completed order.';
    return { answered, means, settings: assume({ refunds: 'resend' }) };
  }
  const sentences = [
    hasMoved(moved) ? 'A partial cancel takes points back.' : NO_POINTS,
    verdictOf(repeated) === 'accepted'
      ? afterRepetition === moved.after
        ? 'A used key is accepted and changes nothing.'
        : 'A USED KEY TAKES POINTS AGAIN: report it to the service before you use partial cancels.'
      : `A used key is refused (${answerText(repeated)}).`,
    verdictOf(second) === 'accepted'
      ? 'A second part is taken.'
      : `A second part is not taken (${answerText(second)}).`,
    readTotalText(total),
    ...(verdictOf(second) === 'accepted' ? [RAISES[raiseOf(seen)]] : []),
  ];
  return { answered, means: sentences.join(' '), settings: assume(partSettings(seen)) };
}

function partSettings(seen: SeenParts): LoyaltyAssumptions {
  const { total, moved, repeated } = seen;
  const raise = raiseOf(seen);
  return {
    ...(hasMoved(moved) && { refunds: 'partial-cancel' }),
    ...(total !== undefined && {
      readTotals: total === TOTAL ? 'as-sent' : 'less-partial-cancels',
    }),
    ...(raise !== 'unknown' && {
      raiseAfterPartialCancel: raise === 'less-the-parts' ? 'send-gross' : 'park',
    }),
    ...(repeated.kind === 'business-error' &&
      repeated.code !== undefined && { usedCancelKeyError: repeated.code }),
  };
}

function readTotalText(total: number | undefined): string {
  if (total === undefined) return 'The total could not be read.';
  return total === TOTAL
    ? 'A read order shows the total last sent.'
    : `A read order shows the total less its parts (${total}).`;
}

type Raise = 'less-the-parts' | 'otherwise' | 'unknown';

const RAISES: Readonly<Record<Raise, string>> = {
  'less-the-parts': 'A higher total sent then counts less the parts.',
  otherwise: 'A higher total sent then does not count as the total less the parts.',
  unknown: 'How a higher total counts then is not known.',
};

/** By the points that each unit of the first part took: the total rises by 20 units. */
function raiseOf({ moved: { before, after }, afterSecond, raised, afterRaise }: SeenParts): Raise {
  const verdict = verdictOf(raised);
  if (verdict === 'refused') return 'otherwise';
  const counts = [before, after, afterSecond, afterRaise];
  const [start = 0, left = 0, then = 0, now = 0] = counts;
  const perUnit = (start - left) / PARTS[0];
  if (verdict !== 'accepted' || counts.includes(undefined) || perUnit <= 0) return 'unknown';
  // Programs round to whole points.
  const isNet = Math.abs(now - then - (RAISED - TOTAL) * perUnit) <= 1;
  return isNet ? 'less-the-parts' : 'otherwise';
}
