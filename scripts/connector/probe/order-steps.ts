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
}

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
  const first = await cancel('key-1', 30);
  const after = await settled(before);
  const total = await totalOf(world, 'parts');
  const repeated = await cancel('key-1', 30);
  const afterRepetition = await settled(after);
  const second = await cancel('key-2', 20);
  const afterSecond = await settled(afterRepetition);
  return {
    order,
    first,
    total,
    moved: { before, after },
    repeated,
    afterRepetition,
    second,
    afterSecond,
  };
}

export function concludeParts(seen: SeenParts): Conclusion {
  const { order, first, total, moved, repeated, afterRepetition, second, afterSecond } = seen;
  const answered = [
    `a part of 30: ${answerText(first)}; total read ${total ?? 'unknown'}; ${pointsText(moved)}`,
    `the same key again: ${answerText(repeated)}; points ${afterRepetition ?? 'unknown'}`,
    `a part of 20 with another key: ${answerText(second)}; points ${afterSecond ?? 'unknown'}`,
  ];
  if (verdictOf(order) !== 'accepted' || verdictOf(first) === 'unclear') {
    return { answered, means: UNCLEAR };
  }
  if (verdictOf(first) !== 'accepted') {
    return { answered, means: 'The service takes no partial cancel of a completed order.' };
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
  ];
  return { answered, means: sentences.join(' ') };
}

function readTotalText(total: number | undefined): string {
  if (total === undefined) return 'The total could not be read.';
  return total === TOTAL
    ? 'A read order shows the total last sent.'
    : `A read order shows the total less its parts (${total}).`;
}
