import { isDeepStrictEqual } from 'node:util';
import type { AppFiles } from '../../../app/build/build-app.ts';
import {
  type Check,
  type CheckResult,
  type Finding,
  fail,
  findingsBlock,
  forEachShop,
  info,
  pass,
  runChecks,
  type ShopDeps,
  verdictOf,
  warn,
} from '../checks/check.ts';
import { ALL_ORDERS, adminApiCheck, installedAppCheck } from '../checks/store.ts';
import { openShopServices } from '../deployment/services.ts';
import type { Document, Suggestion } from '../document/document.ts';
import { line } from '../document/line.ts';
import type { CommonOptions, Session } from '../session.ts';
import { subscriptionsCheck } from '../webhooks/webhooks.ts';
import {
  type AppOptions,
  foreignIn,
  parseToml,
  placeOf,
  readAppFolder,
  releaseCommand,
  requireClientId,
  scopesIn,
  shopsWith,
  TOML,
  tableOf,
  textIn,
  writeFolder,
} from './app-folder.ts';

/** No API shows these; the file is all that can be compared. */
const UNSEEN =
  'no API shows which version of the app is released, its app proxy, the compliance topics, the subscriptions of its file, and where extensions are placed';

/** Each difference between the app's folder, the settings, the deployed addresses and the store. */
export async function checkApp(
  session: Session,
  options: AppOptions & CommonOptions,
): Promise<Document<{ readonly checks: readonly CheckResult[] }>> {
  const deployment = await session.findDeployment();
  const shops = shopsWith(deployment, options);
  const deps = { deployment, shops, services: () => openShopServices(deployment) };
  const checks = await runChecks(
    [
      appFolderCheck(deps, options),
      adminApiCheck(deps),
      subscriptionsCheck(deps),
      installedAppCheck(deps),
      { name: 'not seen', look: async () => [info(UNSEEN)] },
    ],
    options,
  );
  return {
    title: `The app of ${deployment.stack}`,
    verdict: verdictOf(checks),
    blocks: [findingsBlock(checks)],
    data: { checks },
  };
}

interface FolderOptions extends AppOptions {
  /** Whether files of the merchant's own may be replaced; without it they are not. */
  agrees?(question: string): Promise<boolean>;
}

/** The folder that Shopify's command line releases, which holds what the store does not show. */
export function appFolderCheck(
  { deployment, shops }: Pick<ShopDeps, 'deployment' | 'shops'>,
  options: FolderOptions = {},
): Check {
  const releaseOf = (place: string) =>
    deployment.where === 'aws' ? [`Release it: ${releaseCommand(place)}`] : [];
  return {
    name: 'app folder',
    look: forEachShop(shops, async (shop) => {
      const found = await readAppFolder(deployment, shop, options);
      const place = placeOf(found);
      const write: Suggestion = {
        label: 'Write the folder',
        ...(foreignIn(found).length > 0 && {
          say: 'With --yes this replaces your file; without, it shows what would be lost:',
        }),
        line: line('app write', [], { shop: shop.domain, to: options.to }),
      };
      const findings = compareApp(found.wanted, found.written);
      if (findings.length === 0) return [pass(`${place} is as it should be`, ...releaseOf(place))];
      return findings.map((one) => ({ ...one, next: [write] }));
    }),
    fix: forEachShop(shops, async (shop) => {
      const found = await readAppFolder(deployment, shop, options);
      const place = placeOf(found);
      requireClientId(found);
      const question = `Replace the files of ${place}, which this command did not write?`;
      if (foreignIn(found).length > 0 && !(await options.agrees?.(question))) {
        const fix =
          'Rename the folder and run the command again: it writes another, to compare both.';
        return [warn(`${place} is not as the settings need it`, fix)];
      }
      writeFolder(found);
      return [warn(`${place} is written, and not yet released`, ...releaseOf(place))];
    }),
  };
}

