import { setTimeout as sleep } from 'node:timers/promises';
import { type AttributeValue, DynamoDB } from '@aws-sdk/client-dynamodb';
import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import { failedCondition } from '../../../shared/aws/aws-client.ts';
import { ITEM } from '../../../shared/aws/ledger-item.ts';
import { listRecords } from '../../../shared/aws/read-ledger.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import {
  changeControl,
  inDoubt,
  readControl,
  resumed,
  type ShopControl,
  withOperatorPause,
} from '../../../shared/core/calls/shop-pause.ts';
import { batchesOf } from '../../../shared/core/events/event.ts';
import { isOpenDoubt, type Takeover } from '../../../shared/core/ledger/entry.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import {
  type Recovered,
  recoverRedemptions,
  resumeRedemptions,
} from '../../../shared/rewards/redeem/recover-redemptions.ts';
import { openIn } from '../../../shared/rewards/redeem/redemption-record.ts';
import { secretName } from '../../../shared/services/shop-secrets.ts';
import { pausesIn } from '../ground/checks/read-pauses.ts';
import {
  compareAndSettle,
  type Followed,
  judgeFollowed,
  type Open,
} from '../ground/compare/settle.ts';
import { shopsOf } from '../ground/session/arguments.ts';
import { type Deployment, openLedger, openLists } from '../ground/session/deployment.ts';
import { openSourceQueues } from '../ground/session/queues.ts';
import { readCaller } from '../ground/session/read-caller.ts';
import { openShopServices } from '../ground/session/services.ts';
import {
  type Change,
  type CommonOptions,
  carryOut,
  type Session,
} from '../ground/session/session.ts';
import { type Document, right, table, text } from '../ground/terminal/document.ts';
import { BadArguments, type ExitCode, Problem } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { utcText } from '../ground/terminal/text.ts';

export interface RecoverOptions extends CommonOptions {
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly goLive?: number;
  readonly otherOffSince?: number;
  readonly from?: string;
}

/** What is to be recovered of one shop. Moments are epoch milliseconds. */
interface Plan {
  readonly shop: Shop;
  readonly goLive: FoundGoLive;
  readonly since: number;
  /** What a lost control record does not say. */
  readonly takeover: Takeover | undefined;
  /** Since when a recovery is under way. */
  readonly underWay?: number;
  readonly isPaused: boolean;
}

/**
 * Plan → confirm → copy → put the ledger in doubt → find redemptions → compare everything → report. All but the plan may
 * be repeated: whatever was done is found done.
 * See docs/decisions/0005-a-lost-ledger-takes-nothing-twice.md.
 */
export async function recover(
  session: Session,
  options: RecoverOptions,
): Promise<Document | ExitCode> {
  if (options.from !== undefined && options.shop !== undefined) {
    throw new BadArguments('--from copies the items of all shops: leave --shop out.');
  }
  const deployment = await session.findDeployment();
  if (options.from !== undefined) await requireReadable(deployment, options.from);
  const ledger = openLedger(deployment);
  const plans: Plan[] = [];
  for (const shop of shopsOf(deployment.connector, options.shop)) {
    plans.push(await planOf(shop, options, { deployment, ledger }));
  }
  const title = `Recovery of the ledger of ${deployment.stack}`;
  return carryOut(session, deployment, options.yes, {
    preview: () => previewOf(title, plans, options),
    question: 'Recover the ledger?',
    act: (change) => recoverAll(title, plans, options, { session, deployment, ledger, change }),
  });
}

async function recoverAll(
  title: string,
  plans: readonly Plan[],
  options: RecoverOptions,
  given: Omit<Open, 'signal'> & { readonly change: Change },
): Promise<Document> {
  const { session, change } = given;
  const signal = session.interruption(
    'The comparison continues in the background. Repeat the command to follow it.',
  );
  const open = { ...given, signal };
  const copied = options.from === undefined ? undefined : await copyIn(plans, options.from, open);
  if (copied && signal.aborted) {
    const what = 'Not everything was copied, and all calls stay paused. Repeat the command.';
    return {
      title,
      verdict: { kind: 'action required', what },
      blocks: [],
      data: { changed: true, copied, isPaused: true },
    };
  }
  for (const plan of plans) await putInDoubt(plan, open);
  const found = await findRedemptions(plans, open);
  const domains = plans.map(({ shop }) => shop.domain);
  const followed = await compareAndSettle(domains, open);
  const shops = followed.shops.map((one, index) => {
    const { goLive, since } = plans[index] ?? {};
    const redemptions = found.get(one.shop) ?? NO_REDEMPTIONS;
    const { unread, stopped } = redemptions;
    const isWhole = one.isWhole && unread.length === 0 && stopped === undefined;
    return { ...one, isWhole, goLive, since, redemptions };
  });
  change.count({ shops: shops.length, sent: followed.sent });
  return endOf(title, { ...followed, copied, shops });
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
  { otherOffSince, from, ...given }: RecoverOptions,
  { deployment, ledger }: Pick<Open, 'deployment' | 'ledger'>,
): Promise<Plan> {
  const control = await readControl(ledger, shop.domain);
  const { doubt } = control;
  const restored = from === undefined ? undefined : openLedger(deployment, from);
  const kept = restored ? await readControl(restored, shop.domain) : control;
  return {
    shop,
    ...(await findLost(deployment, shop, given, kept, ledger)),
    isPaused: pausesIn(shop, control, new Date()).some(({ by }) => by === 'operator'),
    takeover: takeoverOf(shop, [control, kept], otherOffSince),
    ...(isOpenDoubt(doubt) && { since: doubt.since, underWay: doubt.until }),
  };
}

