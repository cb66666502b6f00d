import { changeControl, type Pause } from '../calls/shop-pause.ts';
import { createTurns, inBatches } from '../events/event.ts';
import { isOpenDoubt } from '../ledger/entry.ts';
import { withGoLive } from '../mapping/wanted-state.ts';
import { askForDeepScan, type DeepEnd, readAwaitingLedger, scanDeeply } from './deep-scan.ts';
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
import { type LedgerScanned, scanLedger } from './scan-ledger.ts';

/** What the schedule, or an operator, asks for. */
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

/** So many pages are in memory, of 512 MB, and each shop has a few connections. */
const SHOPS_AT_ONCE = 16;

/**
 * One scheduled run: what the store changed is compared with what was sent. The time that is left goes
 * to a deep scan, if one was asked for, so that it ends after some runs. The shops run side by side, some at a time,
 * those first that waited longest: a store that hangs or an error of one takes nothing from the others.
 */
export async function reconcile(
  shops: readonly ReconciledShop[],
  { mode, shop: only, request }: ReconcileRequest,
  given: Omit<ReconcileDeps, 'sent' | 'othersWait'>,
): Promise<void> {
  const named = shops.filter(({ domain }) => only === undefined || domain === only);
  const { pauses, now, ledger } = given;
  const domains = shops.map(({ domain }) => domain);
  await inBatches(domains, (domain) => pauses.refresh(domain, now()));
  const waiting = new Set(domains.filter((shop) => waits(pauses.of(shop, now()))));
  const deps = { ...given, sent: new Set<string>(), othersWait: waiting.size > 0 };

  const opened = new Map<string, Promise<ReconciledShop>>();
  function open(shop: ReconciledShop): Promise<ReconciledShop> {
    const opening = opened.get(shop.domain) ?? openShop(shop, deps);
    opened.set(shop.domain, opening);
    return opening;
  }
  const { take } = createTurns(SHOPS_AT_ONCE);
  const asking = named.map(({ domain }) => take(() => askFor(domain)));
  await Promise.allSettled(asking);
  async function askFor(shop: string): Promise<void> {
    if (mode === 'deep') await askForDeepScan(shop, deps);
    const doubt = pauses.doubtOf(shop);
    const isOpen = isOpenDoubt(doubt) && !waiting.has(shop);
    if (isOpen) await askForDeepScan(shop, deps, doubt.until);
  }
  /** Of all shops, also where the run is for one: a scan of the ledger is for all that wait for it. */
  async function scanForAll() {
    const began = await readAwaitingLedger(ledger, domains);
    const awaiting = shops.flatMap((shop) => {
      const { domain } = shop;
      const since = began.get(domain);
      if (since === undefined) return [];
      return [{ domain, began: since, open: waiting.has(domain) ? undefined : () => open(shop) }];
    });
    return scanLedger(awaiting, deps);
  }
  const ledgerScan = scanForAll();
  const inOrder = named.length > SHOPS_AT_ONCE ? await inOrderOfTurns(named, ledger) : named;
  const runs = await Promise.allSettled([
    ledgerScan.then(() => true),
    ...inOrder.map(async (shop) => {
      await asking[named.indexOf(shop)];
      const run = { isWaiting: waiting.has(shop.domain), request };
      return reconcileShop(await take(() => open(shop)), run, take, ledgerScan, deps);
    }),
  ]);
  for (const run of runs) if (run.status === 'rejected') throw run.reason;
  // The alarm about missing runs counts those of all shops.
  if (only === undefined && runs.every((run) => run.status === 'fulfilled' && run.value)) {
    deps.telemetry.count('reconciled');
  }
}

async function openShop(
  shop: ReconciledShop,
  { pauses, now, ledger }: ReconcileDeps,
): Promise<ReconciledShop> {
  const { domain, rules, mode } = shop;
  if (mode === 'observe') await pauses.noteObserving(domain, now());
  const goLive = pauses.goLiveOf(domain) ?? (await recordGoLive(domain, ledger));
  const doubt = pauses.doubtOf(domain);
  return {
    ...shop,
    rules: await withGoLive(rules, goLive, ledger),
    ...(isOpenDoubt(doubt) && { doubt }),
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
  takeTurn: ReturnType<typeof createTurns>['take'],
  ledgerScan: Promise<LedgerScanned>,
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
  let isRefused = false;
  const stopped = await takeTurn(async () => {
    const why = await deps.checkShop(shop.domain);
    isRefused = why !== undefined;
    if (why !== undefined) return kindsOf(shop).map((kind) => ({ kind, why, refused: true }));
    const stopped = await compareChanges(shop, tally, deps);
    if (shop.mode !== 'observe') {
      await deps.rewards?.shopScanned(shop.domain, deps.othersWait, shop.doubt);
    }
    return stopped;
  });
  // All shops compare their changes before the first of them goes on with a deep scan.
  const deep = isRefused
    ? ({ kind: 'idle' } as const)
    : await takeTurn(() => scanDeeply(shop, deps, tally, ledgerScan));
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
  { ledger, telemetry, now, healedPercent }: ReconcileDeps,
): Promise<void> {
  const sums = { lookedAt: sumOf(lookedAt), healed: sumOf(healed), rolledOut: sumOf(rolledOut) };
  if (areWebhooksLost(sums, healedPercent)) telemetry.count('webhooks-lost');
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
