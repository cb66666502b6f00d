import { relative } from 'node:path';
import type { AppFiles } from '../../../app/build/build-app.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { compareVersions, VERSION } from '../../../shared/config/release.ts';
import { type Finding, fail, info, pass, warn } from '../checks/check.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import { checkAdminApi, checkInstalledApp } from '../doctor/check-services.ts';
import { printResult } from '../doctor/examine.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { readSubscriptions } from '../status/collect-status.ts';
import {
  type AppOptions,
  foreignIn,
  parseToml,
  readAppFolder,
  releaseCommand,
  scopesIn,
  shopsOf,
  TOML,
  tableOf,
  textIn,
  textOf,
} from './app-folder.ts';
import { ALL_ORDERS } from './describe-app.ts';

/** No API shows these; the file is all that can be compared. */
const UNSEEN =
  'no API shows which version of the app is released, its app proxy, the compliance topics, the subscriptions of its file, and where extensions are placed';

/** Each difference between the app's folder, the settings, the deployed addresses and the store; one line for each. */
export async function checkApp(session: Session, options: AppOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const deployment = await session.findDeployment();
  const shops = [];
  for (const shop of shopsOf(deployment, options)) {
    const { folder, wanted, written } = await readAppFolder(deployment, shop, options);
    const command = nextCommand(deployment, writeCommand(shop, options));
    const write =
      foreignIn({ written }).length > 0
        ? `${command} --yes replaces the file; see without --yes what would be lost`
        : command;
    const place = relative(process.cwd(), folder) || '.';
    const release = deployment.where === 'aws' ? releaseCommand(place) : undefined;
    const differences = compareApp(wanted, written, { write, release });
    const results = [
      {
        name: 'folder',
        findings: differences.length > 0 ? differences : [pass(`${place} is as it should be`)],
      },
      { name: 'scopes', findings: await judgeStore(deployment, shop) },
      { name: 'subscriptions', findings: await judgeSubscriptions(deployment, shop, release) },
      { name: 'app', findings: await judgeApp(deployment, shop) },
      { name: 'not seen', findings: [info(UNSEEN)] },
    ];
    shops.push({ shop: shop.domain, folder: place, checks: results });
    if (json) continue;
    terminal.line(`${shop.domain}, ${place}`);
    for (const result of results) printResult(terminal, result);
  }
  const findings = shops.flatMap(({ checks }) => checks.flatMap((check) => check.findings));
  const failed = findings.filter(({ verdict }) => verdict === 'fail').length;
  if (json) terminal.json({ failed, apps: shops });
  return failed === 0 ? EXIT.fine : EXIT.failed;
}

const writeCommand = ({ domain }: Shop, { to }: AppOptions) =>
  ['app write', `--shop ${domain}`, ...(to === undefined ? [] : [`--to ${to}`])].join(' ');

async function judgeStore(deployment: Deployment, shop: Shop): Promise<readonly Finding[]> {
  const ask = openShopServices(deployment).ask(shop);
  const doNext = (command: string) => nextCommand(deployment, command);
  return checkAdminApi(shop, ask, doNext, deployment.connector);
}

function judgeApp(deployment: Deployment, shop: Shop): Promise<readonly Finding[]> {
  const ask = openShopServices(deployment).ask(shop);
  return checkInstalledApp(shop, ask, deployment.region, new Date());
}

async function judgeSubscriptions(
  deployment: Deployment,
  { domain }: Shop,
  release: string | undefined,
): Promise<readonly Finding[]> {
  const all = await readSubscriptions(deployment);
  const sync = { run: nextCommand(deployment, `webhooks sync --yes --shop ${domain}`) };
  return all
    .filter(({ shop }) => shop === domain)
    .flatMap(({ found }) => {
      if (found.kind === 'unknown')
        return [fail(found.why, { run: nextCommand(deployment, 'doctor') })];
      const { right, faults, notes } = found.value;
      return [
        ...(faults.length > 0 ? faults.map((one) => fail(one, sync)) : [pass(`${right} right`)]),
        ...notes.map((note) =>
          warn(note, `Release the folder${release === undefined ? '' : `: ${release}`}`),
        ),
      ];
    });
}

interface Fixes {
  /** The command that writes the folder again. */
  readonly write: string;
  /** The command that releases it; undefined for the stack on this machine, whose app is not released. */
  readonly release: string | undefined;
}

/** What in an app's folder is not as the settings and the deployed addresses need it; one line for each. */
export function compareApp(wanted: AppFiles, written: AppFiles, fixes: Fixes): Finding[] {
  const { write, release } = fixes;
  const has = parseToml(written.get(TOML));
  if (!written.has(TOML)) return [fail(`there is no ${TOML}`, { run: write })];
  if (!has) return [fail(`${TOML} cannot be read`, { run: write })];
  const wants = parseToml(wanted.get(TOML)) ?? {};
  const fix = release === undefined ? write : `${write}, then release it: ${release}`;
  return [
    ...differentValues(wants, has).map((what) => fail(what, fix)),
    ...missingScopes(scopesIn(wants), scopesIn(has)).map((what) => fail(what, fix)),
    ...extraScopes(scopesIn(wants), scopesIn(has)).map((what) => warn(what, fix)),
    ...differentSubscriptions(wants, has).map((what) => fail(what, fix)),
    ...differentExtensions(wanted, written).map((what) => fail(what, fix)),
  ];
}