/** What in an app's folder is not as the settings and the deployed addresses need it; one line for each. */
export function compareApp(wanted: AppFiles, written: AppFiles): readonly Finding[] {
  const has = parseToml(written.get(TOML));
  if (!written.has(TOML)) return [fail(`there is no ${TOML}`)];
  if (!has) return [fail(`${TOML} cannot be read`)];
  const wants = parseToml(wanted.get(TOML)) ?? {};
  const [needed, named] = [scopesIn(wants), scopesIn(has)];
  const missing = needed.filter((scope) => !named.includes(scope));
  const extra = named.filter((scope) => !needed.includes(scope) && scope !== ALL_ORDERS);
  return [
    ...differences(partsOf(wants), partsOf(has)).map((what) => fail(`${TOML}: ${what}`)),
    ...missing.map((scope) => fail(`${TOML}: the scope ${scope} is missing`)),
    ...extra.map((scope) => warn(`${TOML}: the settings do not need the scope ${scope}`)),
    ...differentExtensions(wanted, written).map((what) => fail(what)),
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

/** Its values and subscriptions, by name: `[app_proxy] url`, `the topic orders/create`. */
function partsOf(toml: Toml): ReadonlyMap<string, string | Toml> {
  const parts = new Map<string, string | Toml>();
  for (const [table, name] of VALUES) {
    const value = textIn(table === '' ? toml : toml[table], name);
    if (value !== undefined) parts.set(table === '' ? name : `[${table}] ${name}`, value);
  }
  const listIn = (table: unknown, name: string): readonly Toml[] =>
    [tableOf(table)[name] ?? []].flat().map(tableOf);
  const add = (kind: string, names: unknown, fields: Toml) => {
    for (const one of [names ?? []].flat()) {
      const name = `the ${kind} ${one}`;
      parts.set(parts.has(name) ? `${name}, once more,` : name, inOrder(fields));
    }
  };
  for (const subscription of listIn(toml.webhooks, 'subscriptions')) {
    const { topics, compliance_topics: compliance, ...fields } = subscription;
    add('topic', topics, fields);
    add('compliance topic', compliance, fields);
  }
  for (const { handle, ...fields } of listIn(toml.events, 'subscription')) {
    add('event', handle, fields);
  }
  return parts;
}

/** The order of a list means nothing. */
const inOrder = (fields: Toml): Toml =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String).toSorted() : value,
    ]),
  );

type Parts = ReturnType<typeof partsOf>;

function differences(wants: Parts, has: Parts): readonly string[] {
  const names = new Set([...wants.keys(), ...has.keys()]);
  return [...names].flatMap((name) => {
    const [wanted, found] = [wants.get(name), has.get(name)];
    if (isDeepStrictEqual(wanted, found)) return [];
    if (found === undefined) return [`${name} is missing`];
    if (wanted === undefined) return [`${name} is not wanted`];
    if (typeof found === 'string') return [`${name} is ${found}, not ${wanted}`];
    const fields = new Set([...Object.keys(wanted), ...Object.keys(found)]);
    const other = [...fields].filter(
      (field) => !isDeepStrictEqual(tableOf(wanted)[field], found[field]),
    );
    return [`${name} has another ${other.join(', ')}`];
  });
}

const EXTENSION = /^extensions\/([^/]+)\//;

/** One line for each extension: its files are written together. */
function differentExtensions(wanted: AppFiles, written: AppFiles): readonly string[] {
  const paths = [...new Set([...wanted.keys(), ...written.keys()])];
  const extensions = Map.groupBy(paths, (path) => EXTENSION.exec(path)?.[1]);
  return [...extensions].flatMap(([name, files]) => {
    const differs = files.filter(
      (path) => !isDeepStrictEqual(bytesOf(wanted.get(path)), bytesOf(written.get(path))),
    );
    if (name === undefined || differs.length === 0) return [];
    const place = `extensions/${name}`;
    if (files.every((path) => !written.has(path))) return [`${place} is missing`];
    if (files.every((path) => !wanted.has(path))) return [`${place} is not wanted: no storefront`];
    return [`${place} is of another release or address, or was changed: ${differs.join(', ')}`];
  });
}

const bytesOf = (contents: Uint8Array | undefined) => contents && Buffer.from(contents);
