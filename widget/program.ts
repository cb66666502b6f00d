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

type Section = 'balance' | 'earned' | 'rewards' | 'codes' | 'quizzes';

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
  /** A code came that was not there, or not ready, when it was last looked at. */
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

const isCompleted = (id: number, quizzes: Model['quizzes']): boolean =>
  answered(quizzes)?.quizzes.find((quiz) => quiz.id === id)?.completed === true;

const nobody: Failure = { kind: 'failed', code: 'not-logged-in', afterSeconds: undefined };

/** A look that failed takes nothing away, unless it shows that nobody is logged in any more. */
function newer<T>(
  before: Answer<T> | undefined,
  now: Answer<T> | undefined,
): Answer<T> | undefined {
  return before?.kind === 'ok' && now?.kind === 'failed' && now.code !== nobody.code ? before : now;
}

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
  #redeemed = 0;
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
      this.#parts.changed('rewards');
      // It may have been carried out, or still be: what became of it shows in the list of redemptions.
      if (isUncertain(answer)) this.expectChange();
      else settle(wish);
      return answer;
    }
    settle(wish);
    this.#redeemed += 1;
    const { redemption } = answer.value;
    const others = answered(model.redemptions)?.redemptions ?? [];
    const rest = others.filter(({ id }) => id !== redemption.id);
    model.redemptions = { kind: 'ok', value: { redemptions: [redemption, ...rest] } };
    this.#parts.changed('rewards', 'codes');
    this.expectChange();
    return { kind: 'ok', value: redemption };
  }

  /** Points were spent, or may have been: looks until the balance tells, or for some minutes. */
  expectChange(): void {
    this.#pointsBefore = this.#points();
    this.#looks = 0;
    this.#lookAgain();
  }

  async answer({ id }: Quiz, answers: readonly QuestionAnswer[]): Promise<Answer<QuizResult>> {
    const { ask, changed } = this.#parts;
    const answer = await ask<QuizResult>('answer', { quizId: id, answers });
    if (answer.kind === 'failed') return answer;
    const quizzes = await ask<Quizzes>('quizzes');
    // Drawn anew, a quiz that is still open would lose what was typed.
    if (answer.value.accepted || isCompleted(id, quizzes)) {
      this.model.quizzes = newer(this.model.quizzes, quizzes);
      changed('quizzes');
      this.expectChange();
    }
    return answer;
  }

  /** Answered with success, this time or by an earlier try whose answer was lost. */
  hasCompleted({ id }: Quiz): boolean {
    return isCompleted(id, this.model.quizzes);
  }

  async #loadBalance(): Promise<void> {
    const { model } = this;
    const { ask, wanted, changed } = this.#parts;
    const { shows, isLoggedOut } = wanted();
    const redeemed = this.#redeemed;
    const [me, rewards, redemptions] = await Promise.all([
      isLoggedOut ? nobody : shows('balance') ? ask<Me>('me') : undefined,
      shows('rewards') ? ask<Rewards>('rewards') : undefined,
      shows('codes') && !isLoggedOut ? ask<Redemptions>('redemptions') : undefined,
    ]);
    model.me = newer(model.me, me);
    model.rewards = newer(model.rewards, rewards);
    const before = model.redemptions;
    // A list from before a redemption would hide its code again.
    if (redeemed === this.#redeemed) model.redemptions = newer(before, redemptions);
    changed('balance', 'rewards', 'codes');
    this.#tellNews(answered(before)?.redemptions);
  }

  #tellNews(before: readonly Redemption[] | undefined): void {
    for (const redemption of answered(this.model.redemptions)?.redemptions ?? []) {
      const wasReady = before?.some((one) => one.id === redemption.id && !isOpen(one));
      if (redemption.state !== 'ready' || !before || wasReady) continue;
      settle(String(redemption.rewardId));
      this.#parts.arrived(redemption);
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

  /** Told with the rewards, too, where the balance is not shown. */
  #points(): number | null | undefined {
    const { me, rewards } = this.model;
    return (answered(me) ?? answered(rewards))?.points;
  }

  #isSomethingOnItsWay(): boolean {
    const redemptions = answered(this.model.redemptions)?.redemptions ?? [];
    if (this.#pointsBefore !== undefined && this.#points() !== this.#pointsBefore) {
      this.#pointsBefore = undefined;
    }
    return this.#pointsBefore !== undefined || redemptions.some(isOpen);
  }
}
