import { Liquid } from 'liquidjs';
import { type AppFiles, bundleApp } from '../../app/build/build-app.ts';

const FOLDER = 'loyalty-theme/';

/** Where Shopify would serve the assets of an extension. */
export const CDN = '/cdn/extensions/';

/** The schema of a block, as the theme editor reads it. */
export interface BlockSchema {
  readonly name: string;
  readonly target: string;
  readonly settings: readonly Setting[];
}

interface Setting extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly id?: string;
  readonly default?: unknown;
  readonly options?: readonly { readonly label: string }[];
}

/** What a page of the store knows; the names are those of Liquid. */
export interface ThemePage {
  readonly locale?: string;
  readonly pageType?: string;
  readonly customer?: object | undefined;
  readonly cart?: object;
  /** Of the store; the visitor's is that of the cart. */
  readonly currency?: string;
}

/** The theme app extension, built and rendered by a real Liquid engine with the few things that Shopify adds. */
export async function openThemeBlocks(given?: AppFiles) {
  const built = given ?? (await bundleApp());
  const files = new Map(
    [...built]
      .filter(([path]) => path.startsWith(FOLDER))
      .map(([path, contents]) => [path.slice(FOLDER.length), Buffer.from(contents).toString()]),
  );
  const read = (path: string): string => files.get(path) ?? '';
  const schemaOf = (block: string): BlockSchema => {
    const [, schema = '{}'] = SCHEMA.exec(read(`blocks/${block}.liquid`)) ?? [];
    return JSON.parse(schema);
  };

  return {
    files,
    read,
    schemaOf,
    blocks: [...files.keys()].flatMap((path) => /^blocks\/(.+)\.liquid$/.exec(path)?.[1] ?? []),

    /** The HTML of a block with the settings of the theme editor, or its defaults. */
    render(block: string, settings: object = {}, page: ThemePage = {}): string {
      const { locale = 'en', pageType = 'product', customer, cart, currency = 'EUR' } = page;
      const engine = createEngine(files, JSON.parse(read(localeFile(files, locale))));
      const text = read(`blocks/${block}.liquid`).replace(SCHEMA, '');
      const defaults = schemaOf(block).settings.map((one) => [one.id, one.default]);
      return engine.parseAndRenderSync(
        text,
        { block: { settings: { ...Object.fromEntries(defaults), ...settings } } },
        {
          globals: {
            request: { locale: { iso_code: locale }, page_type: pageType },
            routes: { account_login_url: '/account/login', cart_url: '/cart' },
            shop: { currency },
            cart: { item_count: 0, currency: { iso_code: currency }, ...cart },
            customer,
          },
        },
      );
    },
  };
}

const SCHEMA = /\{% schema %\}([\s\S]*)\{% endschema %\}/;

const localeFile = (files: ReadonlyMap<string, string>, locale: string): string =>
  files.has(`locales/${locale}.json`) ? `locales/${locale}.json` : 'locales/en.default.json';

type Sentences = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

function createEngine(files: ReadonlyMap<string, string>, sentences: Sentences): Liquid {
  const templates = Object.fromEntries(
    [...files]
      .filter(([path]) => path.startsWith('snippets/'))
      .map(([path, text]) => [path.slice('snippets/'.length, -'.liquid'.length), text]),
  );
  const engine = new Liquid({ templates });
  engine.registerFilter('asset_url', (name: string) => `${CDN}${name}`);
  engine.registerFilter('t', (key: string, ...[given]: [name: string, count: number][]) => {
    const [group = '', name] = key.split('.');
    const count = given?.[1] ?? 0;
    const found = sentences[group];
    const sentence =
      typeof found === 'object' ? found[name ?? (count === 1 ? 'one' : 'other')] : found;
    if (sentence === undefined) throw new Error(`No locale file has ${key}.`);
    return sentence.replace('{{ count }}', String(count));
  });
  // A description of a snippet: it renders nothing.
  engine.registerTag('doc', {
    parse(_, remaining) {
      while (remaining.length > 0 && !/enddoc/.test(remaining.shift()?.getText() ?? '')) {}
    },
    render: () => '',
  });
  return engine;
}
