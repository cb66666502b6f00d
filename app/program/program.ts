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
import { type Answer, type Ask, clientKeyFor, type Failure, forgetClientKey } from './ask.ts';

type Section = 'balance' | 'earned' | 'rewards' | 'codes' | 'quizzes';

/** Undefined: not answered yet, or not requested. */
type Asked<T> = Answer<T> | undefined;

/** Everything that the widget shows. */
export interface Model {
  me: Asked<Me>;
  earned: Asked<Earned>;
  rewards: Asked<Rewards>;
  redemptions: Asked<Redemptions>;
  quizzes: Asked<Quizzes>;
  /** The reward that is being redeemed. */
  redeeming: number | undefined;
}

/** The answer; undefined before it came, and for a failure. */
export function answered<T>(asked: Asked<T>): T | undefined {
  return asked?.kind === 'ok' ? asked.value : undefined;
}

export interface Wanted {
  readonly shows: (section: Section) => boolean;
  /** `id:price:quantity,…`; undefined: the page is about no product. */
  readonly items: string | undefined;
  /** The same for the cart; undefined where it is empty. */
  readonly cart: string | undefined;
  readonly currency: string | undefined;
  /** The page knows that the visitor is not logged in. */
  readonly isLoggedOut: boolean;
}

export interface ProgramParts {
  readonly ask: Ask;
  /** The current attributes: they may change. */
  readonly wanted: () => Wanted;
  readonly changed: (...sections: readonly Section[]) => void;
  /** It was open or not known at the last look, and is decided now. */
  readonly settled: (redemption: Redemption) => void;
  /** Runs it after so many seconds; returns a function that cancels it. */
  readonly later: (run: () => void, seconds: number) => () => void;
}

export type Redeemed =
  | Answer<Redemption>
  /** Another redemption is running: a second press does nothing. */
  | { readonly kind: 'busy' };

/** When to look again after a redemption: the balance changes some seconds later. */
const LOOK_AGAIN_SECONDS = [2, 4, 8, 15, 30, 60];

/** Failures after which the request may have been carried out. */
const UNCERTAIN: readonly string[] = ['network', 'unreadable', 'unavailable'];

export const isUncertain = ({ code }: Failure): boolean => UNCERTAIN.includes(code);

const isOpen = ({ state }: Redemption): boolean => state === 'making' || state === 'pending';

const isCompleted = (id: number, quizzes: Model['quizzes']): boolean =>
  answered(quizzes)?.quizzes.find((quiz) => quiz.id === id)?.completed === true;

const NOT_LOGGED_IN: Failure = { kind: 'failed', code: 'not-logged-in', afterSeconds: undefined };

/** A failed reload keeps what is shown, unless it says that the shopper is no longer logged in. */
function newer<T>(
  before: Answer<T> | undefined,
  now: Answer<T> | undefined,
): Answer<T> | undefined {
  return before?.kind === 'ok' && now?.kind === 'failed' && now.code !== NOT_LOGGED_IN.code
    ? before
    : now;
}