type Toml = Readonly<Record<string, unknown>>;

/** The single values, by the table that holds them. */
const VALUES = [
  ['', 'client_id'],
  ['', 'application_url'],
  ['app_proxy', 'url'],
  ['app_proxy', 'prefix'],
  ['app_proxy', 'subpath'],
  ['webhooks', 'api_version'],
  ['events', 'api_version'],
] as const;

function differentValues(wants: Toml, has: Toml): readonly string[] {
  return VALUES.flatMap(([table, name]) => {
    const read = (toml: Toml) => textIn(table === '' ? toml : toml[table], name);
    const [wanted, found] = [read(wants), read(has)];
    if (wanted === found) return [];
    const place = table === '' ? name : `[${table}] ${name}`;
    return [`${TOML}: ${place} is ${found ?? 'missing'}, not ${wanted ?? 'left out'}`];
  });
}

const missingScopes = (wants: readonly string[], has: readonly string[]) =>
  wants
    .filter((scope) => !has.includes(scope))
    .map((scope) => `${TOML}: the scope ${scope} is missing`);

const extraScopes = (wants: readonly string[], has: readonly string[]) =>
  has
    .filter((scope) => !wants.includes(scope) && scope !== ALL_ORDERS)
    .map((scope) => `${TOML}: the settings do not need the scope ${scope}`);

/** `topic orders/create`, `compliance topic shop/redact`, `event loyalty_products`, each with all that it has. */
function subscriptionsIn(toml: Toml): readonly (readonly [name: string, Toml])[] {
  const list = (table: unknown, name: string) => {
    const value = tableOf(table)[name];
    return Array.isArray(value) ? value.map(tableOf) : [];
  };
  const webhooks = list(toml.webhooks, 'subscriptions');
  const events = list(toml.events, 'subscription');
  const named = (kind: string, names: unknown, one: Toml) =>
    (Array.isArray(names) ? names : []).map((name) => [`${kind} ${name}`, one] as const);
  return [
    ...webhooks.flatMap(({ topics, compliance_topics: compliance, ...one }) => [
      ...named('topic', topics, one),
      ...named('compliance topic', compliance, one),
    ]),
    ...events.flatMap(({ handle, ...one }) => named('event', [handle], one)),
  ];
}

function differentSubscriptions(wants: Toml, has: Toml): readonly string[] {
  const wanted = new Map(subscriptionsIn(wants));
  const found = Map.groupBy(subscriptionsIn(has), ([name]) => name);
  const missing = [...wanted.keys()].filter((name) => !found.has(name));
  return [
    ...missing.map((name) => `no subscription to the ${name}`),
    ...[...found].flatMap(([name, all]) => {
      const one = wanted.get(name);
      if (!one) return [`a subscription to the ${name} is not wanted`];
      const differs = new Set(all.flatMap(([, other]) => differingFields(one, other)));
      return [
        ...[...differs].map((field) => `the ${name} has another ${field}`),
        ...(all.length > 1 ? [`${all.length} subscriptions to the ${name}`] : []),
      ];
    }),
  ].map((what) => `${TOML}: ${what}`);
}

function differingFields(one: Toml, other: Toml): readonly string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((field) => comparable(one[field]) !== comparable(other[field]));
}

/** The order of a list means nothing. */
const comparable = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? value.map(String).toSorted() : value);

const EXTENSION = /^extensions\/([^/]+)\//;

/** One line for each extension: its files are written together. */
function differentExtensions(wanted: AppFiles, written: AppFiles): readonly string[] {
  const paths = [...new Set([...wanted.keys(), ...written.keys()])];
  const extensions = Map.groupBy(paths, (path) => EXTENSION.exec(path)?.[1]);
  return [...extensions].flatMap(([name, files]) => {
    const differs = files.filter((path) => !isSame(wanted.get(path), written.get(path)));
    if (name === undefined || differs.length === 0) return [];
    const place = `extensions/${name}`;
    if (files.every((path) => !written.has(path))) return [`${place} is missing`];
    if (files.every((path) => !wanted.has(path))) return [`${place} is not wanted: no storefront`];
    const releases = differs.flatMap((path) => releaseOf(written.get(path)) ?? []);
    const other = releases.find((release) => compareVersions(release, VERSION) !== 'same');
    if (other !== undefined) return [`${place} is of release ${other}, not ${VERSION}`];
    const address = differs.find((path) => isOnlyAddress(wanted.get(path), written.get(path)));
    if (address !== undefined) return [`${place} asks another address (${address})`];
    return [`${place} was changed: ${differs.join(', ')}`];
  });
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}

const releaseOf = (contents: Uint8Array | undefined): string | undefined =>
  /Written by loyalty-connector (\S+),/.exec(textOf(contents))?.[1];

const ADDRESS = /https?:\/\/[^"'`\s]+/g;

function isOnlyAddress(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  const without = (contents: Uint8Array | undefined) => textOf(contents).replaceAll(ADDRESS, '');
  return without(one) === without(other) && without(one) !== '';
}
