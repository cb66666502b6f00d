import type { LoyaltyClient } from '../../loyalty/client.ts';
import { type AskingWorld, askLoyalty } from '../storefront/ask-loyalty.ts';
import type { OpenBook } from './open-book.ts';
import type { ProgramIdOf } from './program-customer.ts';
import { secondsUntilFewer } from './redemption-book.ts';

/**
 * How a customer shows a till that they are present: the service sends them a PIN, and they say it.
 *
 *   start ──▶ the service sends a PIN ──▶ answer ──▶ right: the reward is redeemed
 *                                           ▲ └────▶ wrong: nothing is spent
 *                                           └──────────┘ until the tries of an hour are used up
 *
 * Whether the service refuses to redeem without it is not documented, so the connector refuses by itself.
 * Starts and tries are counted in the ledger, because several processes answer tills.
 */
export interface ChallengeWorld extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'startChallenge' | 'validateChallenge'>;
  readonly programIdOf: ProgramIdOf;
}

export type ChallengeRefusal = 'challenge-needed' | 'challenge-wrong';

interface TooMany {
  readonly kind: 'too-many';
  readonly afterSeconds: number;
}

export type StartedChallenge =
  | { readonly kind: 'started' }
  | { readonly kind: 'refused'; readonly why: 'not-a-member' | 'refused' }
  | TooMany
  | { readonly kind: 'unavailable' };

export type CheckedAnswer =
  | { readonly kind: 'passed' }
  | { readonly kind: 'refused'; readonly why: ChallengeRefusal }
  | TooMany
  | { readonly kind: 'unavailable' };

/** Of one customer in an hour. Each start sends them a message. */
const MOST_STARTS = 5;
/** Of one customer in an hour, without those that were right: a PIN of four digits stays unknown. */
export const MOST_TRIES = 5;

export async function startChallenge(
  book: OpenBook,
  world: ChallengeWorld,
): Promise<StartedChallenge> {
  const found = await world.programIdOf(book.customer.customerId);
  if (found.kind === 'not-a-member') return { kind: 'refused', why: 'not-a-member' };
  if (found.kind === 'unavailable') return { kind: 'unavailable' };
  const tooMany = await count('starts', MOST_STARTS, book);
  if (tooMany) return tooMany;
  const asked = await askLoyalty(
    'startChallenge',
    (options) => world.loyalty.startChallenge(found.id, options),
    world,
  );
  if (asked.kind === 'unavailable') return { kind: 'unavailable' };
  return asked.kind === 'answered' && asked.value.Success === true
    ? { kind: 'started' }
    : { kind: 'refused', why: 'refused' };
}

/** Counted before the service is asked: a process that dies in between has used up its try. */
export async function checkAnswer(
  programId: string,
  answer: string | undefined,
  book: OpenBook,
  world: ChallengeWorld,
): Promise<CheckedAnswer> {
  if (answer === undefined) return { kind: 'refused', why: 'challenge-needed' };
  const tooMany = await count('tries', MOST_TRIES, book);
  if (tooMany) return tooMany;
  const asked = await askLoyalty(
    'validateChallenge',
    (options) => world.loyalty.validateChallenge(programId, { Code: answer }, options),
    world,
  );
  if (asked.kind === 'unavailable') return { kind: 'unavailable' };
  if (asked.kind === 'refused' || asked.value.Success !== true) {
    return { kind: 'refused', why: 'challenge-wrong' };
  }
  await book.change(({ challenges, ...found }) => ({
    book: { ...found, challenges: { starts: challenges?.starts ?? [], tries: [] } },
    value: undefined,
  }));
  return { kind: 'passed' };
}

async function count(
  what: 'starts' | 'tries',
  most: number,
  book: OpenBook,
): Promise<TooMany | undefined> {
  return book.change<TooMany | undefined>((found, now) => {
    const before = found.challenges ?? { starts: [], tries: [] };
    const afterSeconds = secondsUntilFewer(before[what], most, now);
    if (afterSeconds !== undefined) return { value: { kind: 'too-many', afterSeconds } };
    const challenges = { ...before, [what]: [...before[what], now.getTime()] };
    return { book: { ...found, challenges }, value: undefined };
  });
}
