// Compiles what merchants install into dist/: Node refuses TypeScript below node_modules.
// See docs/decisions/0030-a-stage-is-a-settings-file-in-the-merchants-project.md.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { bundleApp } from '../../../app/build/build-app.ts';
import { readPage } from '../../connector/ground/console/server.ts';

const OUT = 'dist';
/** What the code reads as files. */
const TEMPLATE = 'scripts/connector/set-up/template';
const SHARED = ['shared/**/*.{yaml,br}', 'shared/**/schema/*.graphql'];
const VENDURE = 'local/vendure-engine/server';
const ASSETS = [...SHARED, 'local/**/assets/*', `${VENDURE}/package*.json`, `${TEMPLATE}/*`];
/** For pages that show an API. Not a dependency: its installation reports to a third party. */
const SWAGGER = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'LICENSE'];

function compile(...words: readonly string[]): void {
  execFileSync(process.execPath, ['node_modules/typescript-7/bin/tsc', ...words], {
    stdio: 'inherit',
  });
}

rmSync(OUT, { recursive: true, force: true });
compile('-p', 'scripts/build/package');
compile('-p', 'scripts/build/package/tsconfig.types.json');
for (const file of globSync(ASSETS)) cpSync(file, join(OUT, file));
// With the plugin; its packages are installed when it is started.
await build({
  entryPoints: [`${VENDURE}/server.ts`],
  outfile: join(OUT, VENDURE, 'server.js'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  tsconfigRaw: {},
});
for (const [path, contents] of await bundleApp()) {
  const file = join(OUT, 'app/extensions', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, contents);
}
for (const [path, { text }] of await readPage()) {
  const file = join(OUT, 'scripts/connector/ground/console/page', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
for (const file of SWAGGER) {
  const from = join('node_modules/swagger-ui-dist', file);
  cpSync(from, join(OUT, 'local/sandbox-kit/pages/assets/swagger-ui', file));
}
