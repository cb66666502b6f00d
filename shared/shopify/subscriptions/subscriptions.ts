import { type AdminAnswer, unavailable } from '../admin/client/admin-answer.ts';
import type { Ask } from '../admin/client/admin-client.ts';
import {
  correctSubscription,
  createSubscription,
  listSubscriptions,
  removeSubscription,
} from './admin-subscriptions.ts';
import { compareSubscriptions, type SubscriptionFindings } from './compare-subscriptions.ts';
import { shopAddress, wantedSubscriptions } from './wanted-subscriptions.ts';

export interface SubscriptionsSettings {
  readonly ask: (shop: string) => Ask;
  /** The shop's part of the webhook address. */
  readonly pathOf: (shop: string) => string;
  /** The deployment's own, without any shop's part. */
  readonly webhookAddress: string;
  /** Whichever way is used, the other must make none: every event would come twice. */
  readonly madeBy: 'admin-api' | 'app-configuration';
}

type Unavailable = ReturnType<typeof unavailable>;

type CheckedSubscriptions =
  | { readonly kind: 'checked'; readonly findings: SubscriptionFindings }
  | Unavailable;

export type Change =
  | { readonly done: 'created' | 'corrected' | 'removed'; readonly topic: string }
  | { readonly done: 'refused'; readonly topic: string; readonly why: string };

export interface Subscriptions {
  checkSubscriptions(shop: string): Promise<CheckedSubscriptions>;
  /** Makes what is missing, corrects what is wrong, removes `remove`; goes on after a refusal. */
  repair(
    shop: string,
    findings: Pick<SubscriptionFindings, 'missing' | 'wrong' | 'extra'>,
  ): Promise<readonly Change[]>;
}

/** The webhook subscriptions of each shop, as far as the Admin API shows and makes them. */
export function createSubscriptions(settings: SubscriptionsSettings): Subscriptions {
  const { ask, pathOf, webhookAddress, madeBy } = settings;
  return {
    async checkSubscriptions(shop) {
      const answer = await listSubscriptions(ask(shop));
      if (answer.kind !== 'data') return unavailable(answer);
      const wanted =
        madeBy === 'admin-api'
          ? wantedSubscriptions(shopAddress(webhookAddress, pathOf(shop)))
          : [];
      const findings = compareSubscriptions(wanted, answer.data, webhookAddress);
      return { kind: 'checked', findings };
    },

    async repair(shop, { missing, wrong, extra }) {
      const asking = ask(shop);
      const changes: Change[] = [];
      // What is too much goes first: a second subscription of a topic may stand in the way of the right one.
      for (const one of extra) {
        changes.push(changeOf('removed', one.topic, await removeSubscription(asking, one)));
      }
      for (const { existing, wanted } of wrong) {
        const answer = await correctSubscription(asking, existing, wanted);
        changes.push(changeOf('corrected', wanted.topic, answer));
      }
      for (const wanted of missing) {
        const answer = await createSubscription(asking, wanted);
        changes.push(changeOf('created', wanted.topic, answer));
      }
      return changes;
    },
  };
}

function changeOf(
  done: 'created' | 'corrected' | 'removed',
  topic: string,
  answer: AdminAnswer<unknown>,
): Change {
  if (answer.kind === 'data') return { done, topic };
  if (answer.kind === 'failure') return { done: 'refused', topic, why: unavailable(answer).why };
  const fields = answer.errors.map(({ field, code }) => [field, code].filter(Boolean).join(' '));
  return { done: 'refused', topic, why: `the store does not accept ${fields.join(', ') || 'it'}` };
}
