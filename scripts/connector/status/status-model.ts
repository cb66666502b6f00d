import type { LedgerNotice } from '../../../shared/aws/read-ledger.ts';
import type { WaitingMessage, WaitsFor } from '../../../shared/core/batch/waiting.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import type { FoundByReading } from '../../../shared/core/reconcile/deep-scan.ts';
import type { Repaired } from '../../../shared/core/reconcile/dependencies.ts';
import type { PauseStatus } from '../pause/read-pauses.ts';
import type { CredentialStatus } from '../secrets/read-secret.ts';
import type { SubscriptionStatus } from '../webhooks/webhooks.ts';

/** A value, or the reason why it is unknown: `status` must not show a guess. */
export type Known<Value> =
  | { readonly kind: 'known'; readonly value: Value }
  | { readonly kind: 'unknown'; readonly why: string };

export interface QueueStatus {
  readonly family: QueueFamily;
  readonly waiting: number;
  /** Being processed, or waiting for the next attempt: SQS does not distinguish them. */
  readonly inFlight: number;
  readonly dead: number;
  /** Undefined when not known. */
  readonly oldestSeconds: number | undefined;
  /** Why it could not be read. */
  readonly oldestWhy?: string;
}

/** Messages of a shop that wait for the same. */
export interface WaitingStatus {
  readonly shop: string;
  readonly waitsFor: WaitsFor;
  readonly messages: number;
  /** ISO 8601: since when the oldest is on its queue, and when the next is tried again. */
  readonly since: string;
  readonly nextTry: string;
  /** Names of the reasons in the log. */
  readonly whys: readonly WaitingMessage['why'][];
}

/** Trouble that was counted in the last hour. */
interface Sign {
  /** Epoch milliseconds, in CloudWatch to the minute. */
  readonly lastAt: number;
  /** What was accepted later than that. */
  readonly acceptedSince: number;
}

export type ChartedCount = 'received' | 'applied' | 'retried' | 'rejected';

/** One value for each period, the oldest first; the last period is the current one. */
export interface Chart extends Readonly<Record<ChartedCount, readonly number[]>> {
  /** ISO 8601: when the first period begins. */
  readonly from: string;
  readonly everySeconds: number;
  /** Milliseconds from the change in one system to the answer of the other; null: nothing was applied. */
  readonly p50: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
}

export type SignOf = 'misconfigured' | 'crash' | 'retried' | 'signatures-refused';

/** How the work of all queues ended in the last hour. */
export interface LastHour {
  readonly applied: number;
  /** Unchanged, superseded or skipped. */
  readonly 'no-change': number;
  readonly retried: number;
  readonly rejected: number;
  readonly misconfigured: number;
  readonly crash: number;
  readonly received: number;
  readonly 'signatures-refused': number;
  readonly 'unknown-topic': number;
  readonly 'older-secret-used': number;
  /** On average of the last five minutes. */
  readonly perMinute: Readonly<Record<ChartedCount, number>>;
  readonly signs: Readonly<Partial<Record<SignOf, Sign>>>;
  /** From the change in one system to the answer of the other; undefined when nothing was applied. */
  readonly latencyMs: { readonly p50: number; readonly p99: number } | undefined;
  /** By minute; only with `--charts`. */
  readonly chart?: Chart;
}

/** The last run that compared the store with the ledger. */
export interface ReconcileStatus {
  readonly shop: string;
  /** ISO 8601; undefined when none has ended yet. */
  readonly endedAt: string | undefined;
  readonly looked: number;
  readonly healed: number;
  /** Sent again because rules changed or a dead letter expired: no webhook was lost. */
  readonly rolledOut: number;
  /** What it did not finish comparing, in words; the next run continues there. */
  readonly stopped: readonly string[];
  /** The last comparison of balances; undefined before the first one, and without a storefront. */
  readonly balances?: Repaired | undefined;
  /** Since when everything is compared, because the ledger was lost or restored, in ISO 8601; undefined when it is not. */
  readonly recoversSince?: string | undefined;
  /** Orders read from the loyalty service by the newest deep scan and, until it ends, by the one before. */
  readonly ordersRead?: readonly FoundByReading[];
}

/** All that `status` shows, as plain data. */
export interface Status {
  /** ISO 8601. */
  readonly at: string;
  readonly queues: Known<readonly QueueStatus[]>;
  readonly lastHour: Known<LastHour>;
  /** Only with `--charts`. */
  readonly lastDay?: Known<Chart>;
  readonly waiting: Known<readonly WaitingStatus[]>;
  readonly reconcile: Known<readonly ReconcileStatus[]>;
  readonly notices: Known<readonly LedgerNotice[]>;
  readonly pauses: Known<readonly PauseStatus[]>;
  readonly subscriptions: readonly SubscriptionStatus[];
  readonly credentials: readonly CredentialStatus[];
}

/** A problem, and the first command to run. */
interface Trouble {
  readonly what: string;
  /** A command to run, without `npx loyalty-connector`. */
  readonly next: string;
}

/** What one part of the status shows. */
export interface Findings {
  /** What needs a person. */
  readonly troubles?: readonly Trouble[];
  /** What waits and goes on by itself. */
  readonly waits?: readonly string[];
  /** Worth knowing, but not urgent. */
  readonly notes?: readonly string[];
}

/** The bounds that the settings name. */
export interface Expectations {
  readonly oldestMessageMinutes: number;
  readonly reconcileEveryMinutes: number;
  readonly healedPercent: number;
}
