import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { listNotices } from '../../../shared/aws/read-ledger.ts';
import type { WaitsFor } from '../../../shared/core/batch/waiting.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import { isOpenDoubt } from '../../../shared/core/ledger/entry.ts';
import {
  type FoundByReading,
  readFoundByReading,
} from '../../../shared/core/reconcile/deep-scan.ts';
import {
  type LastReconcile,
  readLastReconcile,
} from '../../../shared/core/reconcile/last-reconcile.ts';
import { type Check, info, notAsked, runChecks, shopDeps } from '../ground/checks/check.ts';
import {
  heldBy,
  type PauseStatus,
  pausesCheck,
  readPauses,
  triedAt,
} from '../ground/checks/read-pauses.ts';
import { readCredentials, secretsCheck } from '../ground/checks/read-secret.ts';
import type { ChecksByPlatform } from '../ground/checks/step.ts';
import {
  MOST_SHOWN_WAITS,
  mayBeWoken,
  readWaiting,
  type WaitingInShop,
} from '../ground/checks/waiting-messages.ts';
import { countDelivered } from '../ground/letters/read-letters.ts';
import {
  type Deployment,
  openLedger,
  openLists,
  QUEUE_OUTPUTS,
} from '../ground/session/deployment.ts';
import {
  openFigures,
  readLastDay,
  readLastHour,
  readOldestAges,
} from '../ground/session/figures.ts';
import { familiesOf, type QueueCounts, readQueues } from '../ground/session/queues.ts';
import { commandsOf } from '../ground/session/services.ts';
import type { CommonOptions } from '../ground/session/session.ts';
import { DOCTOR } from '../ground/terminal/document.ts';

/** A value, or the reason why it is unknown: `status` must not show a guess. */
export type Known<Value> =
  | { readonly kind: 'known'; readonly value: Value }
  | { readonly kind: 'unknown'; readonly why: string };

export type Status = Awaited<ReturnType<typeof collectStatus>>;

export interface QueueStatus extends QueueCounts {
  /** Of the dead letters, about what was delivered since. */
  readonly delivered?: number | undefined;
  /** Undefined when not known. */
  readonly oldestSeconds: number | undefined;
}

/** Dead letters that wait for a decision. The two counts may be a minute apart. */
export const undecidedIn = ({ dead, delivered = 0 }: QueueStatus) => Math.max(dead - delivered, 0);

/** Messages of a shop that wait for the same. */
export interface WaitingStatus {
  readonly shop: string;
  readonly waitsFor: WaitsFor;
  readonly messages: number;
  /** ISO 8601: since when the oldest is on its queue. */
  readonly since: string;
  /** ISO 8601: when the next is tried again. Undefined while a pause without an end holds all. */
  readonly nextTry: string | undefined;
  /** Names of the reasons in the log. */
  readonly whys: readonly WaitingInShop['why'][];
  /** Some can be tried now. */
  readonly mayBeEarlier: boolean;
}

/** The last run that compared the store with the ledger; undefined when none has ended yet. */
export interface ReconcileStatus extends FoundByReading {
  readonly shop: string;
  readonly last: LastReconcile | undefined;
  /** Since when everything is compared, because the ledger was lost or restored, in ISO 8601; undefined when it is not. */
  readonly recoversSince: string | undefined;
}

