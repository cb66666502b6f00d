import { changeControl, type Pause } from '../calls/shop-pause.ts';
import { createTurns, inBatches } from '../events/event.ts';
import { isOpenDoubt } from '../ledger/entry.ts';
import { withGoLive } from '../mapping/wanted-state.ts';
import {
  askForDeepScan,
  type DeepEnd,
  isDeepScanUnderWay,
  readAwaitingLedger,
  scanDeeply,
} from './deep-scan.ts';
import type { ComparedKind, ReconcileDeps, ReconciledShop } from './dependencies.ts';
import {
  areWebhooksLost,
  createTally,
  keepLastReconcile,
  type LastReconcile,
  readLastReconcile,
  sumOf,
  type Tally,
} from './last-reconcile.ts';
import { inOrderOfTurns, reconcileKind, reconcileOverrides } from './reconcile-kind.ts';
import { type LedgerScan, openLedgerScan } from './scan-ledger.ts';

export interface ReconcileRequest {
  readonly mode?: 'deep';
  /** Absent for all shops. */
  readonly shop?: string;
  /** Stands in the record of the run, so that the operator's command knows it. */
  readonly request?: string;
}

/** Orders first: points are what people wait for. */
const kindsOf = ({ rules }: ReconciledShop): readonly ComparedKind[] => [
  ...(['order', 'product', 'discount'] as const),
  ...(rules.customers === 'with-orders' ? [] : (['member'] as const)),
];

/** What ends with a deadline, which comes early enough before the function's time-out to keep what was done. */
type Timed = 'deadline' | 'store' | 'pause' | 'checkShop' | 'rewards';

interface RunDeps extends Omit<ReconcileDeps, 'sent' | 'othersWait' | Timed> {
  readonly deadline: AbortSignal;
  /** Until the deadline. */
  readonly leftMs: () => number;
  readonly inTime: (deadline: AbortSignal) => Omit<Pick<ReconcileDeps, Timed>, 'deadline'>;
}

/**
 * One scheduled run: what the store changed is compared with what was sent. The time that is left goes
 * to a deep scan, if one was asked for, so that it ends after some runs. The shops run side by side, some at a time
 * and each for its share of the time: a long scan, a store that hangs or an error of one takes nothing from the others.
 */
export async function reconcile(
  shops: readonly ReconciledShop[],
  { mode, shop: only, request }: ReconcileRequest,
  run: RunDeps,
): Promise<void> {
  const { deadline, inTime, leftMs: _, ...given } = run;
  const named = shops.filter(({ domain }) => only === undefined || domain === only);
  const { pauses, now, ledger } = given;
  const domains = shops.map(({ domain }) => domain);
  await inBatches(domains, (domain) => pauses.refresh(domain, now()));
  const waiting = new Set(domains.filter((shop) => waits(pauses.of(shop, now()))));
  const common = { ...given, sent: new Set<string>(), othersWait: waiting.size > 0 };
  const deps = { ...common, ...inTime(deadline), deadline };

  const opened = new Map<string, Promise<ReconciledShop>>();
  function open(shop: ReconciledShop): Promise<ReconciledShop> {
    const opening = opened.get(shop.domain) ?? openShop(shop);
    opened.set(shop.domain, opening);
    return opening;
  }
  async function openShop(shop: ReconciledShop): Promise<ReconciledShop> {
    const { domain, rules, mode } = shop;
    if (mode === 'observe') await pauses.noteObserving(domain, now());
    const goLive = pauses.goLiveOf(domain) ?? (await recordGoLive(domain, ledger));
    const doubt = pauses.doubtOf(domain);
    return {
      ...shop,
      rules: await withGoLive(rules, goLive, ledger, pauses.takeoverOf(domain)),
      ...(isOpenDoubt(doubt) && { doubt }),
      forgottenUntil: doubt?.until,
    };
  }
  /** Of all shops, also where the run is for one: a scan of the ledger is for all that wait for it. */
  async function readAwaiting() {
    const awaiting = await readAwaitingLedger(ledger, domains);
    return shops.flatMap((shop) => {
      const { domain } = shop;
      const began = awaiting.get(domain);
      if (began === undefined) return [];
      return [{ domain, began, open: waiting.has(domain) ? undefined : () => open(shop) }];
    });
  }
  const ledgerScan = openLedgerScan(readAwaiting, deps);
  const left = new Set(named);
  const takeTurns = shareOut(run, common, () => left.size);

  const asking = named.map(({ domain }) =>
    takeTurns(async () => mode === 'deep' && askForDeepScan(domain, deps)),
  );
  // Before the first of them scans the ledger.
  await Promise.allSettled(asking);
  const inOrder = named.length > SHOPS_AT_ONCE ? await inOrderOfTurns(named, ledger) : named;
  const runs = await Promise.allSettled([
    ledgerScan.erase(),
    ...inOrder.map(async (shop) => {
      await asking[named.indexOf(shop)];
      const run = { isWaiting: waiting.has(shop.domain), request };
      const opened = await takeTurns(() => open(shop));
      const done = reconcileShop(opened, run, takeTurns, ledgerScan, deps);
      return done.finally(() => left.delete(shop));
    }),
  ]);
  for (const run of runs) if (run.status === 'rejected') throw run.reason;
  // The alarm about missing runs counts those of all shops.
  if (only === undefined && runs.every((run) => run.status === 'fulfilled' && run.value)) {
    deps.telemetry.count('reconciled');
  }
}

