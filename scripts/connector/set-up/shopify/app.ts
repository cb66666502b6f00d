import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, type TomlTable } from 'smol-toml';
import { type AppFiles, HEADER, readApp } from '../../../../app/build/build-app.ts';
import type { Shop } from '../../../../shared/config/connector-config.ts';
import { findProject } from '../../../../shared/config/folders.ts';
import { shopAddress } from '../../../../shared/core/events/receive-delivery.ts';
import { appConfiguration } from '../../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import {
  type Check,
  type ChecksData,
  type Finding,
  fail,
  fixedDocument,
  forEachShop,
  info,
  pass,
  type ShopDeps,
  shopCheck,
  warn,
} from '../../ground/checks/check.ts';
import { readSecret } from '../../ground/checks/read-secret.ts';
import { shopsOf } from '../../ground/session/arguments.ts';
import type { Deployment } from '../../ground/session/deployment.ts';
import { isDenied } from '../../ground/session/explain-aws-error.ts';
import type { CommonOptions, Session } from '../../ground/session/session.ts';
import type { Document } from '../../ground/terminal/document.ts';
import { BadArguments, Problem } from '../../ground/terminal/exit.ts';
import { line } from '../../ground/terminal/line.ts';
import { counted } from '../../ground/terminal/text.ts';
import { ALL_ORDERS, isShopify, requireShopify, wantedScopes } from './store-checks.ts';

interface AppOptions extends CommonOptions {
  readonly clientId?: string;
}

/** Write what differs, leaving alone what is not ours → compare. */
export async function writeApp(
  session: Session,
  options: AppOptions,
): Promise<Document<ChecksData>> {
  const deployment = await session.findDeployment();
  const meant = shopsOf(deployment.connector, options.shop);
  const own = meant.filter(isShopify);
  const shops = own.length > 0 ? own : meant.map(requireShopify);
  if (options.clientId !== undefined && shops.length > 1) {
    throw new BadArguments('give --shop with --client-id: each shop has an app of its own.');
  }
  const agrees = async () => options.yes === true;
  const check = appFolderCheck({ deployment, shops }, { ...options, agrees });
  return fixedDocument(check, `The app of ${deployment.stack}`, []);
}

/** What `doctor` compares: the app of a sandbox has no folder, and another person may have written that of a shop. */
export function writtenFoldersCheck({ deployment, shops }: FolderDeps): Check {
  const next = (shop: string) => ({ label: 'Write it', line: line('app write', [], { shop }) });
  const what = 'this project has no app folder, so it was not compared';
  return shopCheck('app folder', [], shops, async (shop) => {
    const isWritten = existsSync(join(folderOf(deployment, shop), TOML));
    if (isWritten) return appFolderCheck({ deployment, shops: [shop] }).look();
    return deployment.where === 'aws' ? [info(what, next(shop.domain))] : [];
  });
}

type FolderDeps = Pick<ShopDeps, 'deployment' | 'shops'>;

interface FolderOptions extends AppOptions {
  /** Whether files of the merchant's own may be replaced; without it they are not. */
  agrees?(question: string): Promise<boolean>;
}

/** The folder that Shopify's command line releases, which holds what the store does not show. */
export function appFolderCheck(
  { deployment, shops }: FolderDeps,
  options: FolderOptions = {},
): Check {
  const releaseOf = (place: string) =>
    deployment.where === 'aws' ? [`Release it: cd ${place} && shopify app deploy`] : [];
  return {
    name: 'app folder',
    look: forEachShop(shops, async (shop) => {
      const { place, wanted, written } = await readAppFolder(deployment, shop, options);
      const findings = compareApp(wanted, written);
      if (findings.length === 0) return [pass(`${place} is up to date`, ...releaseOf(place))];
      const write = line('app write', [], { shop: shop.domain });
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
        return [warn(`${place}: ${what}`, 'Replace it with --yes, or move the folder.')];
      }
      const { written, removed } = writeFolder(found);
      const files = `${counted(written, 'file')} written, ${removed} removed`;
      const release = releaseOf(place).map((way) => warn(`${place} is not yet released`, way));
      return [info(`${place}: ${files}`), ...release];
    }),
  };
}

