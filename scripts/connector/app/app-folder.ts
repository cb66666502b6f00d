import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { parse, type TomlTable } from 'smol-toml';
import { type AppFiles, readApp } from '../../../app/build/build-app.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { findProject } from '../../../shared/config/folders.ts';
import { secretName } from '../../../shared/services/shop-secrets.ts';
import { findShop, shopsOf } from '../arguments.ts';
import { ALL_ORDERS } from '../checks/store.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { isDenied } from '../deployment/explain-aws-error.ts';
import { type Block, type Document, facts } from '../document/document.ts';
import { line } from '../document/line.ts';
import { BadArguments, Problem } from '../exit.ts';
import { readSecret } from '../secrets/read-secret.ts';
import type { Session } from '../session.ts';
import { appToml, describeApp, type WantedApp } from './describe-app.ts';

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
  readonly folder: string;
  readonly app: WantedApp;
  readonly wanted: AppFiles;
  readonly written: AppFiles;
}

export async function readAppFolder(
  deployment: Deployment,
  shop: Shop,
  { to, clientId }: { readonly to?: string; readonly clientId?: string },
): Promise<AppFolder> {
  const folder = folderOf(deployment, shop, to);
  const before = parseToml(readFile(join(folder, TOML)));
  const app = describeApp(
    deployment,
    shop,
    clientId ?? (await readClientId(deployment, shop)) ?? textIn(before, 'client_id') ?? '',
  );
  const kept = scopesIn(before).filter((scope) => scope === ALL_ORDERS);
  const extensions = app.proxy ? await readApp(app.proxy.url) : new Map<string, Uint8Array>();
  const wanted = new Map<string, Uint8Array>([
    [TOML, Buffer.from(appToml(app, kept))],
    ...[...extensions].map(([path, contents]) => [`extensions/${path}`, contents] as const),
  ]);
  return { folder, app, wanted, written: readFiles(folder, wanted) };
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
export function requireClientId({ app }: AppFolder): void {
  if (app.clientId !== '') return;
  throw new Problem(
    `The client ID of the app of ${app.shop} is not known.`,
    `Give it: --client-id ID (Dev Dashboard, the app, Settings), or store it: npx loyalty-connector secrets set store --shop ${app.shop}`,
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

export function textIn(table: unknown, name: string): string | undefined {
  const value = tableOf(table)[name];
  return typeof value === 'string' ? value : undefined;
}

export function tableOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function scopesIn(toml: TomlTable | undefined): readonly string[] {
  const text = textIn(toml?.access_scopes, 'scopes') ?? '';
  return text.split(',').flatMap((scope) => scope.trim() || []);
}

export interface AppOptions {
  readonly shop?: string;
  readonly to?: string;
  readonly clientId?: string;
}

export interface WriteOptions extends AppOptions {
  readonly yes?: boolean;
}

/** A folder is of one shop. */
export function shopsWith({ connector }: Deployment, { shop, to }: AppOptions): readonly Shop[] {
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
  for (const shop of shops) {
    const found = await readAppFolder(deployment, shop, options);
    requireClientId(found);
    refuseForeign(found, options, session);
    apps.push({ shop: shop.domain, folder: placeOf(found), ...writeFolder(found) });
  }
  const { shop, to } = options;
  return {
    title: `The app of ${deployment.stack}`,
    blocks: apps.flatMap(({ shop: domain, folder, written, removed, unchanged }) => [
      facts(
        [
          ['Folder', folder],
          ['Files', `${written.length} written, ${unchanged} unchanged, ${removed.length} removed`],
          ['Release it', deployment.where === 'aws' ? releaseCommand(folder) : undefined],
        ],
        domain,
      ),
    ]),
    next: [{ label: 'Compare it', line: line('app check', [], { shop, to }) }],
    data: { apps },
  };
}

/** From where the connector's own commands run. */
export const placeOf = ({ folder }: Pick<AppFolder, 'folder'>): string =>
  relative(process.cwd(), folder) || '.';

/** From the folder in which the connector's own commands run. */
export const releaseCommand = (folder: string): string => `cd ${folder} && shopify app deploy`;

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
  show({ title: `The app in ${placeOf(found)}`, blocks: lost });
  throw new Problem(
    `${foreign.join(', ')}: not written by this command. Nothing was written.`,
    'Replace it with --yes, or write into another folder with --to, to compare both.',
  );
}

interface WrittenFiles {
  readonly written: readonly string[];
  readonly removed: readonly string[];
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
  return { written: differs.map(([path]) => path), removed, unchanged };
}
