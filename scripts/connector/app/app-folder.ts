import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { parse, type TomlTable } from 'smol-toml';
import { type AppFiles, HEADER, readApp } from '../../../app/build/build-app.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { findProject } from '../../../shared/config/folders.ts';
import { secretName } from '../../../shared/services/shop-secrets.ts';
import {
  appConfiguration,
  shopAddress,
} from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { ALL_ORDERS, wantedScopes } from '../checks/store.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { isDenied } from '../deployment/explain-aws-error.ts';
import { readSecret } from '../secrets/read-secret.ts';
import { Problem } from '../terminal/exit.ts';

export const TOML = 'shopify.app.toml';

/**
 * `shopify-app/example-store`: an app folder for each shop, because each has an app of its own, and its extensions
 * hold the shop's address. Another stage, and the stack on this machine, have their own.
 */
function folderOf(
  { where, stage }: Pick<Deployment, 'where' | 'stage'>,
  { path }: Shop,
  to: string | undefined,
): string {
  if (to !== undefined) return resolve(to);
  const suffix = where === 'local' ? '.local' : stage === 'prod' ? '' : `.${stage}`;
  return join(findProject(), 'shopify-app', `${path}${suffix}`);
}

/** What the folder should hold, and what it holds of it. */
export interface AppFolder {
  readonly shop: string;
  readonly folder: string;
  /** From where the connector's own commands run. */
  readonly place: string;
  readonly clientId: string;
  readonly wanted: AppFiles;
  readonly written: AppFiles;
}

export async function readAppFolder(
  deployment: Deployment,
  shop: Shop,
  { to, clientId: given }: { readonly to?: string; readonly clientId?: string },
): Promise<AppFolder> {
  const folder = folderOf(deployment, shop, to);
  const before = parseToml(readFile(join(folder, TOML)));
  const clientId = given ?? (await readClientId(deployment, shop)) ?? textIn(before, 'client_id');
  const scopes = textIn(before?.access_scopes as TomlTable | undefined, 'scopes').split(/\s*,\s*/);
  const kept = scopes.filter((scope) => scope === ALL_ORDERS);
  const proxy = proxyAddress(deployment, shop);
  const extensions = proxy === undefined ? new Map<string, Uint8Array>() : await readApp(proxy);
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
  const { healing } = connector;
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
    appConfiguration(webhookAddress, healing.subscriptions, shop.rules, healing),
    ...(proxy === undefined
      ? []
      : [
          '[app_proxy]',
          `url = ${quote(proxy)}`,
          '# The widget calls /apps/loyalty unless it is configured otherwise.',
          'prefix = "apps"',
          'subpath = "loyalty"',
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

/** Empty where there is no such text. */
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

export const textOf = (contents: Uint8Array | undefined): string =>
  Buffer.from(contents ?? '').toString('utf8');

/** The configurations of the merchant's own, of the app or of an extension, in the place of ours. */
export function foreignIn({ written }: Pick<AppFolder, 'written'>): readonly string[] {
  const configurations = [...written].filter(
    ([path]) => path === TOML || path.endsWith(`/${EXTENSION_TOML}`),
  );
  return configurations.flatMap(([path, contents]) => (isWritten(contents) ? [] : [path]));
}

/** Undefined for an app with an access token, and where the caller may not read secrets. */
async function readClientId(
  { aws, output }: Deployment,
  { path }: Shop,
): Promise<string | undefined> {
  const name = secretName(output('SecretsPrefix'), path, 'store');
  try {
    const read = await readSecret(new SecretsManagerClient(aws), name, 'store');
    const { clientId } = read.kind === 'there' ? read.fields : {};
    return typeof clientId === 'string' ? clientId : undefined;
  } catch (error) {
    if (isDenied(error)) return undefined;
    throw error;
  }
}

/** Without one, Shopify's command line would not know which app is meant. */
export function requireClientId({ clientId, shop }: AppFolder): void {
  if (clientId !== '') return;
  throw new Problem(
    `The client ID of the app of ${shop} is not known.`,
    `Give it: --client-id ID (Dev Dashboard, the app, Settings), or store it: npx loyalty-connector secrets set store --shop ${shop}`,
  );
}

/** Undefined when it is missing or is no TOML. */
export function parseToml(contents: Uint8Array | undefined): TomlTable | undefined {
  if (!contents) return undefined;
  try {
    return parse(textOf(contents));
  } catch {
    return undefined;
  }
}

interface WrittenFiles {
  readonly written: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** Writes what differs, and removes what an older release wrote into our extensions. */
export function writeFolder({ folder, wanted, written }: AppFolder): WrittenFiles {
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
  const unchanged = wanted.size - differs.length;
  return { written: differs.length, removed: removed.length, unchanged };
}
