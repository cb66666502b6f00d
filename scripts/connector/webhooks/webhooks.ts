import type { Healing } from '../../../shared/config/connector-settings.ts';
import { API_VERSION } from '../../../shared/shopify/entity-id.ts';
import {
  createSubscriptions,
  isInOrder,
  type SubscriptionFindings,
  type Subscriptions,
} from '../../../shared/shopify/subscriptions/subscriptions.ts';
import {
  type Check,
  type ChecksData,
  checksDocument,
  type Finding,
  fail,
  fixDocument,
  forEachShop,
  info,
  pass,
  resultOf,
  type ShopDeps,
  shopDeps,
  unknown,
  warn,
} from '../checks/check.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { storeProblem } from '../deployment/services.ts';
import { type Document, text } from '../document/document.ts';
import { line } from '../document/line.ts';
import { findShop, shopsOf } from '../session/arguments.ts';
import type { Session } from '../session/session.ts';
import { counted } from '../terminal/text.ts';

export interface WebhookOptions {
  readonly shop?: string;
}

export interface SyncOptions extends WebhookOptions {
  readonly yes?: boolean;
  readonly prune?: boolean;
  readonly covered?: boolean;
}

const titleOf = ({ stack }: Deployment) => `Webhook subscriptions of ${stack}`;

export async function checkWebhooks(
  { findDeployment }: Session,
  { shop }: WebhookOptions,
): Promise<Document<ChecksData>> {
  const deployment = await findDeployment();
  const check = subscriptionsCheck(shopDeps(deployment, shopsOf(deployment.connector, shop)));
  return checksDocument(titleOf(deployment), [resultOf(check, await check.look())]);
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
): Promise<Document<ChecksData>> {
  const deployment = await session.findDeployment();
  const { shop, prune, covered, yes } = options;
  if (yes) await session.beginChange(deployment);
  const repairable = (found: readonly Finding[]) =>
    found.filter(({ verdict, next }) => (verdict === 'fail' || verdict === 'warn') && next).length;
  const deps = shopDeps(deployment, shopsOf(deployment.connector, shop));
  return fixDocument(subscriptionsCheck(deps, options, session), {
    ...{ title: titleOf(deployment), yes },
    isWanted: (found) => repairable(found) > 0,
    next: (found) => ({
      label: `Repair ${counted(repairable(found), 'subscription')}`,
      line: line('webhooks sync', [], { shop, prune, covered, yes: true }),
    }),
    blocks: isSeen(deployment.connector.healing) ? [] : [text(BOTH)],
  });
}

/** The Admin API does not show what the app's configuration makes. */
const isSeen = ({ subscriptions }: Healing): boolean => subscriptions === 'admin-api';

const BOTH =
  "What is made through the Admin API comes a second time: the app's configuration makes the subscriptions.";

