import { readFile } from 'node:fs/promises';
import { type BuildOptions, build, type Plugin, transform } from 'esbuild';
import { moduleFile, PACKAGE_FOLDER } from '../../shared/config/folders.ts';

/** Evergreen browsers; the oldest versions that have all of the widget's CSS (`light-dark()`). */
const BROWSERS = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];

/** Styles go into the shadow tree, so the script needs them as a string. */
const stylesAsText: Plugin = {
  name: 'styles-as-text',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const css = await readFile(path, 'utf8');
      const { code } = await transform(css, { loader: 'css', minify: true, target: BROWSERS });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

/** How a script for the store's pages is built. */
export const BROWSER_SCRIPT = {
  minify: true,
  platform: 'browser',
  target: BROWSERS,
  format: 'iife',
  // Browsers read a script without a charset in the charset of the page.
  charset: 'ascii',
  plugins: [stylesAsText],
} satisfies BuildOptions;

/** The widget for the store's pages as one script, embedded in the function `storefront`. In the package it is built already. */
export async function bundleWidget(): Promise<string> {
  const { outputFiles } = await build({
    ...BROWSER_SCRIPT,
    absWorkingDir: PACKAGE_FOLDER,
    entryPoints: [moduleFile('app/extensions/loyalty-theme/assets/loyalty-widget')],
    bundle: true,
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  const [script] = outputFiles;
  if (!script) throw new Error('esbuild returned no output for the widget.');
  return script.text;
}
