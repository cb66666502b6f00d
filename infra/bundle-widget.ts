import { readFile } from 'node:fs/promises';
import { build, type Plugin, transform } from 'esbuild';

/** Browsers that renew themselves; the oldest with all that the widget's styles use (`light-dark()`). */
const BROWSERS = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];

/** The widget for the store's pages as one script, which the function `storefront` carries inside. */
export async function bundleWidget(root: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['widget/main.ts'],
    bundle: true,
    minify: true,
    platform: 'browser',
    target: BROWSERS,
    format: 'iife',
    // An answer without a charset would otherwise be read in that of the page.
    charset: 'ascii',
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
    plugins: [stylesAsText],
  });
  const [script] = outputFiles;
  if (!script) throw new Error('esbuild made nothing of the widget.');
  return script.text;
}

/** Styles go into the shadow tree, so the script needs them as a text. */
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
