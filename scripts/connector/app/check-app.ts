import type { AppFiles } from '../../../app/build/build-app.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { findShop, shopsOf } from '../arguments.ts';
import {
  type Check,
  type ChecksData,
  checksDocument,
  type Finding,
  fail,
  forEachShop,
  info,
  pass,
  runChecks,
  type ShopDeps,
  warn,
} from '../checks/check.ts';
import { ALL_ORDERS, adminApiCheck, installedAppCheck } from '../checks/store.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import { type Block, type Document, facts, type Suggestion } from '../document/document.ts';
import { line } from '../document/line.ts';
import { BadArguments, Problem } from '../exit.ts';
import type { CommonOptions, Session } from '../session.ts';
import { shorten } from '../terminal/text.ts';
import { subscriptionsCheck } from '../webhooks/webhooks.ts';
import {
  type AppFolder,
  foreignIn,
  parseToml,
  readAppFolder,
  releaseCommand,
  requireClientId,
  scopesIn,
  TOML,
  tableOf,
  textOf,
  writeFolder,
} from './app-folder.ts';

export interface AppOptions {
  readonly shop?: string;
  readonly to?: string;
  readonly clientId?: string;
}

export interface WriteOptions extends AppOptions {
  readonly yes?: boolean;
}

/** A folder is of one shop. */
function shopsWith({ connector }: Deployment, { shop, to }: AppOptions): readonly Shop[] {
  return to === undefined ? shopsOf(connector, shop) : [findShop(connector, shop)];
}

/** Read settings, addresses and folder → refuse what is not ours → write what differs. */
export async function writeApp(session: Session, options: WriteOptions): Promise<Document> {
  const deployment = await session.findDeployment();
  const shops = shopsWith(deployment, options);
  if (options.clientId !== undefined && shops.length > 1) {
    throw new BadArguments('give --shop with --client-id: each shop has an app of its own.');
  }
  const apps = [];
  for (const one of shops) {
    const found = await readAppFolder(deployment, one, options);
    requireClientId(found);
    refuseForeign(found, options, session);
    apps.push({ shop: one.domain, folder: found.place, ...writeFolder(found) });
  }
  const { shop, to } = options;
  const isReleased = deployment.where === 'aws';
  return {
    title: `The app of ${deployment.stack}`,
    blocks: apps.map(({ shop: domain, folder, written, removed, unchanged }) => {
      const files = `${written.length} written, ${unchanged} unchanged, ${removed.length} removed`;
      const release = isReleased ? releaseCommand(folder) : undefined;
      return facts(
        [
          ['Folder', folder],
          ['Files', files],
          ['Release it', release],
        ],
        domain,
      );
    }),
    next: [{ label: 'Compare it', line: line('app check', [], { shop, to }) }],
    data: { apps },
  };
}

/** Shows files of the merchant's own, and leaves them alone without --yes. */
function refuseForeign(found: AppFolder, { yes }: WriteOptions, { show }: Session): void {
  const foreign = foreignIn(found);
  if (yes || foreign.length === 0) return;
  const lost = foreign.map((path): Block => {
    const kept = new Set(textOf(found.wanted.get(path)).split('\n'));
    const lines = textOf(found.written.get(path)).split('\n');
    const own = lines.filter((one) => one.trim() !== '' && !kept.has(one));
    return { kind: 'code', title: `${path}: lines that would be lost`, text: own.join('\n') };
  });
  show({ title: `The app in ${found.place}`, blocks: lost });
  throw new Problem(
    `${foreign.join(', ')}: not written by this command. Nothing was written.`,
    'Replace it with --yes, or write into another folder with --to, to compare both.',
  );
}

/** No API shows these; the file is all that can be compared. */
const UNSEEN =
  'no API shows which version of the app is released, its app proxy, the compliance topics, the subscriptions of its file, and where extensions are placed';

/** Each difference between the app's folder, the settings, the deployed addresses and the store. */
export async function checkApp(
  session: Session,
  options: AppOptions & CommonOptions,
): Promise<Document<ChecksData>> {
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
  return checksDocument(`The app of ${deployment.stack}`, checks);
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
      const { place } = found;
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
      const { place } = found;
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
    ...differences(wants, has).map((what) => fail(`${TOML}: ${what}`)),
    ...missing.map((scope) => fail(`${TOML}: the scope ${scope} is missing`)),
    ...extra.map((scope) => warn(`${TOML}: the settings do not need the scope ${scope}`)),
    ...differentExtensions(wanted, written).map((what) => fail(what)),
  ];
}

type Toml = Readonly<Record<string, unknown>>;

/** What the settings decide of the file; the rest is the merchant's. */
const DECIDED = ['client_id', 'application_url', 'app_proxy', 'webhooks', 'events'];

/** Of a query, the beginning is enough. */
const MOST = 120;

function differences(wants: Toml, has: Toml): readonly string[] {
  const [wanted, found] = [wants, has].map((toml) =>
    DECIDED.flatMap((name) => valuesIn(toml[name], name)),
  );
  return [
    ...without(wanted, found).map((value) => `${shorten(value, MOST)} is missing`),
    ...without(found, wanted).map((value) => `${shorten(value, MOST)} is not wanted`),
  ];
}

/** `app_proxy.url https://…`, each with what it stands beside in a list: the order of a list means nothing. */
function valuesIn(value: unknown, name: string): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => valuesIn(one, name));
  if (typeof value !== 'object') return [`${name} ${value}`];
  return Object.entries(tableOf(value)).flatMap(([field, one]) =>
    valuesIn(one, `${name}.${field}`),
  );
}

/** What the first list holds more often than the second. */
function without(all: readonly string[] = [], others: readonly string[] = []): readonly string[] {
  const left = [...others];
  return all.filter((one) => {
    const place = left.indexOf(one);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

const EXTENSION = /^extensions\/([^/]+)\//;

/** One line for each extension: its files are written together. */
function differentExtensions(wanted: AppFiles, written: AppFiles): readonly string[] {
  const paths = [...new Set([...wanted.keys(), ...written.keys()])];
  const extensions = Map.groupBy(paths, (path) => EXTENSION.exec(path)?.[1]);
  return [...extensions].flatMap(([name, files]) => {
    const differs = files.filter((path) => textOf(wanted.get(path)) !== textOf(written.get(path)));
    if (name === undefined || differs.length === 0) return [];
    const place = `extensions/${name}`;
    if (files.every((path) => !written.has(path))) return [`${place} is missing`];
    if (files.every((path) => !wanted.has(path))) return [`${place} is not wanted: no storefront`];
    return [`${place} is of another release or address, or was changed: ${differs.join(', ')}`];
  });
}
