import type { Shop } from '../../../shared/config/connector-config.ts';
import type { Healing } from '../../../shared/config/connector-settings.ts';
import { API_VERSION } from '../../../shared/shopify/entity-id.ts';
import {
  type Change,
  createSubscriptions,
  isInOrder,
  type SubscriptionFindings,
  type Subscriptions,
} from '../../../shared/shopify/subscriptions/subscriptions.ts';
import { findShop } from '../arguments.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { openShopServices, storeProblem } from '../deployment/services.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { shellWord } from '../terminal/text.ts';

/** For `--json`. */
export interface WebhooksDocument {
  readonly madeBy: Healing['subscriptions'];
  readonly productChanges: Healing['productChanges'];
  readonly inOrder: boolean;
  readonly shops: readonly ReturnType<typeof findingsDocument>[];
  /** A command to run. */
  readonly next?: string;
}

export async function checkWebhooks(session: Session, options: WebhookOptions): Promise<ExitCode> {
  const { terminal } = session;
  const deployment = await session.findDeployment();
  const { subscriptions: madeBy, productChanges } = deployment.connector.healing;
  const found = await findSubscriptions(openSubscriptions(deployment), deployment, options);
  const inOrder = found.every(isHealthy);
  const next = nextOf(deployment, found, options);
  if (session.json) {
    const document: WebhooksDocument = {
      ...{ madeBy, productChanges, inOrder, shops: found.map(findingsDocument) },
      ...(next && { next: next.run }),
    };
    terminal.json(document);
    return inOrder ? EXIT.fine : EXIT.failed;
  }
  for (const one of found) printFindings(terminal, one);
  if (productChanges === 'events') {
    terminal.line(
      "Changes of products come by Events of the app's configuration, which cannot be seen from here.",
    );
  }
  if (next) terminal.line(`${next.say}\n  ${next.run}`);
  return inOrder ? EXIT.fine : EXIT.failed;
}

/** Undefined when nothing is to be done. */
function nextOf(
  deployment: Deployment,
  found: readonly ShopFindings[],
  { shop }: WebhookOptions,
): { readonly say: string; readonly run: string } | undefined {
  const { subscriptions: madeBy, productChanges } = deployment.connector.healing;
  const only = shop === undefined ? '' : ` --shop ${shellWord(shop)}`;
  const run = (command: string) => nextCommand(deployment, `${command}${only}`);
  if (madeBy === 'app-configuration') {
    const say =
      "The app's configuration makes the subscriptions, which cannot be seen from here. Compare its file:";
    return { say, run: run('app check') };
  }
  if (!found.every(isHealthy)) return { say: 'See what would be done:', run: run('webhooks sync') };
  const comeTwice = found.some(({ findings }) => findings.covered.length > 0);
  if (productChanges !== 'events' || !comeTwice) return undefined;
  const say = 'They come by webhooks too. Once Events arrive, remove these webhooks:';
  return { say, run: run('webhooks sync --covered --yes') };
}

export interface SyncOptions extends WebhookOptions {
  readonly yes?: boolean;
  readonly prune?: boolean;
  readonly covered?: boolean;
}

/**
 * Creates, corrects and removes subscriptions. Those that Events cover are removed only with --covered: nothing
 * but a person can see that the Events arrive. Where the app's configuration creates them, none is
 * created here; those that were created through the Admin API would send every event twice and are
 * removed, but only with --yes: the Admin API does not show whether the configuration really creates them.
 */
export async function syncWebhooks(session: Session, options: SyncOptions): Promise<ExitCode> {
  const { terminal } = session;
  const deployment = await session.findDeployment();
  if (options.yes) await session.beginChange(deployment);
  const subscriptions = openSubscriptions(deployment);
  const found = await findSubscriptions(subscriptions, deployment, options);
  const work = found.map((one) => withPruning(one, options));
  const changes = options.yes ? await repair(subscriptions, work, session, deployment) : [];
  const refused = changes.filter(({ done }) => done === 'refused');
  if (session.json) {
    const { subscriptions: madeBy } = deployment.connector.healing;
    terminal.json({ dryRun: !options.yes, madeBy, shops: work.map(findingsDocument), changes });
  } else {
    report(session, deployment, work, changes, options);
  }
  return refused.length > 0 ? EXIT.failed : EXIT.fine;
}

/** Subscriptions with another address count as superfluous only with --prune, covered ones with --covered. */
function withPruning({ shop, findings }: ShopFindings, options: SyncOptions): ShopFindings {
  const { extra, covered, other } = findings;
  return {
    shop,
    findings: {
      ...findings,
      extra: [...extra, ...(options.covered ? covered : []), ...(options.prune ? other : [])],
      covered: options.covered ? [] : covered,
      other: options.prune ? [] : other,
    },
  };
}

export async function repair(
  subscriptions: Subscriptions,
  work: readonly ShopFindings[],
  { terminal, beginChange }: Pick<Session, 'terminal' | 'beginChange'>,
  deployment: Deployment,
): Promise<readonly (Change & { readonly shop: string })[]> {
  const recorded = await beginChange(deployment);
  const changes: (Change & { readonly shop: string })[] = [];
  const progress = terminal.progress('repairing');
  for (const { shop, findings } of work) {
    for (const change of await subscriptions.repair(shop.domain, findings)) {
      changes.push({ shop: shop.domain, ...change });
      recorded.count({
        [change.done]: changes.filter(({ done }) => done === change.done).length,
      });
      progress.report(changes.length);
    }
  }
  progress.end();
  return changes;
}

