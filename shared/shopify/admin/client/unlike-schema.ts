import { failure, unavailable } from './admin-answer.ts';

/**
 * The readers go by the types of the store's schema and do not look at every step of an answer again.
 * One that is not like its schema ends in a TypeError, and is told as what it is: not readable. It waits
 * and is asked for again; a walk goes on with the other entities.
 */
export async function unlessUnlikeSchema<T, Otherwise>(
  read: () => T | Promise<T>,
  otherwise: Otherwise,
): Promise<T | Otherwise> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TypeError) return otherwise;
    throw error;
  }
}

type Question = (...given: never[]) => Promise<unknown>;

/** The same questions; an answer unlike its schema is `unavailable`. */
export function guardQuestions<Q extends { readonly [Name in keyof Q]: Question }>(
  questions: Q,
): Q {
  const guarded = Object.entries<Question>(questions).map(([name, ask]) => [
    name,
    (...given: never[]) =>
      unlessUnlikeSchema(() => ask(...given), unavailable(failure('unreadable-answer'))),
  ]);
  return Object.fromEntries(guarded) as Q;
}
