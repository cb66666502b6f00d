import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { listRecords } from '../../../shared/aws/read-ledger.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import {
  changeControl,
  readControl,
  resumed,
  withOperatorPause,
} from '../../../shared/core/calls/shop-pause.ts';
import { isOpenDoubt } from '../../../shared/core/ledger/entry.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { readFindings } from '../../../shared/core/reconcile/deep-scan.ts';
import {
  type LastReconcile,
  readReconcileRuns,
  sumOf,
} from '../../../shared/core/reconcile/last-reconcile.ts';
import {
  type Recovered,
  recoverRedemptions,
  resumeRedemptions,
} from '../../../shared/core/redeem/recover-redemptions.ts';
import { openIn } from '../../../shared/core/redemptions/redemption-record.ts';
import { shopsOf } from '../arguments.ts';
import { openSourceQueues } from '../dead-letters/read.ts';
import { type Deployment, nextCommand, openLedger } from '../deployment/deployment.ts';
import { readCaller } from '../deployment/read-caller.ts';
import { openShopServices } from '../deployment/services.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import { invokeReconcile } from '../reconcile/reconcile.ts';
import type { Session } from '../session.ts';
import { readQueues } from '../status/collect-status.ts';
import { counted, spanText } from '../terminal/text.ts';
import { type CopiedLedger, copyLedger } from './copy-ledger.ts';
import { type FoundGoLive, findGoLive } from './find-go-live.ts';

export interface RecoverOptions {
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly goLive?: number;
  readonly from?: string;
  readonly replace?: boolean;
  readonly shop?: string;
  readonly yes?: boolean;
}

/** What is to be recovered of one shop. Moments are epoch milliseconds. */
interface Plan {
  readonly shop: Shop;
  readonly goLive: FoundGoLive;
  readonly since: number;
  /** Since when a recovery is under way. */
  readonly underWay: number | undefined;
  /** By an operator. */
  readonly isPaused: boolean;
}

interface Open {
  readonly deployment: Deployment;
  readonly ledger: Ledger;
  readonly session: Session;
  readonly signal: AbortSignal;
}

/**
 * Plan → confirm → copy → put the ledger in doubt → find redemptions → compare everything → report. All but the plan may
 * be repeated: whatever was done is found done.
 * See docs/decisions/0005-a-lost-ledger-takes-nothing-twice.md.
 */
export async function recover(session: Session, options: RecoverOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  if (options.replace && options.from === undefined) {
    throw new BadArguments('--replace needs --from.');
  }
  // Of a shop that is neither paused nor in doubt, old items would be believed.
  if (options.shop !== undefined && options.from !== undefined) {
    throw new BadArguments('--from copies the items of all shops: leave --shop out.');
  }
  const deployment = await session.findDeployment();
  const asked = options.yes ? await session.beginChange(deployment) : undefined;
  if (options.from !== undefined) await requireReadable(deployment, options.from);
  const ledger = openLedger(deployment);
  const plans: Plan[] = [];
  for (const shop of shopsOf(deployment.connector, options.shop)) {
    plans.push(await planOf(shop, options, { deployment, ledger }));
  }
  if (!json) for (const plan of plans) terminal.paragraph(planText(plan, options));
  const isAgreed = options.yes || (await terminal.confirm('Recover the ledger so?'));
  if (!isAgreed) {
    const next = nextCommand(deployment, commandLine(options));
    if (json) terminal.json({ changed: false, shops: plans.map(planDocument), next });
    else terminal.hint(`Nothing was changed. To recover it:\n  ${next}`);
    return EXIT.failed;
  }
  const change = asked ?? (await session.beginChange(deployment));
  const signal = session.interruption(
    'The comparison goes on by itself. Repeat the command to follow it.',
  );
  const open = { deployment, ledger, session, signal };
  const began = Date.now();
  const lettersBefore = (await countMessages(deployment)).letters;
  const copied =
    options.from === undefined ? undefined : await copyIn(plans, options.from, options, open);
  if (copied && signal.aborted) {
    if (json) terminal.json({ changed: true, copied, isPaused: true });
    else terminal.line('Not everything was copied, and all calls stay paused. Repeat the command.');
    return EXIT.failed;
  }
  for (const plan of plans) await putInDoubt(plan, open);
  const found = await findRedemptions(plans, open);
  await compareEverything(plans, open);
  const { left, letters } = await drain(open);
  const parked = Math.max(0, letters - lettersBefore);
  const shops = await Promise.all(plans.map((plan) => reportOf(plan, found, open)));
  const isWhole = shops.every(
    ({ comparedAt, orders, redemptions: { unread, stopped } }) =>
      comparedAt !== undefined &&
      orders.unread === 0 &&
      unread.length === 0 &&
      stopped === undefined,
  );
  const tookMs = Date.now() - began;
  change.count({
    shops: shops.length,
    sentAgain: shops.reduce((sum, one) => sum + one.sentAgain, 0),
  });
  const messages = { left, parked };
  if (json) terminal.json({ changed: true, tookMs, copied, messages, shops });
  else print(session, deployment, { copied, shops, messages, tookMs, isWhole });
  if (!isWhole || parked > 0) return EXIT.failed;
  return left > 0 ? EXIT.waiting : EXIT.fine;
}