/** When another integration was switched off; without that, its refunds would be taken once more. */
export function takeoverOf(
  { otherOrderIds }: Pick<Shop, 'otherOrderIds'>,
  controls: readonly ShopControl[],
  offSince?: number,
): Takeover | undefined {
  const known = controls.flatMap(({ takeover }) => takeover ?? []);
  const found = known.find((one) => one.offSince !== undefined) ?? known[0];
  if (offSince === undefined) return found;
  return { until: Date.now(), ids: otherOrderIds, ...found, offSince };
}

interface FoundGoLive {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Where it comes from, in words. */
  readonly from: string;
}

/**
 * When the program of a shop began, and since when its ledger may be missing something. A ledger that was lost says
 * neither: its table is new. The secrets of a shop stay when the stack is deleted, and are as old as its first deployment.
 */
export async function findLost(
  deployment: Deployment,
  { domain, path, rules }: Pick<Shop, 'domain' | 'path' | 'rules'>,
  given: Pick<RecoverOptions, 'since' | 'goLive'>,
  { goLive: recorded }: ShopControl,
  ledger: Pick<Ledger, 'createdAt'>,
): Promise<Pick<Plan, 'goLive' | 'since'>> {
  const created = await ledger.createdAt();
  const SecretId = secretName(deployment.output('SecretsPrefix'), path, 'loyalty');
  const secrets = new SecretsManager(deployment.aws);
  // Without the right to, or without the secret, the table's date counts.
  const secret = await secrets.describeSecret({ SecretId }).catch(() => undefined);
  const deployed = Math.min(secret?.CreatedDate?.getTime() ?? created, created);
  const goLive = findGoLive();
  // Products, codes and redemptions do not wait for go-live: what the ledger knew of them is older.
  return { goLive, since: Math.max(given.since ?? 0, Math.min(deployed, goLive.at)) };

  function findGoLive(): FoundGoLive {
    if (rules.goLive !== undefined) return { at: Date.parse(rules.goLive), from: 'rules.goLive' };
    if (given.goLive !== undefined) return { at: given.goLive, from: '--go-live' };
    // Kept from an earlier table, or given before. A new table's own record says no more than its date.
    if (recorded !== undefined && recorded < created) return { at: recorded, from: 'the ledger' };
    const made = deployed < created ? `secrets of ${domain}` : "ledger's table";
    return { at: deployed, from: `the date of the ${made}` };
  }
}

const iso = (moment: number): string => new Date(moment).toISOString();
const utc = (moment: number): string => `${utcText(moment)} UTC`;

function previewOf(title: string, plans: readonly Plan[], options: RecoverOptions): Document {
  const { since, goLive, otherOffSince, from, shop } = options;
  const date = (moment?: number) => moment && iso(moment);
  const given = {
    ...{ since: date(since), 'go-live': date(goLive), 'other-off-since': date(otherOffSince) },
    ...{ from, shop, yes: true },
  };
  const rows = plans.map((plan) => ({
    cells: [plan.shop.domain, `${utc(plan.goLive.at)} (${plan.goLive.from})`, utc(plan.since)],
    detail: remarksOn(plan, options),
  }));
  return {
    title,
    blocks: [
      table(['Shop', 'Go-live', 'In doubt since'], rows),
      text(
        'The ledger may be missing what happened since then: until everything is compared, the loyalty service is read before anything is sent.',
      ),
    ],
    next: [{ label: 'Recover the ledger', line: line('recover', [], given) }],
    data: {
      changed: false,
      shops: plans.map(({ shop, ...plan }) => ({ ...plan, shop: shop.domain })),
    },
  };
}

function remarksOn({ underWay, isPaused }: Plan, { from }: RecoverOptions): string {
  const remarks = [
    isPaused && 'The shop is paused: this ends the pause once it is safe.',
    underWay !== undefined && `A recovery has been running since ${utc(underWay)}.`,
    from !== undefined && `Missing items are copied from ${from}.`,
  ];
  return remarks.filter(Boolean).join(' ');
}

/** Longer than a worker's batch lasts. */
const SETTLES_MS = 60_000;

/** While the shops are paused: no worker decides by a ledger that is half copied. */
async function copyIn(
  plans: readonly Plan[],
  from: string,
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
  const tables = { from, to: deployment.output('LedgerTable') };
  const client = new DynamoDB(deployment.aws);
  return copyLedger(client, tables, signal, ({ read }) => progress.report(read));
}

