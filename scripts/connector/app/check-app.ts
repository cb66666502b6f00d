import { isDeepStrictEqual } from 'node:util';
import type { AppFiles } from '../../../app/build/build-app.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import {
  type Check,
  type ChecksData,
  checksDocument,
  type Finding,
  fail,
  fixedDocument,
  forEachShop,
  info,
  pass,
  runChecks,
  type ShopDeps,
  shopDeps,
  warn,
} from '../checks/check.ts';
import { adminApiCheck, installedAppCheck } from '../checks/store.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Document } from '../document/document.ts';
import { line } from '../document/line.ts';
import { findShop, shopsOf } from '../session/arguments.ts';
import type { CommonOptions, Session } from '../session/session.ts';
import { BadArguments } from '../terminal/exit.ts';
import { subscriptionsCheck } from '../webhooks/webhooks.ts';
import {
  type AppFolder,
  foreignIn,
  parseToml,
  readAppFolder,
  requireClientId,
  TOML,
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

/** Write what differs, leaving alone what is not ours → compare. */
export async function writeApp(
  session: Session,
  options: WriteOptions,
): Promise<Document<ChecksData>> {
  const deployment = await session.findDeployment();
  const shops = shopsWith(deployment, options);
  if (options.clientId !== undefined && shops.length > 1) {
    throw new BadArguments('give --shop with --client-id: each shop has an app of its own.');
  }
  const agrees = async () => options.yes === true;
  const check = appFolderCheck({ deployment, shops }, { ...options, agrees });
  return fixedDocument(check, `The app of ${deployment.stack}`, []);
}

/** No API shows these; the file is all that can be compared. */
const UNSEEN =
  'no API shows which version of the app is released, its app proxy, the compliance topics, the subscriptions of its file, and where extensions are placed';

/** What differs between the app's folder, the settings, the deployed addresses and the store. */
export async function checkApp(
  session: Session,
  options: AppOptions & CommonOptions,
): Promise<Document<ChecksData>> {
  const deployment = await session.findDeployment();
  const deps = shopDeps(deployment, shopsWith(deployment, options));
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
    deployment.where === 'aws' ? [`Release it: cd ${place} && shopify app deploy`] : [];
  return {
    name: 'app folder',
    look: forEachShop(shops, async (shop) => {
      const { place, wanted, written } = await readAppFolder(deployment, shop, options);
      const findings = compareApp(wanted, written);
      if (findings.length === 0) return [pass(`${place} is as it should be`, ...releaseOf(place))];
      const write = line('app write', [], { shop: shop.domain, to: options.to });
      return findings.map((one) => ({ ...one, next: [{ label: 'Write it', line: write }] }));
    }),
    fix: forEachShop(shops, async (shop) => {
      const found = await readAppFolder(deployment, shop, options);
      const { place } = found;
      requireClientId(found);
      const foreign = foreignIn(found);
      const question = `Replace the files of ${place}, which this command did not write?`;
      if (foreign.length > 0 && !(await options.agrees?.(question))) {
        const what = `nothing was written, because this command did not write ${foreign.join(', ')}`;
        const ways = 'Replace it with --yes, or write into another folder with --to.';
        return [warn(`${place}: ${what}`, `${lostText(found, foreign)}\n${ways}`)];
      }
      const { written, removed, unchanged } = writeFolder(found);
      const files = `${written} files written, ${unchanged} unchanged, ${removed} removed`;
      const release = releaseOf(place).map((way) => warn(`${place} is not yet released`, way));
      return [info(`${place}: ${files}`), ...release];
    }),
  };
}

/** The lines of the merchant's own that our files do not have. */
function lostText({ wanted, written }: AppFolder, foreign: readonly string[]): string {
  const lines = foreign.flatMap((path) => {
    const kept = new Set(textOf(wanted.get(path)).split('\n'));
    const own = textOf(written.get(path)).split('\n');
    return own.filter((one) => one.trim() !== '' && !kept.has(one));
  });
  return ['Its lines that would be lost:', ...lines.map((one) => `  ${one}`)].join('\n');
}

/** What the settings decide of the file; the rest is the merchant's. */
const DECIDED = [
  ...['client_id', 'application_url', 'access_scopes', 'app_proxy', 'webhooks', 'events'],
];

/** What in an app's folder is not as the settings and the deployed addresses need it, by part. */
export function compareApp(wanted: AppFiles, written: AppFiles): readonly Finding[] {
  const has = parseToml(written.get(TOML));
  if (!written.has(TOML)) return [fail(`there is no ${TOML}`)];
  if (!has) return [fail(`${TOML} cannot be read`)];
  const wants = parseToml(wanted.get(TOML)) ?? {};
  const parts = DECIDED.filter(
    (part) => !isDeepStrictEqual(inOrder(wants[part]), inOrder(has[part])),
  );
  return [
    ...parts.map((part) => fail(`${TOML}: ${part} is not as the settings need it`)),
    ...differentExtensions(wanted, written).map((what) => fail(what)),
  ];
}

/** The order of a list means nothing, also of scopes in a text. */
function inOrder(value: unknown): unknown {
  if (typeof value === 'string') return value.split(/\s*,\s*/).toSorted();
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(inOrder(one))).toSorted();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inOrder(one)]));
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