/** Reads all parts in parallel; a part that cannot be read is shown as unknown. */
export async function collectStatus(
  deployment: Deployment,
  options: CommonOptions,
  { now, charts }: { readonly now: Date; readonly charts: boolean },
  { eventsCheck, storeChecks }: Pick<ChecksByPlatform, 'eventsCheck' | 'storeChecks'>,
) {
  const { connector } = deployment;
  const readFigures = openFigures(deployment, now);
  const ledger = openLedger(deployment);
  const lists = openLists(deployment);
  const attempt = async <Value>(read: () => Promise<Value>): Promise<Known<Value>> => {
    try {
      return { kind: 'known', value: await read() };
    } catch (error) {
      return { kind: 'unknown', why: notAsked(error, options).what };
    }
  };
  const shops = connector.shops.map(({ domain }) => domain);
  const hasFigures = connector.deployment.monitoring !== 'basic';
  // Counts are useful without ages, but not the reverse.
  const ages = readAges(deployment, now).catch((): Ages => ({}));
  const queues = attempt(async (): Promise<readonly QueueStatus[]> => {
    const counts = withAges(await readQueues(deployment), await ages);
    const hasDead = counts.some(({ dead }) => dead > 0);
    // Where that cannot be read, all of them wait for a decision.
    const none: Awaited<ReturnType<typeof countDelivered>> = {};
    const delivered = hasDead ? await countDelivered(deployment).catch(() => none) : none;
    return counts.map((one) => ({ ...one, delivered: delivered[one.family] }));
  });
  const credentials = readCredentials(deployment, options);
  const unsubscribed = connector.shops.filter((shop) => commandsOf(shop).sender !== undefined);
  const checks: readonly Check[] = [
    secretsCheck(deployment, credentials),
    pausesCheck(deployment, () => DOCTOR, info),
    eventsCheck(shopDeps(deployment, connector.shops)),
    // Where nobody subscribes, no other check asks the store: one that refuses, or counts otherwise, would not be seen.
    ...storeChecks(shopDeps(deployment, unsubscribed)),
  ];
  const parts = {
    queues,
    /** Undefined where the deployment writes no figures. */
    lastHour: hasFigures ? attempt(() => readLastHour(readFigures, now)) : undefined,
    lastDay: hasFigures && charts ? attempt(() => readLastDay(readFigures, now)) : undefined,
    waiting: attempt(async () =>
      groupWaiting(
        await readWaiting(deployment, shops, now, MOST_SHOWN_WAITS),
        await queues,
        await readPauses(ledger, connector.shops, now),
        now,
      ),
    ),
    reconcile: attempt(() =>
      Promise.all(
        connector.shops.map(async ({ domain: shop }) => {
          const { doubt } = await readControl(ledger, shop);
          return {
            shop,
            last: await readLastReconcile(ledger, shop),
            ...(await readFoundByReading(ledger, shop)),
            recoversSince: isOpenDoubt(doubt) ? new Date(doubt.until).toISOString() : undefined,
          };
        }),
      ),
    ),
    notices: attempt(async () => {
      const found = await Promise.all(shops.map((shop) => listNotices(lists, shop)));
      return found.flat();
    }),
    credentials,
    checks: runChecks(checks, options),
  };
  return { at: now.toISOString(), shops, ...(await allOf(parts)) };
}

async function allOf<Parts extends object>(
  parts: Parts,
): Promise<{ readonly [Name in keyof Parts]: Awaited<Parts[Name]> }> {
  const found = Object.entries(parts).map(async ([name, part]) => [name, await part]);
  return Object.fromEntries(await Promise.all(found));
}

/** By shop and by what they wait for. Where a queue is empty, its records are those of settled messages. */
export function groupWaiting(
  waiting: readonly WaitingInShop[],
  queues: Known<readonly QueueStatus[]>,
  pauses: readonly PauseStatus[],
  now: Date,
): readonly WaitingStatus[] {
  const known = queues.kind === 'known' ? queues.value : [];
  const empty = new Set(known.filter(isEmpty).map(({ family }) => family));
  const left = waiting
    .filter((one) => !empty.has(one.queue))
    .map((one) => ({ ...one, ...heldBy(one, pauses) }));
  const groups = Map.groupBy(left, ({ shop, waitsFor }) => `${waitsFor} ${shop}`);
  return [...groups.values()].flatMap((messages) => {
    const [next] = messages;
    if (!next) return [];
    const since = Math.min(...messages.map((one) => one.since));
    const nextTry = Math.min(...messages.map((one) => triedAt(one, pauses)));
    return {
      ...{ shop: next.shop, waitsFor: next.waitsFor, messages: messages.length },
      since: new Date(since).toISOString(),
      nextTry: Number.isFinite(nextTry) ? new Date(nextTry).toISOString() : undefined,
      whys: [...new Set(messages.map(({ why }) => why))],
      mayBeEarlier: messages.some((one) => mayBeWoken(one, now)),
    };
  });
}

export const isEmpty = ({ waiting, inFlight }: Pick<QueueStatus, 'waiting' | 'inFlight'>) =>
  waiting + inFlight === 0;

async function readAges({ aws, output, sandbox, connector }: Deployment, now: Date): Promise<Ages> {
  // SQS itself reports no age, and there is no CloudWatch on this machine.
  if (sandbox) return {};
  const families = familiesOf(connector);
  const names = families.map((one) => output(QUEUE_OUTPUTS[one].queue).replace(/^.*\//, ''));
  const ages = await readOldestAges(new CloudWatchClient(aws), names, now);
  return Object.fromEntries(families.map((family, index) => [family, ages[index]]));
}

/** Seconds that the oldest message of each queue has waited; undefined when there is no recent value. */
type Ages = Readonly<Partial<Record<QueueFamily, number | undefined>>>;

export function withAges(counts: readonly QueueCounts[], ages: Ages): readonly QueueStatus[] {
  return counts.map((queue) => {
    return { ...queue, oldestSeconds: isEmpty(queue) ? 0 : ages[queue.family] };
  });
}