/** Before anything is paused. */
async function requireReadable({ aws }: Deployment, table: string): Promise<void> {
  await new DynamoDB(aws).scan({ TableName: table, Limit: 1 }).catch((error: unknown) => {
    const why = error instanceof Error ? error.name : String(error);
    throw new Problem(
      `The table ${table} cannot be read (${why}), and nothing was changed.`,
      "Check its name and region. The operator's policy allows no other table than the ledger: run the command as an administrator.",
    );
  });
}

async function planOf(
  shop: Shop,
  { since, goLive: given, from }: RecoverOptions,
  { deployment, ledger }: Pick<Open, 'deployment' | 'ledger'>,
): Promise<Plan> {
  const control = await readControl(ledger, shop.domain);
  const { doubt } = control;
  const restored = from === undefined ? undefined : openLedger(deployment, from);
  const kept = restored ? await readControl(restored, shop.domain) : control;
  const goLive = await findGoLive(deployment, shop, given, kept, ledger);
  const isPaused = Object.keys(control.operator).length > 0;
  return isOpenDoubt(doubt)
    ? { shop, goLive, isPaused, since: doubt.since, underWay: doubt.until }
    : { shop, goLive, isPaused, since: Math.max(since ?? 0, goLive.at), underWay: undefined };
}

const iso = (moment: number): string => new Date(moment).toISOString();

function planText(plan: Plan, { from, since: asked }: RecoverOptions): string {
  const { shop, goLive, since, underWay, isPaused } = plan;
  const pause = isPaused ? ' The shop is paused: this ends the pause, once it is safe.' : '';
  const live = `${shop.domain}: go-live is ${iso(goLive.at)} (${goLive.from}).${pause}`;
  if (underWay !== undefined) {
    const kept = asked === undefined || asked === since ? '' : ` It is of all since ${iso(since)}.`;
    return `${live} A recovery is under way since ${iso(underWay)}.${kept}`;
  }
  const copies = from === undefined ? '' : ` What the ledger lacks is copied from ${from}.`;
  return `${live}${copies} What happened since ${iso(since)} may not be in the ledger: until everything was compared, the loyalty service is read before anything is sent.`;
}

const planDocument = ({ shop, goLive, since, underWay }: Plan) => ({
  shop: shop.domain,
  goLive: { at: iso(goLive.at), from: goLive.from },
  since: iso(since),
  underWaySince: underWay === undefined ? null : iso(underWay),
});

function commandLine({ since, goLive, from, replace, shop }: RecoverOptions): string {
  return [
    'recover',
    since !== undefined && `--since ${iso(since)}`,
    goLive !== undefined && `--go-live ${iso(goLive)}`,
    from !== undefined && `--from ${from}`,
    replace && '--replace',
    shop !== undefined && `--shop ${shop}`,
    '--yes',
  ]
    .filter(Boolean)
    .join(' ');
}

const POLL_MS = 2_000;
/** Longer than a worker's batch lasts. */
const SETTLES_MS = 60_000;

/** While the shops are paused: no worker decides by a ledger that is half copied. */
async function copyIn(
  plans: readonly Plan[],
  from: string,
  { replace = false }: RecoverOptions,
  { deployment, ledger, session, signal }: Open,
): Promise<CopiedLedger> {
  const { arn } = await readCaller(deployment.aws);
  const progress = session.terminal.progress('Copying items:');
  const at = new Date();
  for (const { shop } of plans) {
    await changeControl(ledger, shop.domain, (control) =>
      withOperatorPause(control, 'all', arn, at),
    );
  }
  session.terminal.note(
    'All calls are paused until the ledger is copied. If that is interrupted, repeat the command.',
  );
  await sleep(SETTLES_MS, undefined, { signal }).catch(() => {});
  const tables = { from, to: deployment.output('LedgerTable'), replaces: replace };
  try {
    const client = new DynamoDB(deployment.aws);
    return await copyLedger(client, tables, signal, ({ read }) => progress.report(read));
  } finally {
    progress.end();
  }
}

