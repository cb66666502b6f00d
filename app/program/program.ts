import type { Earned, Redemption, View } from './answers.ts';
import { type Answer, type Ask, type ClientKeys, type Failure, pageKeys } from './ask.ts';

type Section = 'balance' | 'earned' | 'rewards' | 'codes' | 'referral';

/** Undefined until it is requested and answered. */
type Asked<T> = Answer<T> | undefined;

export interface Model {
  view: Asked<View>;
  earned: Asked<Earned>;
  /** The reward that is being redeemed. */
  redeeming: number | undefined;
  /** The points that were just earned, or spent: below 0. */
  change: number | undefined;
}

/** The answer; undefined before it came, and for a failure. */
export function answered<T>(asked: Asked<T>): T | undefined {
  return asked?.kind === 'ok' ? asked.value : undefined;
}

/**
 * The cart of a page that has none, or an empty one: rewards are offered for a purchase that is large enough. A
 * code has its conditions in the store.
 */
export const ANY_PURCHASE = '0:100000000:1';

export interface Wanted {
  readonly shows: (section: Section) => boolean;
  /** `id:price:quantity,…`; undefined when the page is about no product. */
  readonly items: string | undefined;
  /** The same for the cart; undefined where it is empty. */
  readonly cart: string | undefined;
  readonly currency: string | undefined;
  /** The page knows that the visitor is not logged in. */
  readonly isLoggedOut: boolean;
}

export interface ProgramParts {
  readonly ask: Ask;
  /** Absent: those of the page. */
  readonly keys?: ClientKeys;
  /** The current attributes: they may change. */
  readonly wanted: () => Wanted;
  readonly changed: (...sections: readonly Section[]) => void;
  /** It was open or not known at the last look, and is decided now. */
  readonly settled: (redemption: Redemption) => void;
  /** Runs it after so many seconds; returns a function that cancels it. Absent: by the page's clock. */
  readonly later?: (run: () => void, seconds: number) => () => void;
}

const onTime: NonNullable<ProgramParts['later']> = (run, seconds) => {
  const timer = setTimeout(run, seconds * 1000);
  return () => clearTimeout(timer);
};

export type Redeemed =
  | Answer<Redemption>
  /** Another redemption is running: a second press does nothing. */
  | { readonly kind: 'busy' };

/** When to look again: the balance may change some seconds after a redemption, a minute or two after a take back. */
const LOOK_AGAIN_SECONDS = [0, 2, 4, 8, 15, 30, 30, 60];

const CHANGE_SHOWN_SECONDS = 10;

/** Failures after which the request may have been carried out. */
export const isUncertain = ({ code }: Failure): boolean =>
  code === 'network' || code === 'unavailable';

const isOpen = ({ state }: Redemption): boolean =>
  state === 'making' || state === 'pending' || state === 'returning';

const isOver = ({ state }: Redemption): boolean => state === 'used' || state === 'expired';

const NOT_LOGGED_IN = 'not-logged-in';

/** A failed reload keeps what is shown, unless it says that the shopper is no longer logged in. */
function newer<T>(before: Asked<T>, now: Asked<T>): Asked<T> {
  return before?.kind === 'ok' && now?.kind === 'failed' && now.code !== NOT_LOGGED_IN
    ? before
    : now;
}

/**
 * A view is replaced as a whole, and never by one of an earlier moment: two answers may arrive in the other
 * order, and while the program cannot be reached, the answer is what was known before.
 */
function newerView(before: Model['view'], now: Model['view']): Model['view'] {
  const [shown, next] = [answered(before), answered(now)];
  const isOlder = shown?.loggedIn && next?.loggedIn && (next.asOf ?? '') < (shown.asOf ?? '');
  if (!shown || !next || !isOlder) return newer(before, now);
  // Of a program that cannot be reached, only the balance is older: the codes are those of now.
  const { redemptions } = next;
  return next.rewards === null ? { kind: 'ok', value: { ...shown, redemptions } } : before;
}

/** State and behaviour of the program on a page, without its appearance. */
export class Program {
  readonly model: Model = {
    view: undefined,
    earned: undefined,
    redeeming: undefined,
    change: undefined,
  };
  readonly #parts: ProgramParts;
  readonly #keys: ClientKeys;
  readonly #later: NonNullable<ProgramParts['later']>;
  /** The balance before a redemption, until a different one is seen. */
  #pointsBefore: number | null | undefined;
  /** How often a view was requested, or a redemption changed here: the answer to an earlier request is outdated. */
  #changes = 0;
  #looks = 0;
  #cancelLook = () => {};
  #cancelChange = () => {};

  constructor(parts: ProgramParts) {
    this.#parts = parts;
    this.#keys = parts.keys ?? pageKeys;
    this.#later = parts.later ?? onTime;
  }