/** What the settings decide of the file; the rest is the merchant's. */
const DECIDED = [
  ...['client_id', 'application_url', 'access_scopes'],
  ...['app_proxy', 'network_access', 'webhooks', 'events'],
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
    ...parts.map((part) => fail(`${TOML}: ${part} does not match the settings`)),
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
  const differ = paths.filter((path) => textOf(wanted.get(path)) !== textOf(written.get(path)));
  const names = new Set(differ.flatMap((path) => EXTENSION.exec(path)?.[1] ?? []));
  return [...names].map((name) => `extensions/${name} is not the version of this release`);
}

const TOML = 'shopify.app.toml';

/**
 * `shopify-app/example-store`: an app folder for each shop, because each has an app of its own, and its extensions
 * hold the shop's address. Another stage, and the stack on this machine, have their own.
 */
function folderOf({ where, stage }: Pick<Deployment, 'where' | 'stage'>, { path }: Shop): string {
  const suffix = where === 'local' ? '.local' : stage === 'prod' ? '' : `.${stage}`;
  return join(findProject(), 'shopify-app', `${path}${suffix}`);
}

interface AppFolder {
  readonly shop: string;
  readonly folder: string;
  /** From where the connector's own commands run. */
  readonly place: string;
  readonly clientId: string;
  readonly wanted: AppFiles;
  readonly written: AppFiles;
}

async function readAppFolder(
  deployment: Deployment,
  shop: Shop,
  { clientId: given }: Pick<AppOptions, 'clientId'>,
): Promise<AppFolder> {
  const folder = folderOf(deployment, shop);
  const before = parseToml(readFile(join(folder, TOML)));
  const clientId = given ?? (await readClientId(deployment, shop)) ?? textIn(before, 'client_id');
  const scopes = textIn(before?.access_scopes as TomlTable | undefined, 'scopes').split(/\s*,\s*/);
  const kept = scopes.filter((scope) => scope === ALL_ORDERS);
  const proxy = proxyAddress(deployment, shop);
  const flow = deployment.connector.storefront?.flow !== undefined;
  const extensions =
    proxy === undefined ? new Map<string, Uint8Array>() : await readApp(proxy, flow);
  const wanted = new Map<string, Uint8Array>([
    [TOML, Buffer.from(appToml(deployment, shop, { clientId, kept }))],
    ...[...extensions].map(([path, contents]) => [`extensions/${path}`, contents] as const),
  ]);
  const place = relative(process.cwd(), folder) || '.';
  const written = readFiles(folder, wanted);
  return { shop: shop.domain, folder, place, clientId, wanted, written };
}

type Described = Pick<Deployment, 'connector' | 'output'>;

/** Undefined without a storefront. The extensions ask the same address. */
const proxyAddress = ({ connector, output }: Described, { path }: Shop): string | undefined =>
  connector.storefront && shopAddress(output('StorefrontAddress'), path);

/** What Shopify enters for an app without pages of its own. */
const NO_PAGES = 'https://shopify.dev/apps/default-app-home';

/**
 * The text of shopify.app.toml ("App configuration" in Shopify's documentation), as the settings and the deployed
 * addresses need it. `kept` are scopes of an earlier file that only a person can decide on.
 * See docs/decisions/0026-pages-and-extensions-are-built-here-and-load-when-seen.md.
 */
export function appToml(
  deployment: Described,
  shop: Shop,
  { clientId, kept = [] }: { readonly clientId: string; readonly kept?: readonly string[] },
): string {
  const { connector, output } = deployment;
  const webhookAddress = shopAddress(output('WebhookAddress'), shop.path);
  const proxy = proxyAddress(deployment, shop);
  const wanted = wantedScopes(connector, shop);
  const scopes = [...wanted.map(({ scope }) => scope), ...kept];
  return [
    `# ${HEADER}`,
    `# The app of ${shop.domain}. Change connector.config.ts, and write it again.`,
    '',
    `client_id = ${quote(clientId)}`,
    'name = "loyalty-connector"',
    `application_url = ${quote(NO_PAGES)}`,
    'embedded = true',
    '',
    '[access_scopes]',
    ...wanted.map((one) => `# ${one.scope}: ${one.for}`),
    `# ${ALL_ORDERS}: orders older than 60 days. If Shopify granted it to the app, add it here: it is kept.`,
    `scopes = ${quote(scopes.join(','))}`,
    '',
    '[auth]',
    `redirect_urls = [ ${quote(`${NO_PAGES}/api/auth`)} ]`,
    '',
    appConfiguration(webhookAddress, connector.healing),
    ...(proxy === undefined
      ? []
      : [
          '[app_proxy]',
          `url = ${quote(proxy)}`,
          '# The widget calls /apps/loyalty unless it is configured otherwise.',
          'prefix = "apps"',
          'subpath = "loyalty"',
          '',
          // Shopify, "Declare your app's network access": servers that code of the app asks, and hosts of its own that
          // pages link to; not the app proxy. That a server is written as an origin is tried by no release yet.
          '[network_access]',
          '# Extensions in account and till send requests here. Links lead to no host of yours, only to WhatsApp.',
          `allowed_sources = [ ${quote(new URL(proxy).origin)} ]`,
          'allowed_navigation_hosts = []',
          '',
        ]),
    '[pos]',
    '# For apps with pages of their own in the point of sale; an extension needs no page.',
    'embedded = false',
    '',
    '[build]',
    '# "shopify app dev" would replace the address of the app proxy with one of your machine.',
    'automatically_update_urls_on_dev = false',
    '',
  ].join('\n');
}