/** From then on workers may go on, and have to: they work on what the comparison sends. */
async function putInDoubt(
  { shop: { domain, rules }, goLive, since, underWay }: Plan,
  { ledger }: Open,
): Promise<void> {
  const now = new Date();
  await changeControl(ledger, domain, (control) => ({
    ...resumed(control, 'all', now),
    ...(rules.goLive === undefined && { goLive: goLive.at }),
    ...(underWay === undefined && { doubt: { since, until: now.getTime() } }),
  }));
}

const NO_REDEMPTIONS: Recovered = { customers: 0, found: 0, unread: [] };
/** Five calls a second, as the deep scan makes. */
const CALL_PAUSE_MS = 200;

async function findRedemptions(
  plans: readonly Plan[],
  { deployment, ledger, session, signal }: Open,
): Promise<ReadonlyMap<string, Recovered>> {
  const { connector, aws, output } = deployment;
  const found = new Map<string, Recovered>();
  if (!connector.storefront) return found;
  const settings = { client: new DynamoDB(aws), table: output('LedgerTable'), pause: sleep };
  const { queue } = openSourceQueues(deployment, ['balances']);
  const now = () => new Date();
  const books = { ledger, queue, now, retentionDays: connector.orderRetentionDays };
  const services = openShopServices(deployment);
  for (const { shop, since } of plans) {
    const { domain } = shop;
    const kept = await listRecords({ ...settings, random: Math.random }, domain, 'redemption');
    for (const { id, entry } of kept) {
      if (openIn(entry.remembered, now()).length === 0) continue;
      await resumeRedemptions({ shop: domain, customerId: id }, books);
    }
    const progress = session.terminal.progress('Reading histories of customers:');
    const pause = () => sleep(CALL_PAUSE_MS);
    const deps = { ...books, loyalty: services.loyalty(shop), pause, signal };
    const recovered = await recoverRedemptions(domain, new Date(since), deps, ({ customers }) =>
      progress.report(customers),
    );
    progress.end();
    found.set(domain, recovered);
  }
  return found;
}

