import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { CircuitBreaker } from '../calls/call-loyalty.ts';
import type { EventQueue } from '../events/event.ts';
import type { Telemetry } from '../events/telemetry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  type Redemption,
  type RedemptionView,
  type RefusedWhy,
  viewOf,
} from '../redemptions/redemption.ts';
import type { ProgramIdOf } from './available-rewards.ts';
import type { ChallengeRefusal } from './challenge.ts';
import type { OfferRefusal, OfferRequest, RewardTypes } from './find-offer.ts';
import type { RewardStore } from './reward-store.ts';

interface RedeemSettings {
  readonly rewardTypes: RewardTypes;
  readonly redeemsPerHour: number;
  /** Days for which closed redemptions are remembered. */
  readonly retentionDays: number;
  /** The service keeps metadata with a redemption, and shows them in the customer's history. */
  readonly keepsMetadata: boolean;
}

/** One shop's world. */
export interface RedeemWorld {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly loyalty: Pick<
    LoyaltyClient,
    | 'listAvailableRewards'
    | 'getRewardConfiguration'
    | 'redeemRewardByKey'
    | 'startChallenge'
    | 'validateChallenge'
  >;
  readonly programIdOf: ProgramIdOf;
  readonly breaker: CircuitBreaker;
  /** Gives up in time for the answer. */
  readonly store: RewardStore;
  /** Holds every redemption until its end, also if this process dies. */
  readonly queue: EventQueue;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  /** The ledger was lost or restored: it may have forgotten that a redemption was made. */
  readonly inDoubt: () => boolean;
  /** A random UUID: what the service knows a challenge by. */
  readonly newKey: () => string;
  readonly settings: RedeemSettings;
  /** When it fires, no call to the loyalty service is begun or waited for. */
  readonly deadline: AbortSignal;
}

/** Its customer is the one whom the store says is logged in, or whom a till serves. */
export interface RedeemRequest extends OfferRequest {
  /** Made once per click: requests with the same key are the same click. */
  readonly clientKey: string;
  /** Undefined: the customer redeems it without help. */
  readonly till?: Till | undefined;
}

interface Till {
  /** The user of the store who is logged in to it. */
  readonly staffId: string;
  /** The customer's answer to the challenge. */
  readonly answer?: string | undefined;
}

export type RedeemAnswer =
  | { readonly kind: 'redemption'; readonly redemption: RedemptionView }
  | {
      readonly kind: 'refused';
      readonly why: RefusedWhy | OfferRefusal | ChallengeRefusal;
      /** In the service's own words, for the person at the till: never for a log. */
      readonly said?: string | undefined;
    }
  | { readonly kind: 'too-many'; readonly afterSeconds: number }
  | { readonly kind: 'unavailable' };

/** The answer to a click on a redemption; undefined is one that is no longer there. */
export function answerOf(redemption: Redemption | undefined): RedeemAnswer {
  if (redemption?.state.at === 'refused') return { kind: 'refused', why: redemption.state.why };
  const view = redemption && viewOf(redemption);
  return view ? { kind: 'redemption', redemption: view } : { kind: 'unavailable' };
}