/** The webhook subscriptions of each shop; the settings say where they go and who creates them. */
export function subscriptionsCheck(
  deps: ShopDeps,
  options: SyncOptions = {},
  session?: Pick<Session, 'terminal' | 'beginChange'>,
): Check {
  const { deployment, shops } = deps;
  const { healing } = deployment.connector;
  const subscriptions = openSubscriptions(deps);
  return {
    name: 'subscriptions',
    needs: ['Admin API'],
    look: forEachShop(shops, async ({ domain }) => {
      const checked = await subscriptions.check(domain);
      if (checked.kind === 'unavailable') {
        const { message, next } = storeProblem(checked.answer, deployment);
        return [unknown(message.replace(/\.$/, ''), ...(next === undefined ? [] : [next]))];
      }
      const findings = withOptions(checked.findings, options);
      return judge(findings, domain, healing);
    }),
    ...(session && (isSeen(healing) || options.yes) && { fix: () => repair(session) }),
  };

  /** One finding for each change, and for each that the store refused. */
  async function repair({
    terminal,
    beginChange,
  }: Pick<Session, 'terminal' | 'beginChange'>): Promise<readonly Finding[]> {
    const recorded = await beginChange(deployment);
    const counts: Record<string, number> = {};
    const changes: Finding[] = [];
    const progress = terminal.progress('repairing');
    for (const { domain: shop } of await shops) {
      const checked = await subscriptions.check(shop);
      if (checked.kind === 'unavailable') throw storeProblem(checked.answer, deployment);
      const findings = withOptions(checked.findings, options);
      if (isInOrder(findings)) continue;
      for (const change of await subscriptions.repair(shop, findings)) {
        const { done, topic } = change;
        const isRefused = change.done === 'refused';
        const finding = isRefused
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
}

function openSubscriptions({ deployment, services }: ShopDeps): Subscriptions {
  const { connector, output } = deployment;
  const { ask } = services();
  const find = (domain: string) => findShop(connector, domain);
  return createSubscriptions({
    ask: (domain) => ask(find(domain)),
    shopOf: find,
    webhookAddress: output('WebhookAddress'),
    madeBy: connector.healing.subscriptions,
    products: connector.healing,
  });
}

/** Subscriptions with another address count as superfluous only with --prune, covered ones with --covered. */
function withOptions(found: SubscriptionFindings, options: SyncOptions): SubscriptionFindings {
  const { extra, covered, other } = found;
  return {
    ...found,
    extra: [...extra, ...(options.covered ? covered : []), ...(options.prune ? other : [])],
    covered: options.covered ? [] : covered,
    other: options.prune ? [] : other,
  };
}

function judge(found: SubscriptionFindings, shop: string, healing: Healing): readonly Finding[] {
  const { fine, covered, other, version } = found;
  const faults = faultsOf(found);
  const sync = {
    label: 'See what would be repaired',
    line: line('webhooks sync', [], { shop }),
  };
  const compare = { label: "Compare the app's file", line: line('app check', [], { shop }) };
  const remove = {
    label: `Remove ${counted(covered.length, 'webhook')}`,
    say: 'Once Events arrive:',
    line: line('webhooks sync', [], { shop, covered: true }),
  };
  return [
    // Without those of the Admin API, which come a second time, nothing may come at all.
    ...faults.map((what) => (isSeen(healing) ? fail : warn)(what, sync)),
    ...(faults.length === 0 && isSeen(healing)
      ? [pass(`${fine.length} subscriptions are as they should be`)]
      : []),
    ...(version?.retired ? [fail(versionText(version), SET_VERSION)] : []),
    ...(version && !version.retired ? [warn(versionText(version), SET_VERSION)] : []),
    ...unseenIn(healing).map((what) => info(what, compare)),
    ...covered.map(({ topic }) => info(`${topic} is covered: Events announce it too`, remove)),
    ...other.map(({ topic, uri }) => info(`${topic} goes to another address: ${uri}`)),
  ];
}

const SET_VERSION =
  "Set the app's webhook API version in its configuration: a subscription has none.";

const versionText = ({ handle, retired }: NonNullable<SubscriptionFindings['version']>) =>
  `webhooks come in ${retired ? 'the retired ' : ''}API version ${handle}; the readers are for ${API_VERSION}`;

function faultsOf({ missing, wrong, extra }: SubscriptionFindings): readonly string[] {
  return [
    ...missing.map(({ topic }) => `the subscription of ${topic} is missing`),
    ...wrong.map(({ wanted, differs }) => `${wanted.topic} differs in ${differs.join(', ')}`),
    ...extra.map(({ topic, uri }) => `${topic} is subscribed to once too often (${uri})`),
  ];
}

const unseenIn = (healing: Healing): readonly string[] => [
  ...(isSeen(healing)
    ? []
    : ["the app's configuration makes the webhook subscriptions, which cannot be seen from here"]),
  ...(healing.productChanges === 'events'
    ? ['changes of products come by Events, which cannot be seen from here']
    : []),
];

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
  const { shops, healing } = deployment.connector;
  const subscriptions = openSubscriptions(shopDeps(deployment, shops));
  return Promise.all(
    shops.map(async ({ domain: shop }): Promise<SubscriptionStatus> => {
      const checked = await subscriptions.check(shop);
      if (checked.kind === 'unavailable') {
        const why = `the store does not tell (${checked.why})`;
        return { shop, found: { kind: 'unknown', why } };
      }
      const { findings } = checked;
      const { fine, version } = findings;
      const versions = version ? [versionText(version)] : [];
      const faults = [...faultsOf(findings), ...(version?.retired ? versions : [])];
      const notes = [...(version?.retired ? [] : versions), ...unseenIn(healing)];
      const value = { right: fine.length, faults, notes };
      return { shop, found: { kind: 'known', value } };
    }),
  );
}