/** State and behaviour of the widget, without its appearance. */
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
  /** The balance before a redemption, until a different one is seen. */
  #pointsBefore: number | null | undefined;
  #redeemed = 0;
  #looks = 0;
  #cancelLook = () => {};

  constructor(parts: ProgramParts) {
    this.#parts = parts;
  }

  async load(): Promise<void> {
    await Promise.all([this.loadBalance(), this.loadEarned(), this.#loadQuizzes()]);
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
    // The shopper has chosen another variant, whose answer is still to come.
    if (wanted().items !== items) return;
    this.model.earned = earned;
    changed('earned');
  }

  /** Redeems the reward once, even if the button is pressed several times. */
  async redeem(rewardId: number, value?: number): Promise<Redeemed> {
    const { model } = this;
    const { cart } = this.#parts.wanted();
    if (model.redeeming !== undefined) return { kind: 'busy' };
    model.redeeming = rewardId;
    this.#parts.changed('rewards');
    const clientKey = clientKeyFor(rewardId);
    const answer = await this.#parts.ask<{ redemption: Redemption }>('redeem', {
      rewardId,
      clientKey,
      ...(value !== undefined && { value }),
      ...(cart && { items: cart }),
    });
    model.redeeming = undefined;
    if (answer.kind === 'failed') {
      this.#parts.changed('rewards');
      // The request may have been carried out: the list of redemptions will show it.
      if (isUncertain(answer)) this.expectChange();
      else forgetClientKey(rewardId);
      return answer;
    }
    forgetClientKey(rewardId);
    this.#redeemed += 1;
    const { redemption } = answer.value;
    const others = answered(model.redemptions)?.redemptions ?? [];
    const rest = others.filter(({ id }) => id !== redemption.id);
    model.redemptions = { kind: 'ok', value: { redemptions: [redemption, ...rest] } };
    this.#parts.changed('rewards', 'codes');
    this.expectChange();
    return { kind: 'ok', value: redemption };
  }

  /** Points were or may have been spent: reloads until the balance changes, for at most two minutes. */
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
    // Redrawing an open quiz would lose what the shopper typed.
    if (answer.value.accepted || isCompleted(id, quizzes)) {
      this.model.quizzes = newer(this.model.quizzes, quizzes);
      changed('quizzes');
      this.expectChange();
    }
    return answer;
  }

  /** Completed by this request or by an earlier one whose answer was lost. */
  hasCompleted({ id }: Quiz): boolean {
    return isCompleted(id, this.model.quizzes);
  }

  /** With the rewards and the codes, which change with it. */
  async loadBalance(): Promise<void> {
    const { model } = this;
    const { ask, wanted, changed } = this.#parts;
    const { shows, isLoggedOut, cart } = wanted();
    // Without a login, the rewards are the same for every cart.
    const query = cart && !isLoggedOut ? `?${new URLSearchParams({ items: cart })}` : '';
    const redeemed = this.#redeemed;
    const [me, rewards, redemptions] = await Promise.all([
      isLoggedOut ? NOT_LOGGED_IN : shows('balance') ? ask<Me>('me') : undefined,
      shows('rewards') ? ask<Rewards>(`rewards${query}`) : undefined,
      shows('codes') && !isLoggedOut ? ask<Redemptions>('redemptions') : undefined,
    ]);
    model.me = newer(model.me, me);
    model.rewards = newer(model.rewards, rewards);
    const before = model.redemptions;
    // A list from before a redemption would hide its code again.
    if (redeemed === this.#redeemed) model.redemptions = newer(before, redemptions);
    changed('balance', 'rewards', 'codes');
    this.#announceSettled(answered(before)?.redemptions);
  }

  #announceSettled(before: readonly Redemption[] | undefined): void {
    for (const redemption of answered(this.model.redemptions)?.redemptions ?? []) {
      const wasSettled = before?.some((one) => one.id === redemption.id && !isOpen(one));
      if (isOpen(redemption) || redemption.state === 'used' || !before || wasSettled) continue;
      forgetClientKey(redemption.rewardId);
      this.#parts.settled(redemption);
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
    if (seconds === undefined || !this.#isChangeExpected()) return;
    this.#looks += 1;
    this.#cancelLook = this.#parts.later(async () => {
      await this.loadBalance();
      this.#lookAgain();
    }, seconds);
  }

  /** The answer with the rewards has the points too, for widgets without the balance. */
  #points(): number | null | undefined {
    const { me, rewards } = this.model;
    return (answered(me) ?? answered(rewards))?.points;
  }

  #isChangeExpected(): boolean {
    const redemptions = answered(this.model.redemptions)?.redemptions ?? [];
    if (this.#pointsBefore !== undefined && this.#points() !== this.#pointsBefore) {
      this.#pointsBefore = undefined;
    }
    return this.#pointsBefore !== undefined || redemptions.some(isOpen);
  }
}
