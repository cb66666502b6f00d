import type { Shop } from '../../../../shared/config/connector-config.ts';
import type { Healing } from '../../../../shared/config/connector-settings.ts';
import { QUIET_MINUTES } from '../../../../shared/core/reconcile/dependencies.ts';
import { API_VERSION } from '../../../../shared/shopify/entity-id.ts';
import {
  createSubscriptions,
  isInOrder,
  type SubscriptionFindings,
  type Subscriptions,
} from '../../../../shared/shopify/subscriptions/subscriptions.ts';
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
} from '../../ground/checks/check.ts';
import { findShop, shopsOf } from '../../ground/session/arguments.ts';
import type { Deployment } from '../../ground/session/deployment.ts';
import { commandsOf, storeUnread } from '../../ground/session/services.ts';
import type { CommonOptions, Session } from '../../ground/session/session.ts';
import type { Document, Suggestion } from '../../ground/terminal/document.ts';
import { line } from '../../ground/terminal/line.ts';
import { counted } from '../../ground/terminal/text.ts';
import { adminOf, isShopify } from './store-checks.ts';

export interface SyncOptions extends CommonOptions {
  readonly prune?: boolean;
  readonly covered?: boolean;
}

const titleOf = ({ stack }: Deployment) => `Webhook subscriptions of ${stack}`;

export async function checkWebhooks(
  { findDeployment }: Session,
  { shop }: CommonOptions,
): Promise<Document<ChecksData>> {
  const deployment = await findDeployment();
  const check = subscriptionsCheck(shopDeps(deployment, shopsOf(deployment.connector, shop)));
  return checksDocument(titleOf(deployment), [resultOf(check, await check.look())]);
}

/** Creates, corrects and removes subscriptions; those that Events cover only with --covered, for a person to decide. */
export async function syncWebhooks(
  session: Session,
  options: SyncOptions,
): Promise<Document<ChecksData>> {
  const deployment = await session.findDeployment();
  const { shop, prune, covered, yes } = options;
  if (yes) await session.beginChange(deployment);
  const repairable = (found: readonly Finding[]) =>
    found.some(({ verdict, next }) => (verdict === 'fail' || verdict === 'warn') && next);
  const shops = shopsOf(deployment.connector, shop);
  const deps = shopDeps(deployment, shops);
  return fixDocument(subscriptionsCheck(deps, options, session), {
    ...{ title: titleOf(deployment), yes },
    isWanted: repairable,
    next: () => ({
      label: 'Repair the subscriptions',
      line: line('webhooks sync', [], { shop, prune, covered, yes: true }),
    }),
    afterwards: findMissed(shops, shop),
  });
}

/** No webhook came of what changed while a subscription was missing or wrong. */
const findMissed = (shops: readonly Shop[], shop: string | undefined): readonly Suggestion[] => [
  ...shops.map(({ domain }) => ({
    label: 'See the orders that were missed',
    say: 'Earlier webhooks may have been missed. Which orders differ now:',
    line: line('compare', ['orders'], { since: '24h', shop: domain }),
  })),
  {
    label: 'Compare and send what was missed',
    say: `This sends what was missed. It leaves out the last ${QUIET_MINUTES} minutes, whose webhooks may still come; a later run compares them:`,
    line: line('reconcile', [], { shop }),
  },
];

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
    needs: ['store secret', 'Admin API'],
    look: forEachShop(shops, async (shop) => {
      const { sender } = commandsOf(shop);
      if (sender !== undefined) return [info(sender)];
      const { domain } = shop;
      const checked = await subscriptions.check(domain);
      if (checked.kind === 'unavailable') {
        const { message, next } = storeUnread(checked);
        return [unknown(message.replace(/\.$/, ''), ...(next === undefined ? [] : [next]))];
      }
      const findings = withOptions(checked.findings, options);
      return judge(findings, domain, healing);
    }),
    ...(session && { fix: () => repair(session) }),
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
    for (const { domain: shop } of shops.filter(isShopify)) {
      const checked = await subscriptions.check(shop);
      if (checked.kind === 'unavailable') throw storeUnread(checked);
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
    return changes;
  }
}

function openSubscriptions(deps: ShopDeps): Subscriptions {
  const { connector, output } = deps.deployment;
  const find = (domain: string) => findShop(connector, domain);
  return createSubscriptions({
    ask: (domain) => adminOf(deps, find(domain)),
    shopOf: find,
    webhookAddress: output('WebhookAddress'),
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
  const sync = { label: 'See what would be repaired', line: line('webhooks sync', [], { shop }) };
  const compare = { label: "Compare the app's file", line: line('doctor') };
  const remove = {
    label: `Remove ${counted(covered.length, 'webhook')}`,
    say: 'Once Events arrive:',
    line: line('webhooks sync', [], { shop, covered: true }),
  };
  return [
    ...faults.map((what) => fail(what, sync)),
    ...(faults.length === 0 ? [pass(`${counted(fine.length, 'subscription')} correct`)] : []),
    ...(version?.retired ? [fail(versionText(version), SET_VERSION)] : []),
    ...(version && !version.retired ? [warn(versionText(version), SET_VERSION)] : []),
    ...(healing.productChanges === 'events' ? [info(EVENTS, compare)] : []),
    ...covered.map(({ topic }) => info(`${topic} is covered: Events announce it too`, remove)),
    ...other.map(({ topic, uri }) => info(`${topic} goes to another address: ${uri}`)),
  ];
}

const SET_VERSION =
  "Set the app's webhook API version in its configuration: a subscription has none.";

const versionText = ({ handle, retired }: NonNullable<SubscriptionFindings['version']>) =>
  `webhooks arrive in ${retired ? 'the retired ' : ''}API version ${handle}; the connector reads ${API_VERSION}`;

function faultsOf({ fine, missing, wrong, extra }: SubscriptionFindings): readonly string[] {
  const topics = missing.map(({ topic }) => topic).join(', ');
  const others = fine.length + wrong.length;
  const of = `${missing.length} of ${missing.length + others} subscriptions are missing`;
  return [
    ...(missing.length === 1 ? [`the subscription of ${topics} is missing`] : []),
    ...(missing.length > 1 ? [others === 0 ? of : `${of}: ${topics}`] : []),
    ...wrong.map(({ wanted, differs }) => `${wanted.topic} differs in ${differs.join(', ')}`),
    ...extra.map(({ topic, uri }) => `${topic} has a duplicate subscription (${uri})`),
  ];
}

const EVENTS = 'product changes arrive as Events, which cannot be seen from here';
