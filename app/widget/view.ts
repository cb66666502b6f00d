import type { QuestionAnswer, Quiz, Redemption, Reward } from '../program/answers.ts';
import type { Model } from '../program/program.ts';
import type { Words } from '../program/words.ts';

/** What the shopper can do. */
export interface Actions {
  /** `value`: the chosen amount of cashback. */
  redeem(reward: Reward, value?: number): void;
  copy(redemption: Redemption, shown: HTMLElement): void;
  /** Resolves to why the answers were not accepted; undefined when they were. */
  answer(quiz: Quiz, answers: readonly QuestionAnswer[]): Promise<string | undefined>;
  reload(): void;
}

/** The input of a section's drawing. */
export interface View {
  readonly model: Readonly<Model>;
  readonly words: Words;
  readonly actions: Actions;
  readonly logInAddress: string;
  /** What earns the points shown. */
  readonly subject: 'product' | 'cart';
  /** What was typed into the fields for amounts, by reward: it outlives a redrawing. */
  readonly amounts: Map<number, string>;
  /** The page knows that the visitor is not logged in. */
  readonly isLoggedOut: boolean;
  /** What became of the last attempt to redeem, shown at the reward. */
  readonly result:
    | { readonly rewardId: number; readonly sentence: string; readonly part: 'error' | 'done' }
    | undefined;
  /** What was earned with a quiz on this page, by quiz. */
  readonly thanks: Map<number, string>;
}
