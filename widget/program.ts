import type {
  Earned,
  Me,
  QuestionAnswer,
  Quiz,
  QuizResult,
  Quizzes,
  Redemption,
  Redemptions,
  Rewards,
} from './answers.ts';
import type { Answer, Ask, Failure } from './ask.ts';
import { keyFor, settle } from './intents.ts';
import { answered, type Model } from './model.ts';

export type Section = 'balance' | 'earned' | 'rewards' | 'codes' | 'quizzes';

export interface Wanted {
  readonly shows: (section: Section) => boolean;
  /** `id:price:quantity,…`; undefined: the page is about no product. */
  readonly items: string | undefined;
  readonly currency: string | undefined;
  /** The page knows that nobody is logged in. */
  readonly isLoggedOut: boolean;
}

export interface ProgramParts {
  readonly ask: Ask;
  /** As it is now: attributes change. */
  readonly wanted: () => Wanted;
  readonly changed: (...sections: readonly Section[]) => void;
  /** A code came that was still on its way when it was last looked at. */
  readonly arrived: (redemption: Redemption) => void;
  /** Runs it after so many seconds; gives what prevents it. */
  readonly later: (run: () => void, seconds: number) => () => void;
}

export type Redeemed =
  | Answer<Redemption>
  /** One is on its way: a second press does nothing. */
  | { readonly kind: 'busy' };

/** When to look again while something is on its way: the balance follows a redemption by seconds. */
const LOOK_AGAIN_SECONDS = [2, 4, 8, 15, 30, 60];

/** Failures after which nobody knows whether the request was carried out. */
const UNCERTAIN: readonly string[] = ['network', 'unreadable', 'unavailable'];

export const isUncertain = ({ code }: Failure): boolean => UNCERTAIN.includes(code);

const isOpen = ({ state }: Redemption): boolean => state === 'making' || state === 'pending';

const nobody: Failure = { kind: 'failed', code: 'not-logged-in', afterSeconds: undefined };

/** What the widget knows and does, without anything that is seen of it. */
export class Program {
  readonly model: Model = {
    me: undefined,
    earned: undefined,
    rewards: undefined,
    redemptions: undefined,
    quizzes: undefined,
    redeeming: undefined,
  };
  readonly #parts: ProgramParts;
  /** The balance before a redemption, until another one is seen. */
  #pointsBefore: number | null | undefined;
  #looks = 0;
  #cancelLook = () => {};

  constructor(parts: ProgramParts) {
    this.#parts = parts;
  }

  async load(): Promise<void> {
    await Promise.all([this.#loadBalance(), this.loadEarned(), this.#loadQuizzes()]);
    this.#lookAgain();
  }

  stop(): void {
    this.#cancelLook();
  }

  async loadEarned(): Promise<void> {
    const { ask, wanted, changed } = this.#parts;
    const { shows, items, currency } = wanted();
    if (!shows('earned') || items === undefined) return;
    const query = new URLSearchParams({ items, ...(currency && { currency }) });
    const earned = await ask<Earned>(`points?${query}`);
    // Another variant was chosen meanwhile, and its answer is on its way.
    if (wanted().items !== items) return;
    this.model.earned = earned;
    changed('earned');
  }

  /** Points for the reward, once, however often it is pressed. */
  async redeem(rewardId: number): Promise<Redeemed> {
    const { model } = this;
    if (model.redeeming !== undefined) return { kind: 'busy' };
    model.redeeming = rewardId;
    this.#parts.changed('rewards');
    const wish = String(rewardId);
    const clientKey = keyFor(wish);
    const answer = await this.#parts.ask<{ redemption: Redemption }>('redeem', {
      rewardId,
      clientKey,
    });
    model.redeeming = undefined;
    if (answer.kind === 'failed') {
      if (!isUncertain(answer)) settle(wish);
      this.#parts.changed('rewards');
      return answer;
    }
    settle(wish);
    const { redemption } = answer.value;
    const others = answered(model.redemptions)?.redemptions ?? [];
    const rest = others.filter(({ id }) => id !== redemption.id);
    model.redemptions = { kind: 'ok', value: { redemptions: [redemption, ...rest] } };
    this.#parts.changed('rewards', 'codes');
    this.expectChange();
    return { kind: 'ok', value: redemption };
  }

  /** Points were spent: looks until the balance tells, or for some minutes. */
  expectChange(): void {
    this.#pointsBefore = answered(this.model.me)?.points;
    this.#looks = 0;
    this.#lookAgain();
  }

  async answer({ id }: Quiz, answers: readonly QuestionAnswer[]): Promise<Answer<QuizResult>> {
    const answer = await this.#parts.ask<QuizResult>('answer', { quizId: id, answers });
    if (answer.kind === 'ok' && answer.value.accepted) {
      await this.#loadQuizzes();
      this.expectChange();
    }
    return answer;
  }

  async #loadBalance(): Promise<void> {
    const { model } = this;
    const { ask, wanted, changed, arrived } = this.#parts;
    const { shows, isLoggedOut } = wanted();
    let before: readonly Redemption[] = [];
    const asking: Promise<void>[] = [];
    if (isLoggedOut) model.me = nobody;
    else if (shows('balance')) {
      asking.push(
        ask<Me>('me').then((me) => {
          model.me = me;
        }),
      );
    }
    if (shows('rewards')) {
      asking.push(
        ask<Rewards>('rewards').then((rewards) => {
          model.rewards = rewards;
        }),
      );
    }
    if (shows('codes') && !isLoggedOut) {
      asking.push(
        ask<Redemptions>('redemptions').then((redemptions) => {
          before = answered(model.redemptions)?.redemptions ?? [];
          model.redemptions = redemptions;
        }),
      );
    }
    await Promise.all(asking);
    changed('balance', 'rewards', 'codes');
    for (const redemption of answered(model.redemptions)?.redemptions ?? []) {
      const earlier = before.find(({ id }) => id === redemption.id);
      if (redemption.state === 'ready' && earlier && isOpen(earlier)) arrived(redemption);
    }
  }

  async #loadQuizzes(): Promise<void> {
    const { ask, wanted, changed } = this.#parts;
    const { shows, isLoggedOut } = wanted();
    if (!shows('quizzes') || isLoggedOut) return;
    this.model.quizzes = await ask<Quizzes>('quizzes');
    changed('quizzes');
  }

  #lookAgain(): void {
    this.#cancelLook();
    const seconds = LOOK_AGAIN_SECONDS[this.#looks];
    if (seconds === undefined || !this.#isSomethingOnItsWay()) return;
    this.#looks += 1;
    this.#cancelLook = this.#parts.later(async () => {
      await this.#loadBalance();
      this.#lookAgain();
    }, seconds);
  }

  #isSomethingOnItsWay(): boolean {
    const redemptions = answered(this.model.redemptions)?.redemptions ?? [];
    const points = answered(this.model.me)?.points;
    if (this.#pointsBefore !== undefined && points !== this.#pointsBefore) {
      this.#pointsBefore = undefined;
    }
    return this.#pointsBefore !== undefined || redemptions.some(isOpen);
  }
}
