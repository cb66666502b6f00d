import type { QuestionAnswer, Quiz, Redemption, Reward } from './answers.ts';
import type { Model } from './model.ts';
import type { Words } from './words.ts';

/** What the shopper can do. */
export interface Actions {
  redeem(reward: Reward): void;
  copy(redemption: Redemption, shown: HTMLElement): void;
  /** Resolves to why the answers were not accepted; undefined when they were. */
  answer(quiz: Quiz, answers: readonly QuestionAnswer[]): Promise<string | undefined>;
  reload(): void;
}

/** What a section is drawn from. */
export interface View {
  readonly model: Readonly<Model>;
  readonly words: Words;
  readonly actions: Actions;
  readonly logInAddress: string;
  /** Points are for this. */
  readonly subject: 'product' | 'cart';
  /** Why the last try to redeem failed. */
  readonly refusal: { readonly rewardId: number; readonly sentence: string } | undefined;
}