/** So many pages are in memory, of 512 MB, and each shop has a few connections. */
const SHOPS_AT_ONCE = 16;

type TakeTurns = <T>(work: (deps: ReconcileDeps) => Promise<T>) => Promise<T>;

/**
 * A turn lasts for an equal share of the time that is left, so that every shop has one in every run. What was cut off
 * goes on behind those that wait: `work` continues where it stopped.
 */
function shareOut(
  { deadline, leftMs, inTime }: RunDeps,
  common: Omit<ReconcileDeps, Timed>,
  shopsLeft: () => number,
): TakeTurns {
  const turns = createTurns(SHOPS_AT_ONCE);
  return async (work) => {
    for (;;) {
      const end = new AbortController();
      const value = await turns.take(async () => {
        const isShort = shopsLeft() > SHOPS_AT_ONCE;
        const signal = isShort ? AbortSignal.any([deadline, end.signal]) : deadline;
        const shareMs = (leftMs() * SHOPS_AT_ONCE) / shopsLeft();
        const timer = isShort ? setTimeout(() => end.abort(), shareMs) : undefined;
        const inTurn = { ...common, ...inTime(signal), deadline: signal };
        return work(inTurn).finally(() => clearTimeout(timer));
      });
      if (deadline.aborted || !end.signal.aborted) return value;
    }
  };
}

/** A throttled shop goes on within the hour; the others may need days. */
const waits = (pause: Pause | undefined): boolean =>
  pause !== undefined && (pause.by === 'operator' || pause.why === 'misconfigured');

/** So that it stays if the ledger is restored into a new table. An observed shop has none before `go-live`. */
async function recordGoLive(shop: string, ledger: ReconcileDeps['ledger']): Promise<number> {
  const created = await ledger.createdAt();
  const { goLive = created } = await changeControl(ledger, shop, (control) =>
    control.goLive === undefined && control.observing === undefined
      ? { ...control, goLive: created }
      : control,
  );
  return goLive;
}

