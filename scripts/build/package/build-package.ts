// Compiles what merchants install into dist/: Node refuses TypeScript below node_modules.
// See docs/decisions/0055-a-package-and-a-project.md.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const OUT = 'dist';
/** What the code reads as files. */
const ASSETS = ['shared/**/*.{yaml,br}', 'local/**/assets/*', 'widget/**/*.{css,liquid}'];
/** The page of the loyalty sandbox. Not a dependency: its installation reports to a third party. */
const SWAGGER = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'LICENSE'];

function compile(...words: readonly string[]): void {
  execFileSync(process.execPath, ['node_modules/typescript-7/bin/tsc', ...words], {
    stdio: 'inherit',
  });
}

rmSync(OUT, { recursive: true, force: true });
compile('-p', 'scripts/build/package');
compile('-p', 'scripts/build/package/tsconfig.types.json');
compile('-p', 'scripts/build/package/tsconfig.widget.json');
for (const file of globSync(ASSETS)) cpSync(file, join(OUT, file));
for (const file of SWAGGER) {
  const from = join('node_modules/swagger-ui-dist', file);
  cpSync(from, join(OUT, 'local/loyalty-sandbox/pages/assets/swagger-ui', file));
}