  async load(): Promise<void> {
    await Promise.all([this.loadView(), this.loadEarned()]);
    // The first look is this one.
    this.#looks = Math.max(this.#looks, 1);
    this.#lookAgain();
  }

  stop(): void {
    this.#cancelLook();
    this.#cancelChange();
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
    const clientKey = this.#keys.of(rewardId);
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
      else this.#keys.forget(rewardId);
      return answer;
    }
    this.#keys.forget(rewardId);
    const { redemption } = answer.value;
    const rest = this.#redemptions.filter(({ id }) => id !== redemption.id);
    const spent = redemption.state === 'pending' ? 0 : -redemption.points;
    this.#showRedemptions([redemption, ...rest], spent);
    return { kind: 'ok', value: redemption };
  }

  /** Gives an unused code back, for what it cost. Repeated, it is the same: the code is deleted once. */
  async takeBack(redemptionId: string): Promise<Answer<Redemption>> {
    const answer = await this.#parts.ask<{ redemption: Redemption }>('take-back', { redemptionId });
    if (answer.kind === 'failed') {
      // It may have been carried out, or the code was used meanwhile: the list will show it.
      this.expectChange();
      return answer;
    }
    const { redemption } = answer.value;
    const all = this.#redemptions.map((one) => (one.id === redemption.id ? redemption : one));
    this.#showRedemptions(all, 0);
    return { kind: 'ok', value: redemption };
  }

  get #redemptions(): readonly Redemption[] {
    return answered(this.model.view)?.redemptions ?? [];
  }

  #showRedemptions(redemptions: readonly Redemption[], points: number): void {
    // A view from before a redemption would hide its code again, one from before a take back show it.
    this.#changes += 1;
    const view = answered(this.model.view);
    if (view) this.model.view = { kind: 'ok', value: { ...view, redemptions } };
    this.expectChange(points);
    this.#parts.changed('balance', 'rewards', 'codes');
  }

  /** Points were or may have been moved: reloads until the balance changes, for at most two minutes. */
  expectChange(points = 0): void {
    this.#pointsBefore = answered(this.model.view)?.points;
    this.#showChange(points);
    this.#looks = 0;
    this.#lookAgain();
  }

  /** Balance, rewards and codes, of one moment. */
  async loadView(): Promise<void> {
    const { model } = this;
    const { ask, wanted, changed } = this.#parts;
    const { shows, isLoggedOut, cart } = wanted();
    const isShown = shows('rewards') || (shows('balance') && !isLoggedOut);
    // Without a login, the rewards are the same for every cart.
    const query = cart && !isLoggedOut ? `?${new URLSearchParams({ items: cart })}` : '';
    this.#changes += 1;
    const changes = this.#changes;
    const view = isShown ? await ask<View>(`view${query}`) : model.view;
    if (changes !== this.#changes) return;
    const before = answered(model.view);
    model.view = newerView(model.view, view);
    this.#noticeChange(before);
    changed('balance', 'rewards', 'codes');
    this.#announceSettled(before?.redemptions);
  }

  #announceSettled(before: readonly Redemption[] | undefined): void {
    for (const redemption of this.#redemptions) {
      const wasSettled = before?.some((one) => one.id === redemption.id && !isOpen(one));
      if (isOpen(redemption) || isOver(redemption) || !before || wasSettled) continue;
      this.#keys.forget(redemption.rewardId);
      this.#parts.settled(redemption);
    }
  }

  /** Points that moved while the page is open are shown, also without a click on it. */
  #noticeChange(before: View | undefined): void {
    const now = answered(this.model.view);
    if (before?.points == null || now?.points == null || now.points === before.points) return;
    this.#showChange(Math.round((now.points - before.points) * 100) / 100);
  }

  #showChange(points: number): void {
    if (points === 0) return;
    this.#cancelChange();
    this.model.change = points;
    this.#cancelChange = this.#later(() => {
      this.model.change = undefined;
      this.#parts.changed('balance');
    }, CHANGE_SHOWN_SECONDS);
  }

  #lookAgain(): void {
    this.#cancelLook();
    const seconds = LOOK_AGAIN_SECONDS[this.#looks];
    if (seconds === undefined || !this.#isChangeExpected()) return;
    this.#looks += 1;
    this.#cancelLook = this.#later(async () => {
      await this.loadView();
      this.#lookAgain();
    }, seconds);
  }

  #isChangeExpected(): boolean {
    const view = answered(this.model.view);
    if (this.#pointsBefore !== undefined && view?.points !== this.#pointsBefore) {
      this.#pointsBefore = undefined;
    }
    return this.#pointsBefore !== undefined || (view?.redemptions.some(isOpen) ?? false);
  }
}
