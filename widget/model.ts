import type { Earned, Me, Quizzes, Redemptions, Rewards } from './answers.ts';
import type { Answer } from './ask.ts';

/** Undefined: not answered yet, or not asked for. */
type Asked<T> = Answer<T> | undefined;

/** All that is shown, as it stands. */
export interface Model {
  me: Asked<Me>;
  earned: Asked<Earned>;
  rewards: Asked<Rewards>;
  redemptions: Asked<Redemptions>;
  quizzes: Asked<Quizzes>;
  /** The reward that is being redeemed. */
  redeeming: number | undefined;
}

/** What was answered; undefined before that, and for a failure. */
export function answered<T>(asked: Asked<T>): T | undefined {
  return asked?.kind === 'ok' ? asked.value : undefined;
}