/** Has reconcile run again and again, instead of by its schedule, until it has compared everything. */
async function compareEverything(
  plans: readonly Plan[],
  { deployment, ledger, session, signal }: Open,
): Promise<void> {
  const domains = plans.map(({ shop }) => shop.domain);
  const progress = session.terminal.progress('Shops compared:', domains.length);
  const compared = async () => {
    const controls = await Promise.all(domains.map((domain) => readControl(ledger, domain)));
    return controls.filter(({ doubt }) => !isOpenDoubt(doubt)).length;
  };
  const reported = new Set<string>();
  const explainStop = (domain: string, { stopped = [], deep }: Partial<LastReconcile> = {}) => {
    const why = [...stopped, ...(deep?.stopped ? [deep.stopped] : [])][0]?.why;
    if (why === undefined || reported.has(domain + why)) return;
    reported.add(domain + why);
    session.terminal.note(
      `${domain}: the comparison stopped (${why}); it is started again until it ends.`,
    );
  };
  let [done, invokedAt] = [await compared(), 0];
  while (done < domains.length && !signal.aborted) {
    const runs = await Promise.all(domains.map((domain) => readReconcileRuns(ledger, domain)));
    const hasEnded = runs.every(([last]) => Date.parse(last?.beganAt ?? '') >= invokedAt);
    if (hasEnded && invokedAt > 0) {
      for (const [i, domain] of domains.entries()) explainStop(domain, runs[i]?.[0]);
    }
    const passed = Date.now() - invokedAt;
    if (invokedAt === 0 || (hasEnded && passed > AGAIN_MS) || passed > RUN_MS) {
      invokedAt = Date.now();
      await invokeReconcile(deployment, { request: randomUUID() });
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    done = await compared();
    progress.report(done);
  }
  progress.end();
}

/** Where a run ends at once, because the store or the service does not answer. */
const AGAIN_MS = 5_000;
/** The function ends after 15 minutes, and AWS may start it late. */
const RUN_MS = 17 * 60_000;

/** SQS counts approximately: one zero may be wrong. */
const ZEROS = 2;
/** If the queues do not get shorter for so long, the rest waits for a later try, perhaps for hours. */
const STILL_MS = 30_000;

/** Waits as long as the workers settle something, or until that is interrupted. */
async function drain({ deployment, session, signal }: Open) {
  const progress = session.terminal.progress('Messages settled; left:');
  let [least, fellAt, zeros] = [Number.POSITIVE_INFINITY, Date.now(), 0];
  for (;;) {
    const counts = await countMessages(deployment);
    const { left } = counts;
    progress.report(left);
    if (left < least) [least, fellAt] = [left, Date.now()];
    zeros = left === 0 ? zeros + 1 : 0;
    if (zeros === ZEROS || Date.now() - fellAt > STILL_MS || signal.aborted) {
      progress.end();
      return counts;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

async function countMessages(
  deployment: Deployment,
): Promise<{ readonly left: number; readonly letters: number }> {
  const queues = await readQueues(deployment);
  return {
    left: queues.reduce((sum, { waiting, inFlight }) => sum + waiting + inFlight, 0),
    letters: queues.reduce((sum, { dead }) => sum + dead, 0),
  };
}

async function reportOf(plan: Plan, found: ReadonlyMap<string, Recovered>, { ledger }: Open) {
  const { domain } = plan.shop;
  const { doubt } = await readControl(ledger, domain);
  const runs = await readReconcileRuns(ledger, domain);
  const [orders] = await readFindings(ledger, domain);
  const since = doubt?.until ?? 0;
  const ours = runs.filter(({ endedAt }) => Date.parse(endedAt) >= since);
  return {
    ...planDocument(plan),
    comparedAt: doubt?.comparedAt === undefined ? undefined : iso(doubt.comparedAt),
    sentAgain: ours.reduce((sum, run) => sum + sumOf(run.rolledOut) + sumOf(run.healed), 0),
    orders: { unread: orders?.unread ?? 0, differing: orders?.differing ?? 0 },
    redemptions: found.get(domain) ?? NO_REDEMPTIONS,
  };
}

function print(
  { terminal }: Session,
  deployment: Deployment,
  {
    copied,
    shops,
    messages: { left, parked },
    tookMs,
    isWhole,
  }: {
    readonly copied: CopiedLedger | undefined;
    readonly shops: readonly Awaited<ReturnType<typeof reportOf>>[];
    readonly messages: Readonly<Record<'left' | 'parked', number>>;
    readonly tookMs: number;
    readonly isWhole: boolean;
  },
): void {
  if (copied) terminal.line(`Copied ${copied.copied} of ${copied.read} items.`);
  for (const { shop, sentAgain, orders, redemptions } of shops) {
    const { customers, found, unread, stopped } = redemptions;
    const codes =
      customers > 0 ? ` Histories read: ${customers}; redemptions found: ${found}.` : '';
    terminal.paragraph(`${shop}: sent again: ${sentAgain}.${codes}`);
    if (orders.unread > 0) {
      terminal.line(`  ${orders.unread} orders could not be read: repeat the command.`);
    }
    if (orders.differing > 0) {
      terminal.line(`  ${orders.differing} orders differ. Look at them:`);
      terminal.line(`    ${nextCommand(deployment, `reconcile status --shop ${shop}`)}`);
    }
    for (const { customerId, why } of unread) {
      terminal.line(`  the history of customer ${customerId} could not be read: ${why}`);
    }
    if (stopped !== undefined) {
      terminal.line(
        `  not all customers could be listed: ${stopped}. Repeat the command for their codes.`,
      );
    }
  }
  const took = spanText(tookMs);
  if (!isWhole) {
    terminal.line(`Not everything was read and compared after ${took}. Repeat the command.`);
  } else if (left === 0) {
    terminal.line(`Recovered in ${took}: everything was compared, and what was sent is settled.`);
  } else {
    terminal.line(`Everything was compared after ${took}. Messages left on the queues: ${left}.`);
    terminal.line('They go on by themselves. Look what they wait for:');
    terminal.line(`  ${nextCommand(deployment, 'status')}`);
  }
  if (parked > 0) {
    terminal.line(`${counted(parked, 'dead letter')} came meanwhile. Look at what they say:`);
    terminal.line(`  ${nextCommand(deployment, 'dead-letters list')}`);
  }
  terminal.line(
    'Orders from before go-live that a backfill sent are unknown to a ledger that was lost:',
  );
  terminal.line(`  ${nextCommand(deployment, 'backfill orders')}`);
}
