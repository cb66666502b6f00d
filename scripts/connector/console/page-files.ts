import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import type { AboutConsole } from './about-console.ts';

interface PageFile {
  readonly text: string;
  readonly type: string;
}

/** By its path: `/page.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const FOLDER = 'scripts/connector/console/page';
const TYPES = { '/page.js': 'text/javascript', '/page.css': 'text/css' } as const;

/** In the package they are built already: operators need no Preact. */
export async function readPage(): Promise<PageFiles> {
  const isPacked = extname(import.meta.filename) === '.js';
  const read = isPacked ? readBuilt : await buildPage();
  return new Map(
    await Promise.all(
      Object.entries(TYPES).map(
        async ([path, type]) => [path, { text: await read(path), type }] as const,
      ),
    ),
  );
}

function readBuilt(path: string): Promise<string> {
  return readFile(join(import.meta.dirname, 'page', path), 'utf8');
}

/** Their licence asks for its notice in every copy. */
const NOTICE =
  '/* Contains Preact (c) 2015-present Jason Miller, Preact Signals (c) 2022-present Preact Team, and uPlot ' +
  '(c) 2022 Leon Sorokin, all under the MIT License. */';

/** One script and one style sheet, from the sources. */
async function buildPage(): Promise<(path: string) => Promise<string>> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: PACKAGE_FOLDER,
    entryPoints: { page: join(PACKAGE_FOLDER, FOLDER, 'main.tsx') },
    outdir: join(PACKAGE_FOLDER, FOLDER),
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    banner: { js: NOTICE, css: NOTICE },
    logLevel: 'warning',
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [`/${basename(path)}`, text]));
  return async (path) => {
    const text = texts.get(path);
    if (text === undefined) throw new Error(`esbuild did not build ${path}`);
    return text;
  };
}

/** `key` is there once, in the answer to the printed address; the page keeps it. */
export function pageHtml(about: AboutConsole, key: string | undefined): string {
  const keyLine =
    key === undefined ? '' : `<meta name="console-key" content="${attribute(key)}">\n`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="console" content="${attribute(JSON.stringify(about))}">
${keyLine}<title>${attribute(about.stack)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
<body></body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

function attribute(text: string): string {
  return text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? '');
}