function report(
  { terminal }: Session,
  deployment: Deployment,
  work: readonly ShopFindings[],
  changes: readonly (Change & { readonly shop: string })[],
  options: SyncOptions,
): void {
  const byApp = deployment.connector.healing.subscriptions === 'app-configuration';
  for (const one of work) {
    printFindings(terminal, one);
    if (byApp && one.findings.extra.length > 0) {
      terminal.line(
        "These were created through the Admin API; together with the app's configuration every event would come twice.",
      );
    }
  }
  for (const change of changes) {
    const detail = change.done === 'refused' ? `: ${change.why}` : '';
    terminal.line(`${change.done} ${change.topic} (${change.shop})${detail}`);
  }
  const pending = work.some(({ findings }) => !isInOrder(findings));
  if (!options.yes && pending) {
    const flags = [
      'webhooks sync --yes',
      options.prune && '--prune',
      options.covered && '--covered',
      options.shop && `--shop ${shellWord(options.shop)}`,
    ];
    terminal.line('Nothing was changed.');
    terminal.hint(
      `To apply the changes:\n  ${nextCommand(deployment, flags.filter(Boolean).join(' '))}`,
    );
  } else if (!pending && work.every(isHealthy)) {
    terminal.line('Nothing to do.');
  }
  if (byApp) {
    terminal.line("The app's configuration makes its subscriptions. This command writes it:");
    terminal.line(`  ${nextCommand(deployment, 'app write')}`);
  }
}

export interface WebhookOptions {
  readonly shop?: string;
}

interface ShopFindings {
  readonly shop: Shop;
  readonly findings: SubscriptionFindings;
}

/** The subscriptions of a deployment; the settings say where they go and how they are created. */
export function openSubscriptions(deployment: Deployment): Subscriptions {
  const { connector, output } = deployment;
  const services = openShopServices(deployment);
  const find = (domain: string) => findShop(connector, domain);
  return createSubscriptions({
    ask: (domain) => services.ask(find(domain)),
    shopOf: find,
    webhookAddress: output('WebhookAddress'),
    madeBy: connector.healing.subscriptions,
    products: connector.healing,
  });
}

/** Of every shop, or of the given one; throws when a store does not answer. */
export async function findSubscriptions(
  subscriptions: Subscriptions,
  deployment: Deployment,
  { shop: named }: WebhookOptions,
): Promise<readonly ShopFindings[]> {
  const { connector } = deployment;
  const shops = named === undefined ? connector.shops : [findShop(connector, named)];
  const found: ShopFindings[] = [];
  for (const shop of shops) {
    const checked = await subscriptions.check(shop.domain);
    if (checked.kind === 'unavailable') throw storeProblem(checked.answer, deployment);
    found.push({ shop, findings: checked.findings });
  }
  return found;
}

/** True: neither the connector nor a person has anything to do. */
export function isHealthy({ findings }: ShopFindings): boolean {
  return isInOrder(findings) && findings.version?.retired !== true;
}

function printFindings(terminal: Terminal, { shop, findings }: ShopFindings): void {
  const rows = rowsOf(findings);
  const { length: fine } = findings.fine;
  const state = isHealthy({ shop, findings }) ? 'in order' : 'not in order';
  terminal.line(
    `${shop.domain}: ${state}, ${fine} of ${fine + needing(findings)} as they should be`,
  );
  if (rows.length > 0) {
    terminal.table({
      columns: [{ title: 'state' }, { title: 'topic' }, { title: 'detail', shrinks: true }],
      rows,
    });
  }
  const { version } = findings;
  if (version) {
    terminal.line(
      `${version.retired ? 'Retired: the' : 'The'} webhooks come in API version ${version.handle}; the connector is written for ${API_VERSION}.`,
    );
    terminal.line(
      "Set the app's webhook API version in its configuration: a subscription has none.",
    );
  }
}

const needing = ({ missing, wrong }: SubscriptionFindings): number => missing.length + wrong.length;

function rowsOf({ missing, wrong, extra, covered, other }: SubscriptionFindings): string[][] {
  return [
    ...missing.map(({ topic }) => ['missing', topic, '']),
    ...wrong.map(({ wanted, differs }) => ['wrong', wanted.topic, `other ${differs.join(', ')}`]),
    ...extra.map(({ topic, uri }) => ['too many', topic, uri]),
    ...covered.map(({ topic }) => ['covered', topic, 'Events announce it too']),
    ...other.map(({ topic, uri }) => ['other', topic, uri]),
  ];
}

/** For `--json`. */
function findingsDocument({ shop, findings }: ShopFindings) {
  const { fine, missing, wrong, extra, covered, other, version } = findings;
  return {
    shop: shop.domain,
    inOrder: isHealthy({ shop, findings }),
    fine: fine.map(({ topic }) => topic),
    missing: missing.map(({ topic }) => topic),
    wrong: wrong.map(({ wanted, differs }) => ({ topic: wanted.topic, differs })),
    extra: extra.map(({ id, topic, uri }) => ({ id, topic, uri })),
    covered: covered.map(({ id, topic, uri }) => ({ id, topic, uri })),
    other: other.map(({ id, topic, uri }) => ({ id, topic, uri })),
    apiVersion: version ?? { handle: API_VERSION, retired: false },
  };
}