/** For these characters, a basic string of TOML is the same as one of JSON. */
const quote = (text: string): string => JSON.stringify(text);

function textIn(table: TomlTable | undefined, name: string): string {
  const value = table?.[name];
  return typeof value === 'string' ? value : '';
}

/** What Shopify's command line writes beside our files. */
const BUILT_BY_SHOPIFY = /\/(dist\/.*|manifest\.json|shopify\.d\.ts)$/;

/**
 * Ours: the configuration, and all of an extension of ours, also what an older release wrote. An extension of the
 * merchant's own with a similar name is none of them.
 */
function readFiles(folder: string, wanted: AppFiles): AppFiles {
  const places = globSync('extensions/loyalty-*', { cwd: folder }).filter((place) => {
    const toml = `${place.replaceAll('\\', '/')}/${EXTENSION_TOML}`;
    return wanted.has(toml) || isWritten(readFile(join(folder, toml)));
  });
  const entries = places.flatMap((place) =>
    globSync(`${place}/**`, { cwd: folder, withFileTypes: true }),
  );
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !BUILT_BY_SHOPIFY.test(path));
  if (existsSync(join(folder, TOML))) paths.unshift(TOML);
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path))]));
}

const EXTENSION_TOML = 'shopify.extension.toml';

const readFile = (path: string) => (existsSync(path) ? readFileSync(path) : undefined);

const isWritten = (contents: Uint8Array | undefined): boolean =>
  textOf(contents).startsWith('# Written by loyalty-connector ');

const textOf = (contents: Uint8Array | undefined): string =>
  Buffer.from(contents ?? '').toString('utf8');

/** The configurations of the merchant's own, of the app or of an extension, in the place of ours. */
function foreignIn({ written }: Pick<AppFolder, 'written'>): readonly string[] {
  const configurations = [...written].filter(
    ([path]) => path === TOML || path.endsWith(`/${EXTENSION_TOML}`),
  );
  return configurations.flatMap(([path, contents]) => (isWritten(contents) ? [] : [path]));
}

/** Undefined for an app with an access token, and where the caller may not read secrets. */
async function readClientId(deployment: Deployment, shop: Shop): Promise<string | undefined> {
  try {
    const read = await readSecret(deployment, shop, 'store');
    const { clientId } = read.kind === 'there' ? read.fields : {};
    return typeof clientId === 'string' ? clientId : undefined;
  } catch (error) {
    if (isDenied(error)) return undefined;
    throw error;
  }
}

/** Without one, Shopify's command line would not know which app is meant. */
function requireClientId({ clientId, shop }: AppFolder): void {
  if (clientId !== '') return;
  throw new Problem(
    `The client ID of the app of ${shop} is unknown.`,
    `Give it: --client-id ID (Dev Dashboard, the app, Settings), or store it: npx loyalty-connector secrets set store --shop ${shop}`,
  );
}

/** Undefined when it is missing or is no TOML. */
function parseToml(contents: Uint8Array | undefined): TomlTable | undefined {
  if (!contents) return undefined;
  try {
    return parse(textOf(contents));
  } catch {
    return undefined;
  }
}

/** Writes what differs, and removes what an older release wrote into our extensions. */
function writeFolder({ folder, wanted, written }: AppFolder) {
  const differs = [...wanted].filter(([path, contents]) => {
    const before = written.get(path);
    return before === undefined || Buffer.compare(before, contents) !== 0;
  });
  for (const [path, contents] of differs) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
  const removed = [...written.keys()].filter((path) => !wanted.has(path));
  for (const path of removed) rmSync(join(folder, path));
  return { written: differs.length, removed: removed.length };
}
