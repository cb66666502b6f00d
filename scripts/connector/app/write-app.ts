import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { findShop } from '../arguments.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type AppFolder, foreignIn, readAppFolder, requireClientId, textOf } from './app-folder.ts';
import { dashboardFields } from './app-toml.ts';
import { describeApp } from './describe-app.ts';

export interface AppOptions {
  readonly shop?: string;
  readonly to?: string;
  readonly clientId?: string;
}

export interface WriteOptions extends AppOptions {
  readonly yes?: boolean;
}

export function shopsOf({ connector }: Deployment, { shop, to }: AppOptions): readonly Shop[] {
  if (to !== undefined || shop !== undefined) return [findShop(connector, shop)];
  return connector.shops;
}

/** Read settings, addresses and folder → refuse what is not ours → write what differs. */
export async function writeApp(session: Session, options: WriteOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const deployment = await session.findDeployment();
  const shops = shopsOf(deployment, options);
  if (options.clientId !== undefined && shops.length > 1) {
    throw new BadArguments('give --shop with --client-id: each shop has an app of its own.');
  }
  const documents: object[] = [];
  for (const shop of shops) {
    const found = await readAppFolder(deployment, shop, options);
    requireClientId(found);
    refuseForeign(found, options, terminal);
    const changes = writeFolder(found);
    const folder = relative(process.cwd(), found.folder) || '.';
    documents.push({ shop: shop.domain, folder, ...changes });
    if (json) continue;
    terminal.line(`${shop.domain}: ${folder}, ${describeChanges(changes)}`);
    if (deployment.where === 'aws') {
      terminal.line(`Release it with Shopify's command line: ${releaseCommand(folder)}`);
    }
  }
  if (json) terminal.json({ apps: documents });
  else terminal.line(`Then compare: ${nextCommand(deployment, 'app check')}`);
  return EXIT.fine;
}

/** From the folder in which the connector's own commands run. */
export const releaseCommand = (folder: string): string => `cd ${folder} && shopify app deploy`;

/** Shows files of the merchant's own, and leaves them alone without --yes. */
function refuseForeign(found: AppFolder, { yes }: WriteOptions, terminal: Terminal): void {
  const foreign = foreignIn(found);
  if (yes || foreign.length === 0) return;
  for (const path of foreign) {
    const kept = new Set(textOf(found.wanted.get(path)).split('\n'));
    const lines = textOf(found.written.get(path)).split('\n');
    terminal.note(`${join(found.folder, path)} has lines that would be lost:`);
    for (const line of lines.filter((one) => one.trim() !== '' && !kept.has(one))) {
      terminal.note(`  ${line}`);
    }
  }
  throw new Problem(
    `${foreign.join(', ')}: not written by this command. Nothing was written.`,
    'Replace it with --yes, or write into another folder with --to, to compare both.',
  );
}

export interface WrittenFiles {
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

function describeChanges({ written, removed, unchanged }: WrittenFiles): string {
  const parts = [`${written.length} ${written.length === 1 ? 'file' : 'files'} written`];
  if (unchanged > 0) parts.push(`${unchanged} unchanged`);
  if (removed.length > 0) parts.push(`${removed.length} removed`);
  return parts.join(', ');
}

/** The same for the Dev Dashboard, in the order of its fields. */
export async function listApp(session: Session, options: AppOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const deployment = await session.findDeployment();
  const documents: object[] = [];
  for (const shop of shopsOf(deployment, options)) {
    // The dashboard knows the client ID.
    const app = describeApp(deployment, shop, '');
    const { scopes, proxy } = app;
    const fields = dashboardFields(app);
    documents.push({ shop: app.shop, scopes, proxy, fields: Object.fromEntries(fields) });
    if (json) continue;
    terminal.line(`${app.shop}: Dev Dashboard, the app, Versions, Create a version`);
    for (const [name, value] of fields) terminal.line(`  ${name.padEnd(28)}${value}`);
    terminal.line('Why each scope is needed:');
    for (const one of scopes) terminal.line(`  ${one.scope.padEnd(28)}${one.for}`);
  }
  if (json) terminal.json({ apps: documents });
  else {
    terminal.paragraph(
      'The requests about personal data (compliance topics) and the extensions have no field there: only "app write" and "shopify app deploy" bring them.',
    );
  }
  return EXIT.fine;
}
