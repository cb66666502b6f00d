import { changeControl, type Pause } from '../calls/shop-pause.ts';
import { isOpenDoubt } from '../ledger/entry.ts';
import { withGoLive } from '../mapping/wanted-state.ts';
import { askForDeepScan, type DeepEnd, readAwaitingLedger, scanDeeply } from './deep-scan.ts';
import type { ComparedKind, ReconcileDeps, ReconciledShop } from './dependencies.ts';
import {
  areWebhooksLost,
  createTally,
  keepLastReconcile,
  type LastReconcile,
  sumOf,
  type Tally,
} from './last-reconcile.ts';
import { reconcileKind, reconcileOverrides } from './reconcile-kind.ts';
import { type LedgerScan, openLedgerScan } from './scan-ledger.ts';

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

/**
 * One scheduled run: what the store changed is compared with what was sent. The time that is left goes
 * to a deep scan, if one was asked for, so that it ends after some runs. The shops run side by side: a long
 * scan, a store that hangs or an error of one takes nothing from the others.
 */
export async function reconcile(
  shops: readonly ReconciledShop[],
  { mode, shop: only, request }: ReconcileRequest,
  given: Omit<ReconcileDeps, 'sent' | 'othersWait'>,
): Promise<void> {
  const configured = shops.filter(({ domain }) => only === undefined || domain === only);
  const { pauses, now } = given;
  const domains = shops.map(({ domain }) => domain);
  await Promise.all(domains.map((domain) => pauses.refresh(domain, now())));
  const waiting = new Set(domains.filter((shop) => waits(pauses.of(shop, now()))));
  const deps = { ...given, sent: new Set<string>(), othersWait: waiting.size > 0 };

  const opened = new Map<string, Promise<ReconciledShop>>();
  function open(shop: ReconciledShop): Promise<ReconciledShop> {
    const opening = opened.get(shop.domain) ?? openShop(shop);
    opened.set(shop.domain, opening);
    return opening;
  }
  async function openShop(shop: ReconciledShop): Promise<ReconciledShop> {
    const { domain, rules, mode } = shop;
    if (mode === 'observe') await pauses.noteObserving(domain, now());
    const goLive = pauses.goLiveOf(domain) ?? (await recordGoLive(domain, given.ledger));
    const doubt = pauses.doubtOf(domain);
    return {
      ...shop,
      rules: await withGoLive(rules, goLive, given.ledger),
      ...(isOpenDoubt(doubt) && { doubt }),
    };
  }
  /** Of all shops, also where the run is for one: a scan of the ledger is for all that wait for it. */
  async function readAwaiting() {
    const awaiting = await readAwaitingLedger(given.ledger, domains);
    return shops.flatMap((shop) => {
      const { domain } = shop;
      const began = awaiting.get(domain);
      if (began === undefined) return [];
      return [{ domain, began, open: waiting.has(domain) ? undefined : () => open(shop) }];
    });
  }
  const ledgerScan = openLedgerScan(readAwaiting, deps);

  const asking = configured.map(async ({ domain }) => {
    if (mode === 'deep') await askForDeepScan(domain, deps);
  });
  // Before the first of them scans the ledger.
  await Promise.allSettled(asking);
  const runs = await Promise.allSettled([
    ledgerScan.erase(),
    ...configured.map(async (shop, index) => {
      await asking[index];
      const run = { isWaiting: waiting.has(shop.domain), request };
      return reconcileShop(await open(shop), run, ledgerScan, deps);
    }),
  ]);
  for (const run of runs) if (run.status === 'rejected') throw run.reason;
  // The alarm about missing runs counts those of all shops.
  if (only === undefined && runs.every((run) => run.status === 'fulfilled' && run.value)) {
    deps.telemetry.count('reconciled');
  }
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

/** True when everything was compared, or nothing was to be. */
async function reconcileShop(
  shop: ReconciledShop,
  { isWaiting, request }: { readonly isWaiting: boolean; readonly request: string | undefined },
  ledgerScan: LedgerScan,
  deps: ReconcileDeps,
): Promise<boolean> {
  const beganAt = deps.now().toISOString();
  const tally = createTally(deps.telemetry);
  const run = { ...(request !== undefined && { request }), beganAt };
  // Messages of a shop that waits would only wait, too.
  if (isWaiting) {
    const stopped = kindsOf(shop).map((kind) => ({ kind, why: 'shop-paused' }));
    await keepSummary(shop.domain, { ...run, stopped }, tally, deps);
    return true;
  }
  await deps.checkSubscriptions(shop.domain);
  if (shop.doubt) await askForDeepScan(shop.domain, deps, shop.doubt.until);
  const stopped = await compareChanges(shop, tally, deps);
  await repair(shop, deps);
  const deep = await scanDeeply(shop, deps, tally, ledgerScan);
  if (deep.kind !== 'stopped') await endDoubt(shop, deep.began, deps);
  await keepSummary(shop.domain, { ...run, stopped, ...deepSummary(deep) }, tally, deps);
  return stopped.length === 0;
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
    stopped.push({ kind, why: end.why });
    const fields = { shop: shop.domain, kind, why: end.why };
    deps.telemetry.log('warn', 'reconciling continues in the next run', fields);
  }
  return stopped;
}

async function repair(
  { domain: shop, doubt, mode }: ReconciledShop,
  { repairBalances, telemetry, othersWait }: ReconcileDeps,
): Promise<void> {
  if (mode === 'observe') return;
  const repaired = await repairBalances?.(shop, othersWait, doubt);
  if (!repaired) return;
  const level = repaired.stopped === undefined ? 'info' : 'warn';
  telemetry.log(level, 'compared balances with the report', { shop, ...repaired });
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

async function keepSummary(
  shop: string,
  run: Omit<LastReconcile, 'endedAt' | keyof Tally>,
  { lookedAt, healed, rolledOut, sent }: Tally,
  { ledger, telemetry, now, healedPercent }: ReconcileDeps,
): Promise<void> {
  const sums = { lookedAt: sumOf(lookedAt), healed: sumOf(healed), rolledOut: sumOf(rolledOut) };
  if (areWebhooksLost(sums, healedPercent)) telemetry.count('webhooks-lost');
  telemetry.log('info', 'reconciled', { shop, ...sums });
  await keepLastReconcile(ledger, shop, {
    ...run,
    endedAt: now().toISOString(),
    lookedAt,
    healed,
    rolledOut,
    sent,
  });
}