/** True when everything was compared that could be without a person. */
async function reconcileShop(
  shop: ReconciledShop,
  { isWaiting, request }: { readonly isWaiting: boolean; readonly request: string | undefined },
  takeTurns: TakeTurns,
  ledgerScan: LedgerScan,
  deps: ReconcileDeps,
): Promise<boolean> {
  const beganAt = deps.now().toISOString();
  const tally = createTally(deps.telemetry);
  const run = { ...(request !== undefined && { request }), beganAt };
  // Messages of a shop that waits would only wait, too.
  if (isWaiting) {
    const stopped = kindsOf(shop).map((kind) => ({ kind, why: 'shop-paused' }));
    await keepSummary(shop.domain, { ...run, stopped }, undefined, tally, deps);
    return true;
  }
  const scan = (inTurn: ReconcileDeps) => scanDeeply(shop, inTurn, tally, ledgerScan);
  const { stopped, idle } = await takeTurns(async (inTurn) => {
    const why = await inTurn.checkShop(shop.domain);
    // An observed shop is compared without the loyalty service.
    if (why !== undefined && shop.mode !== 'observe') {
      const stopped = kindsOf(shop).map((kind) => ({ kind, why, refused: true }));
      return { stopped, idle: { kind: 'idle' } as const };
    }
    if (shop.doubt) await askForDeepScan(shop.domain, inTurn, shop.doubt.until);
    const stopped = await compareChanges(shop, tally, inTurn);
    if (shop.mode !== 'observe') {
      await inTurn.rewards?.shopScanned(shop.domain, inTurn.othersWait, shop.doubt);
    }
    const isUnderWay = await isDeepScanUnderWay(inTurn.ledger, shop.domain);
    return { stopped, idle: isUnderWay ? undefined : await scan(inTurn) };
  });
  // All shops compare their changes before the first of them goes on with a deep scan.
  const deep = idle ?? (await takeTurns(scan));
  if (deep.kind !== 'stopped') await endDoubt(shop, deep.began, deps);
  const stops = deep.kind === 'stopped' ? [...stopped, deep] : stopped;
  const refused = stops.find((one) => one.refused)?.why;
  const summary = { ...run, stopped, ...deepSummary(deep) };
  await keepSummary(shop.domain, summary, refused, tally, deps);
  return stopped.every((one) => one.refused);
}

async function compareChanges(
  shop: ReconciledShop,
  tally: Tally,
  deps: ReconcileDeps,
): Promise<LastReconcile['stopped']> {
  const stopped: LastReconcile['stopped'][number][] = [];
  for (const kind of kindsOf(shop)) {
    const changes = await reconcileKind(shop, kind, deps, tally);
    const isWhole = kind !== 'discount' || changes.kind === 'stopped';
    const end = isWhole ? changes : await reconcileOverrides(shop, deps, tally);
    if (end.kind === 'finished') continue;
    stopped.push({ kind, why: end.why, ...(end.refused && { refused: true }) });
    const fields = { shop: shop.domain, kind, why: end.why };
    deps.telemetry.log('warn', 'reconciling continues in the next run', fields);
  }
  return stopped;
}

/** Everything was compared since the ledger was restored. */
async function endDoubt(
  { domain, doubt }: ReconciledShop,
  began: number | undefined,
  { ledger, now, telemetry }: ReconcileDeps,
): Promise<void> {
  if (!doubt || began === undefined || began < doubt.until) return;
  await changeControl(ledger, domain, (control) =>
    control.doubt?.until === doubt.until
      ? { ...control, doubt: { ...doubt, comparedAt: now().getTime() } }
      : control,
  );
  telemetry.log('info', 'everything was compared with a restored ledger', { shop: domain });
}

function deepSummary(end: DeepEnd): Pick<LastReconcile, 'deep'> {
  if (end.kind === 'idle') return {};
  const beganAt = new Date(end.began).toISOString();
  const stopped = end.kind === 'stopped' && { stopped: { in: end.phase, why: end.why } };
  return { deep: { beganAt, ...stopped } };
}

/** `refused`: why the store, or the loyalty service, does not answer until a person acts. */
async function keepSummary(
  shop: string,
  run: Omit<LastReconcile, 'endedAt' | 'refusedSince' | keyof Tally>,
  refused: string | undefined,
  { lookedAt, healed, rolledOut, sent }: Tally,
  { ledger, telemetry, now }: ReconcileDeps,
): Promise<void> {
  const sums = { lookedAt: sumOf(lookedAt), healed: sumOf(healed), rolledOut: sumOf(rolledOut) };
  if (areWebhooksLost(sums)) telemetry.count('webhooks-lost');
  telemetry.log('info', 'reconciled', { shop, ...sums });
  const endedAt = now().toISOString();
  const before = refused === undefined ? undefined : await readLastReconcile(ledger, shop);
  const refusedSince = before?.refusedSince ?? endedAt;
  if (refused !== undefined) {
    // Counted once: an alarm that stays on could not ring for another shop.
    if (before?.refusedSince === undefined) telemetry.count('misconfigured', { why: refused });
    const text = 'this shop is refused, and waits for a person; the others go on';
    telemetry.log('error', text, { shop, why: refused, since: refusedSince });
  }
  await keepLastReconcile(ledger, shop, {
    ...run,
    ...(refused !== undefined && { refusedSince }),
    endedAt,
    lookedAt,
    healed,
    rolledOut,
    sent,
  });
}
