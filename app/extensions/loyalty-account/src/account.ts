import { signal } from '@preact/signals';
import type { Api } from '@shopify/ui-extensions/customer-account.page.render';
import type {
  HistoryEntry,
  History as HistoryPage,
  Redemption,
  Reward,
} from '../../../program/answers.ts';
import { type Ask, createAsk, type Failure } from '../../../program/ask.ts';
import { ANY_PURCHASE, answered, Program } from '../../../program/program.ts';
import {
  isRefused,
  readShop,
  type Shop,
  sayNotRedeemed,
  sayRedeemed,
} from '../../../program/sentences.ts';
import { accountStrings } from '../../../program/strings/account.ts';
import { createWords, type Words } from '../../../program/words.ts';

/** The last result of a reward shown where it was asked for. */
export interface Note {
  readonly kind: 'done' | 'failed';
  readonly sentence: string;
}

interface History {
  readonly entries: readonly HistoryEntry[];
  readonly page: number;
  readonly hasMore: boolean;
  readonly failure: Failure | undefined;
}

export class Account {
  readonly program: Program;
  words: Words;
  isLoading = true;
  shop: Shop = { currency: undefined, address: undefined };
  history: History = { entries: [], page: 0, hasMore: false, failure: undefined };
  /** By `reward-3`, or the id of a redemption. */
  readonly notes = new Map<string, Note>();
  /** The redemptions that were there when the page was loaded. */
  #earlier: ReadonlySet<string> = new Set();
  readonly #ask: Ask;
  readonly #shopify: Api;
  readonly #changes = signal(0);
  #historyRequests = 0;

  constructor(shopify: Api) {
    this.#shopify = shopify;
    this.#ask = createAsk(`${STOREFRONT_ADDRESS}/account`, () => shopify.sessionToken.get());
    this.words = createWords(this.#language, undefined);
    this.program = new Program({
      ask: this.#ask,
      wanted: () => ({
        shows: () => true,
        items: undefined,
        cart: ANY_PURCHASE,
        currency: undefined,
        isLoggedOut: false,
      }),
      changed: () => this.#redraw(),
      settled: (redemption) => {
        const { id, rewardId } = redemption;
        // Taken back, it is said where it was asked for.
        const key = this.notes.has(id) ? id : `reward-${rewardId}`;
        const kind = isRefused(redemption) ? 'failed' : 'done';
        this.#note(key, kind, sayRedeemed(redemption, this.words));
        void this.#readHistory(1);
      },
    });
  }

  /** Reading it in a component draws that again after every change. */
  get changes(): number {
    return this.#changes.value;
  }

  get strings() {
    return accountStrings[this.words.language];
  }

  /** Shows all of it at once, so that nothing moves while a customer reads. */
  async load(): Promise<void> {
    this.isLoading = true;
    this.#redraw();
    const [shop] = await Promise.all([
      readShop(this.#shopify),
      this.program.load(),
      this.#readHistory(1),
    ]);
    this.shop = shop;
    this.words = createWords(this.#language, shop.currency);
    this.#earlier = new Set(this.#redemptions.map(({ id }) => id));
    this.isLoading = false;
    this.#redraw();
  }

  async redeem(reward: Reward, value?: number): Promise<void> {
    const key = `reward-${reward.id}`;
    this.notes.delete(key);
    const redeemed = await this.program.redeem(reward.id, value);
    if (redeemed.kind === 'busy') return;
    if (redeemed.kind === 'failed') {
      return this.#note(key, 'failed', sayNotRedeemed(redeemed, this.words));
    }
    this.#note(key, 'done', sayRedeemed(redeemed.value, this.words));
    await this.#readHistory(1);
  }

  async takeBack({ id }: Redemption): Promise<void> {
    this.notes.delete(id);
    const taken = await this.program.takeBack(id);
    if (taken.kind === 'failed') return this.#note(id, 'failed', this.words.failure(taken));
    this.#note(id, 'done', this.words.state(taken.value.state));
  }

  showMore(): Promise<void> {
    return this.#readHistory(this.history.page + 1);
  }

  /** Those of earlier visits, and those whose reward is no longer listed: it can be had once, or there is an outage. */
  get redemptionsApart(): readonly Redemption[] {
    const rewards = answered(this.program.model.view)?.rewards ?? [];
    return this.#redemptions.filter(
      (one) => this.#earlier.has(one.id) || !rewards.some(({ id }) => id === one.rewardId),
    );
  }

  /** Those of this visit: they are shown with their reward, where the customer looks. */
  newRedemptionsOf(reward: Reward): readonly Redemption[] {
    return this.#redemptions.filter(
      ({ id, rewardId }) => rewardId === reward.id && !this.#earlier.has(id),
    );
  }

  get #redemptions(): readonly Redemption[] {
    return answered(this.program.model.view)?.redemptions ?? [];
  }

  say(sentence: string): void {
    void this.#shopify.toast.show(sentence);
  }

  /** The first page replaces what is shown, any other one continues it. Only the last request counts. */
  async #readHistory(page: number): Promise<void> {
    this.#historyRequests += 1;
    const own = this.#historyRequests;
    const asked = await this.#ask<HistoryPage>(`history?page=${page}`);
    if (own !== this.#historyRequests) return;
    const before = page === 1 ? [] : this.history.entries;
    this.history =
      asked.kind === 'ok'
        ? { ...asked.value, entries: [...before, ...asked.value.entries], failure: undefined }
        : { ...this.history, failure: asked };
    this.#redraw();
  }

  #note(key: string, kind: Note['kind'], sentence: string): void {
    this.notes.set(key, { kind, sentence });
    this.#redraw();
  }

  #redraw(): void {
    this.#changes.value += 1;
  }

  get #language(): string {
    return this.#shopify.localization.language.value.isoCode;
  }
}