interface CopiedLedger {
  readonly read: number;
  readonly copied: number;
}

const AT_ONCE = 25;

/** It says what pauses a shop now, not when the table was copied. */
const isControl = (item: Record<string, AttributeValue>): boolean =>
  /^control\|/.test(item[ITEM.key]?.S ?? '');

/**
 * Copies the items of a restored table into the ledger's own: those that it lacks. What the ledger has
 * since is newer, and is compared with the service all the same. May be repeated.
 */
export async function copyLedger(
  client: Pick<DynamoDB, 'scan' | 'putItem'>,
  tables: { readonly from: string; readonly to: string },
  signal: AbortSignal,
  onProgress: (copied: CopiedLedger) => void = () => {},
): Promise<CopiedLedger> {
  const put = async (Item: Record<string, AttributeValue>): Promise<number> => {
    const isNew = {
      ConditionExpression: 'attribute_not_exists(#key)',
      ExpressionAttributeNames: { '#key': ITEM.key },
    };
    const asked = client.putItem({ TableName: tables.to, Item, ...isNew });
    return asked
      .then(() => 1)
      .catch((error: unknown) => {
        if (failedCondition(error)) return 0;
        throw error;
      });
  };
  let copied: CopiedLedger = { read: 0, copied: 0 };
  let after: Record<string, AttributeValue> | undefined;
  while (!signal.aborted) {
    const page = await client.scan({ TableName: tables.from, ExclusiveStartKey: after });
    const items = (page.Items ?? []).filter((item) => !isControl(item));
    for (const some of batchesOf(items, AT_ONCE)) {
      const written = await Promise.all(some.map(put));
      const sum = written.reduce<number>((total, one) => total + one, 0);
      copied = { read: copied.read + some.length, copied: copied.copied + sum };
      onProgress(copied);
    }
    after = page.LastEvaluatedKey;
    if (after === undefined) break;
  }
  return copied;
}

/** From then on workers may go on, and have to: they work on what the comparison sends. */
async function putInDoubt(
  { shop: { domain, rules }, goLive, since, takeover, underWay }: Plan,
  { ledger }: Open,
): Promise<void> {
  const now = new Date();
  const withOther = (one: ShopControl) => ({ ...one, ...(takeover && { takeover }) });
  const doubtful = (one: ShopControl) => (underWay === undefined ? inDoubt(one, since, now) : one);
  await changeControl(ledger, domain, (control) => ({
    ...resumed(doubtful(withOther(control)), 'all', now),
    ...(rules.goLive === undefined && { goLive: goLive.at }),
  }));
}

const NO_REDEMPTIONS: Recovered = { customers: 0, found: 0, unread: [] };

/** Five calls a second, as the deep scan makes. */
const CALL_PAUSE_MS = 200;

async function findRedemptions(
  plans: readonly Plan[],
  { deployment, ledger, session, signal }: Open,
): Promise<ReadonlyMap<string, Recovered>> {
  const { connector } = deployment;
  const found = new Map<string, Recovered>();
  if (!connector.storefront) return found;
  const { queue } = openSourceQueues(deployment, ['balances']);
  const now = () => new Date();
  const books = { ledger, queue, now, retentionDays: connector.orderRetentionDays };
  const services = openShopServices(deployment);
  for (const { shop, since } of plans) {
    const { domain } = shop;
    const kept = await listRecords(openLists(deployment), domain, 'redemption');
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
    found.set(domain, recovered);
  }
  return found;
}

type RecoveredShop = Followed['shops'][number] & { readonly redemptions: Recovered };

interface Ended extends Followed {
  readonly copied: CopiedLedger | undefined;
  readonly shops: readonly RecoveredShop[];
}

export function endOf(title: string, ended: Ended): Document {
  const { copied, shops } = ended;
  const { verdict, next } = judgeFollowed(ended, 'Recovered', 'Repeat the command.');
  return {
    title,
    verdict,
    blocks: [
      text(copied && `Copied ${copied.copied} of ${copied.read} items.`),
      table(
        [
          ...['Shop', right('Sent again'), right('Orders that differ'), right('Orders not read')],
          ...[right('Histories read'), right('Redemptions found')],
        ],
        shops.map(({ shop, sentAgain, orders, redemptions: { customers, found, ...rest } }) => ({
          cells: [shop, sentAgain, orders.differing, orders.unread, customers, found],
          detail: unreadText(rest),
        })),
      ),
    ],
    next: [
      ...next,
      {
        label: 'See backfills',
        say: 'A lost ledger does not know the orders from before go-live that a backfill sent:',
        line: line('backfill status'),
      },
    ],
    data: { changed: true, ...ended },
  };
}

function unreadText({ unread, stopped }: Pick<Recovered, 'unread' | 'stopped'>): string {
  const parts = unread.map(
    ({ customerId, why }) => `the history of customer ${customerId} could not be read: ${why}`,
  );
  if (stopped !== undefined) parts.push(`not all customers could be listed: ${stopped}`);
  return parts.join('; ');
}
