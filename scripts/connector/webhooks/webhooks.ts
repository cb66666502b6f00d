import type { Shop } from '../../../shared/config/connector-config.ts';
import type { Healing } from '../../../shared/config/connector-settings.ts';
import { API_VERSION } from '../../../shared/shopify/entity-id.ts';
import {
  createSubscriptions,
  isInOrder,
  type SubscriptionFindings,
  type Subscriptions,
} from '../../../shared/shopify/subscriptions/subscriptions.ts';
import { findShop, shopsOf } from '../arguments.ts';
import {
  type Check,
  type Finding,
  fail,
  findingsBlock,
  forEachShop,
  info,
  lookAndFix,
  pass,
  resultOf,
  type ShopDeps,
  unknown,
  verdictOf,
  warn,
} from '../checks/check.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openShopServices, storeProblem } from '../deployment/services.ts';
import {
  type Block,
  type Document,
  type Row,
  type TableBlock,
  text,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/text.ts';

export interface WebhookOptions {
  readonly shop?: string;
}

export interface SyncOptions extends WebhookOptions {
  readonly yes?: boolean;
  readonly prune?: boolean;
  readonly covered?: boolean;
}

interface WebhooksData {
  readonly madeBy: Healing['subscriptions'];
  readonly productChanges: Healing['productChanges'];
  /** As they were before anything was repaired. */
  readonly shops: readonly (SubscriptionFindings & { readonly shop: string })[];
}

type Found = Finding<SubscriptionFindings>;

export async function checkWebhooks(
  session: Session,
  options: WebhookOptions,
): Promise<Document<WebhooksData>> {
  const deployment = await session.findDeployment();
  const check = openCheck(deployment, options);
  return documentOf(deployment, check, await check.look());
}

/**
 * Creates, corrects and removes subscriptions. Those that Events cover are removed only with --covered: nothing
 * but a person can see that the Events arrive. Where the app's configuration creates them, none is
 * created here; those that were created through the Admin API would send every event twice and are
 * removed, but only with --yes: the Admin API does not show whether the configuration really creates them.
 */
export async function syncWebhooks(
  session: Session,
  options: SyncOptions,
): Promise<Document<WebhooksData>> {
  const deployment = await session.findDeployment();
  const check = openCheck(deployment, options, session);
  if (options.yes) {
    const { before, done = [], after } = await lookAndFix(check);
    const changed = findingsBlock([resultOf(check, done)], { title: 'Changed' });
    const shown = documentOf(deployment, check, after);
    const first = done.length > 0 ? changed : text('Nothing to do: nothing was changed.');
    const refused = done.some(({ verdict }) => verdict === 'fail');
    return {
      ...shown,
      ...(refused && { verdict: verdictOf([resultOf(check, [...done, ...after])]) }),
      blocks: [first, ...shown.blocks],
      data: dataOf(deployment, before),
    };
  }
  const found = await check.look();
  const { verdict, ...shown } = documentOf(deployment, check, found);
  const changes = found.map(({ about }) => (about ? countChanges(about) : 0));
  const many = changes.reduce((sum, one) => sum + one, 0);
  if (many === 0) return { ...shown, ...(verdict && { verdict }) };
  const { shop, prune, covered } = options;
  return {
    ...shown,
    blocks: [...shown.blocks, text('Nothing was changed.')],
    next: [
      {
        label: `Repair ${counted(many, 'subscription')}`,
        line: line('webhooks sync', [], { shop, prune, covered, yes: true }),
      },
    ],
  };
}

function openCheck(deployment: Deployment, options: SyncOptions, session?: Session) {
  const shops = shopsOf(deployment.connector, options.shop);
  const deps = { deployment, shops, services: () => openShopServices(deployment) };
  return subscriptionsCheck(deps, options, session);
}

/** The webhook subscriptions of each shop; the settings say where they go and who creates them. */
export function subscriptionsCheck(
  { deployment, shops, services }: ShopDeps,
  options: SyncOptions = {},
  session?: Pick<Session, 'terminal' | 'beginChange'>,
): Check<SubscriptionFindings> {
  const { connector } = deployment;
  const subscriptions = openSubscriptions(deployment, services());
  return {
    name: 'subscriptions',
    needs: ['Admin API'],
    look: forEachShop(shops, async ({ domain }): Promise<readonly Found[]> => {
      const checked = await subscriptions.check(domain);
      if (checked.kind === 'unavailable') {
        const { message, next } = storeProblem(checked.answer, deployment);
        return [unknown(message.replace(/\.$/, ''), ...(next === undefined ? [] : [next]))];
      }
      return judge(withOptions(checked.findings, options), domain, connector.healing);
    }),
    ...(session && { fix: (found) => repair(subscriptions, found, session, deployment) }),
  };
}

function openSubscriptions(
  { connector, output }: Deployment,
  services: ReturnType<ShopDeps['services']>,
): Subscriptions {
  const find = (domain: string) => findShop(connector, domain);
  return createSubscriptions({
    ask: (domain) => services.ask(find(domain)),
    shopOf: find,
    webhookAddress: output('WebhookAddress'),
    madeBy: connector.healing.subscriptions,
    products: connector.healing,
  });
}

/** Subscriptions with another address count as superfluous only with --prune, covered ones with --covered. */
function withOptions(found: SubscriptionFindings, options: SyncOptions): SubscriptionFindings {
  const covered = options.covered ? found.covered : [];
  const other = options.prune ? found.other : [];
  return {
    ...found,
    extra: [...found.extra, ...covered, ...other],
    covered: options.covered ? [] : found.covered,
    other: options.prune ? [] : found.other,
  };
}

const BY_CONFIGURATION =
  "the app's configuration makes the webhook subscriptions, which cannot be seen from here";

function judge(
  about: SubscriptionFindings,
  shop: string,
  { subscriptions: madeBy, productChanges }: Healing,
): readonly Found[] {
  const { fine, covered, version } = about;
  const [first, ...others] = faultsOf(about);
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  const sync = {
    label: 'See what would be repaired',
    line: line('webhooks sync', [], { shop }),
  };
  const compare = { label: "Compare the app's file", line: line('app check', [], { shop }) };
  const removeCovered = {
    label: `Remove ${counted(covered.length, 'webhook')}`,
    say: 'They come by webhooks too. Once Events arrive, remove these webhooks:',
    line: line('webhooks sync', [], { shop, covered: true }),
  };
  const right = `${fine.length} subscriptions are as they should be`;
  const ofConfiguration = madeBy === 'app-configuration';
  return [
    ...(first === undefined ? [] : [{ ...fail(`${first}${more}`, sync), about }]),
    ...(first === undefined && !ofConfiguration ? [{ ...pass(right), about }] : []),
    ...(ofConfiguration ? [info(BY_CONFIGURATION, compare)] : []),
    ...(version ? [judgeVersion(version)] : []),
    ...(productChanges === 'events'
      ? [
          info(
            'changes of products come by Events, which cannot be seen from here',
            ...(covered.length > 0 ? [removeCovered] : []),
          ),
        ]
      : []),
  ];
}

function judgeVersion({ handle, retired }: NonNullable<SubscriptionFindings['version']>): Found {
  const fix = "Set the app's webhook API version in its configuration: a subscription has none.";
  return retired
    ? fail(`webhooks come in the retired API version ${handle}`, fix)
    : warn(`webhooks come in API version ${handle}; the readers are for ${API_VERSION}`, fix);
}

function faultsOf({ missing, wrong, extra }: SubscriptionFindings): readonly string[] {
  return [
    ...missing.map(({ topic }) => `the subscription of ${topic} is missing`),
    ...wrong.map(({ wanted, differs }) => `${wanted.topic} differs in ${differs.join(', ')}`),
    ...extra.map(({ topic }) => `${topic} is subscribed to once too often`),
  ];
}

const countChanges = ({ missing, wrong, extra }: SubscriptionFindings): number =>
  missing.length + wrong.length + extra.length;

/** One finding for each change, and for each that the store refused. */
async function repair(
  subscriptions: Subscriptions,
  found: readonly Found[],
  { terminal, beginChange }: Pick<Session, 'terminal' | 'beginChange'>,
  deployment: Deployment,
): Promise<readonly Found[]> {
  const recorded = await beginChange(deployment);
  const counts: Record<string, number> = {};
  const changes: Found[] = [];
  const progress = terminal.progress('repairing');
  for (const { shop = '', about } of found) {
    if (!about || isInOrder(about)) continue;
    for (const change of await subscriptions.repair(shop, about)) {
      const { done, topic } = change;
      const finding =
        change.done === 'refused'
          ? fail(`${topic} was refused: ${change.why}`)
          : info(`${done} ${topic}`);
      changes.push({ ...finding, shop });
      counts[done] = (counts[done] ?? 0) + 1;
      recorded.count(counts);
      progress.report(changes.length);
    }
  }
  progress.end();
  return changes;
}

function documentOf(
  { stack, connector }: Deployment,
  check: Check,
  found: readonly Found[],
): Document<WebhooksData> {
  const result = resultOf(check, found);
  const ofConfiguration = connector.healing.subscriptions === 'app-configuration';
  const tables = found.flatMap((one): readonly Block[] => {
    const rows = one.about ? rowsOf(one.about) : [];
    return rows.length > 0 ? [tableOf(one.shop ?? '', rows)] : [];
  });
  const superfluous = found.some(({ about }) => about && about.extra.length > 0);
  const twice = text(
    "These were created through the Admin API; together with the app's configuration every event would come twice.",
  );
  return {
    title: `Webhook subscriptions of ${stack}`,
    verdict: verdictOf([result]),
    blocks: [
      findingsBlock([result]),
      ...tables,
      ...(ofConfiguration && superfluous ? [twice] : []),
    ],
    data: dataOf({ connector }, found),
  };
}

function dataOf(
  { connector }: Pick<Deployment, 'connector'>,
  found: readonly Found[],
): WebhooksData {
  const { subscriptions: madeBy, productChanges } = connector.healing;
  const shops = found.flatMap(({ shop = '', about }) => (about ? [{ shop, ...about }] : []));
  return { madeBy, productChanges, shops };
}

function tableOf(title: string, rows: readonly Row[]): TableBlock {
  return {
    kind: 'table',
    title,
    columns: [{ title: 'State' }, { title: 'Topic' }, { title: 'Detail', shrinks: true }],
    rows,
  };
}

function rowsOf({ missing, wrong, extra, covered, other }: SubscriptionFindings): readonly Row[] {
  const rows = [
    ...missing.map(({ topic }) => ['missing', topic, '']),
    ...wrong.map(({ wanted, differs }) => ['wrong', wanted.topic, `other ${differs.join(', ')}`]),
    ...extra.map(({ topic, uri }) => ['too many', topic, uri]),
    ...covered.map(({ topic }) => ['covered', topic, 'Events announce it too']),
    ...other.map(({ topic, uri }) => ['other', topic, uri]),
  ];
  return rows.map((cells) => ({ cells }));
}

/** The subscriptions of one shop, in short. */
export interface SubscriptionStatus {
  readonly shop: string;
  readonly found:
    | {
        readonly kind: 'known';
        readonly value: {
          readonly right: number;
          /** In words: `orders/create is missing`. */
          readonly faults: readonly string[];
          /** Worth knowing: another version than expected, or that they cannot be seen. */
          readonly notes: readonly string[];
        };
      }
    | { readonly kind: 'unknown'; readonly why: string };
}

/** Of every shop, judged as in the scheduled run. */
export async function readSubscriptions(
  deployment: Deployment,
): Promise<readonly SubscriptionStatus[]> {
  const { shops } = deployment.connector;
  const deps = { deployment, shops, services: () => openShopServices(deployment) };
  const findings = await subscriptionsCheck(deps).look();
  return shops.map(({ domain }: Shop): SubscriptionStatus => {
    const own = findings.filter(({ shop }) => shop === domain);
    const unread = own.find(({ verdict }) => verdict === 'unknown');
    if (unread) return { shop: domain, found: { kind: 'unknown', why: unread.what } };
    const about = own.find((one) => one.about)?.about;
    const failed = own.filter(({ verdict, about }) => verdict === 'fail' && !about);
    const notes = own.filter(({ verdict }) => verdict === 'info' || verdict === 'warn');
    const value = {
      right: about?.fine.length ?? 0,
      faults: [...(about ? faultsOf(about) : []), ...failed.map(({ what }) => what)],
      notes: notes.map(({ what }) => what),
    };
    return { shop: domain, found: { kind: 'known', value } };
  });
}
