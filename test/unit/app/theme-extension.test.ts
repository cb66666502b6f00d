import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { parse } from 'smol-toml';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { itemsOf } from '../../../app/extensions/loyalty-till/src/till.ts';
import { en } from '../../../app/program/strings/en.ts';
import { es } from '../../../app/program/strings/es.ts';
import { ptBr } from '../../../app/program/strings/pt-br.ts';
import { readCart } from '../../../shared/rewards/redeem/available-rewards.ts';
import { CDN, openThemeBlocks } from '../../support/theme-blocks.ts';

const folder = mkdtempSync(join(tmpdir(), 'theme-extension-'));
afterAll(() => rmSync(folder, { recursive: true }));

// The checker would download the newest descriptions of Liquid: a place without any makes it use those of its package.
process.env.SHOPIFY_TLD_ROOT = join(folder, 'no-docs');
process.env.XDG_CACHE_HOME = join(folder, 'cache');
const { check } = await import('@shopify/theme-check-node');
const docs = join(
  dirname(createRequire(import.meta.url).resolve('@shopify/theme-check-node')),
  '..',
);

const theme = await openThemeBlocks();
const KILOBYTE = 1024;
const sizeOf = (path: string) => Buffer.byteLength(theme.read(path));
const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
const below = (...folders: readonly string[]) =>
  [...theme.files.keys()].filter((path) => folders.includes(dirname(path)));

/** What Shopify's theme checker says of the extension with these files changed. */
async function checkTheme(name: string, changed: Readonly<Record<string, string>> = {}) {
  for (const [path, text] of [...theme.files, ...Object.entries(changed)]) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    writeFileSync(join(folder, name, path), text);
  }
  const offenses = await check(join(folder, name), 'theme-check:theme-app-extension');
  return offenses.map(
    ({ check: code, uri, message }) => `${code} ${uri.split('/').at(-1)}: ${message}`,
  );
}

describe("Shopify's theme checker", () => {
  it('finds nothing in the extension', async () => {
    expect(await checkTheme('as-it-is')).toEqual([]);
  });

  it('finds planted faults', async () => {
    const schema = '{% schema %}{ "name": "A", "target": "section" }{% endschema %}';
    const found = await checkTheme('with-faults', {
      'blocks/filter.liquid': `{{ 'a' | no_such_filter }}${schema}`,
      'blocks/asset.liquid': `{{ 'no-such.js' | asset_url }}${schema}`,
      'blocks/tag.liquid': `{% javascript %}{% endjavascript %}${schema}`,
      'blocks/sentence.liquid': `{{ 'no_such' | t }}${schema}`,
      'locales/es.json': '{}',
    });
    const codes = new Set(found.map((one) => one.split(':', 1)[0]));
    for (const code of [
      ...['UnknownFilter filter.liquid', 'MissingAsset asset.liquid'],
      ...['AppBlockValidTags tag.liquid', 'TranslationKeyExists sentence.liquid'],
      'MatchingTranslations es.json',
    ]) {
      expect(codes).toContain(code);
    }
  });
});

describe("the extension, by the rules of Shopify's command line", () => {
  const KINDS: Readonly<Record<string, RegExp>> = {
    assets: /\.(jpe?g|js|css|png|svg|json|wasm)$/,
    blocks: /\.liquid$/,
    snippets: /\.liquid$/,
    locales: /\.json$/,
  };

  it('is of the type theme, and holds only the kinds of files that are taken', () => {
    expect(parse(theme.read('shopify.extension.toml'))).toMatchObject({ type: 'theme' });
    for (const path of theme.files.keys()) {
      if (extname(path) !== '.toml') expect(path).toMatch(KINDS[dirname(path)] ?? /no such folder/);
    }
  });

  it('has at most 30 blocks, 100 kB of Liquid and 15 kB in each locale file', () => {
    expect(theme.blocks.toSorted()).toEqual([
      ...['loyalty', 'loyalty-badge', 'loyalty-button', 'loyalty-points'],
    ]);
    expect(sum(below('blocks', 'snippets').map(sizeOf))).toBeLessThan(16 * KILOBYTE);
    for (const path of below('locales')) expect(sizeOf(path), path).toBeLessThan(15 * KILOBYTE);
  });
});

describe('the theme editor', () => {
  const data = join(docs, '../theme-check-docs-updater/data');
  const ajv = new Ajv({ strict: false, allErrors: true });
  // They refer to each other by file.
  const NAMES = [
    ...['section', 'setting', 'settings', 'default_setting_values', 'preset', 'preset_blocks'],
    ...['app_block_entry', 'theme_block_entry', 'local_block_entry', 'targetted_block_entry'],
  ];
  const idOf = (name: string) => `https://theme.invalid/${name}.json`;
  for (const name of NAMES) {
    const schema = JSON.parse(readFileSync(join(data, `${name}.json`), 'utf8'));
    ajv.addSchema({ ...schema, $id: idOf(name) });
  }
  const validate = (value: unknown) => {
    const isValid = ajv.validate(idOf('section'), value);
    return isValid ? [] : (ajv.errors ?? []);
  };

  it.each(theme.blocks)('takes the schema of %s', (block) => {
    const { target, settings, ...rest } = theme.schemaOf(block);
    expect(target).toBe(block === 'loyalty-button' ? 'body' : 'section');
    // `target` and `autofill` are of app blocks only; the published schemas are those of themes.
    const asOfThemes = settings.map(({ autofill, ...setting }) => setting);
    expect(validate({ ...rest, settings: asOfThemes })).toEqual([]);
  });

  it('would refuse a setting of no known type', () => {
    expect(validate({ name: 'A', settings: [{ type: 'colour', id: 'a' }] })).not.toEqual([]);
  });

  it.each(['en.default', 'pt-BR', 'es'])(
    'has every label in %s, and names of at most 25 letters',
    (locale) => {
      const labels = JSON.parse(theme.read(`locales/${locale}.schema.json`));
      const find = (key: string): unknown =>
        key.split('.').reduce((value, part) => value?.[part], labels);
      const used = theme.blocks.flatMap((block) =>
        [...JSON.stringify(theme.schemaOf(block)).matchAll(/"(\w+)":"t:([\w.]+)"/g)].map(
          ([, attribute, key = '']) => ({ attribute, key, label: find(key) }),
        ),
      );
      expect(used.length).toBeGreaterThan(30);
      for (const { attribute, key, label } of used) {
        expect(label, key).toBeTypeOf('string');
        if (attribute === 'name') expect(String(label).length, key).toBeLessThanOrEqual(25);
      }
      const keys = Object.entries<object>(labels).flatMap(([group, rest]) =>
        Object.keys(rest).map((key) => `${group}.${key}`),
      );
      expect(keys.toSorted()).toEqual([...new Set(used.map(({ key }) => key))].toSorted());
    },
  );

  it('has no label that is not translated', () => {
    for (const block of theme.blocks) {
      const { name, settings } = theme.schemaOf(block);
      const labels = settings.flatMap(({ label, info, content, options = [] }) => [
        ...[label, info, content].filter((text) => text !== undefined),
        ...options.map((option) => option.label),
      ]);
      for (const text of [name, ...labels]) expect(text).toMatch(/^t:/);
    }
  });
});

describe('the sentences that Liquid writes', () => {
  it.each([
    ['en.default', 'en', en],
    ['es', 'es', es],
    ['pt-BR', 'pt-BR', ptBr],
    ['pt-PT', 'pt-BR', ptBr],
  ])('are those of the program: %s', (locale, language, { rewards, points, earns, cashback }) => {
    const counted = (text: string) => text.replace('{n}', '{{ count }}');
    expect(JSON.parse(theme.read(`locales/${locale}.json`))).toEqual({
      language,
      name: expect.stringMatching(/\w/),
      close: expect.stringMatching(/\w/),
      rewards: rewards.heading,
      points: { one: counted(points.one), other: counted(points.other) },
      earns: { sentence: earns.product, point: points.one, points: points.other, cashback },
    });
  });
});

const PRODUCT = {
  id: '8012300032771',
  price_varies: true,
  selected_or_first_available_variant: { id: '11', price: 4900 },
  variants: [
    { id: '11', price: 4900 },
    { id: '12', price: 9850 },
  ],
};

const CUSTOMER = { metafields: { loyalty: { points: { value: 490.4 } } } };

/** Shopify suggests at most 10,000 bytes of compressed script for a block. */
describe('the scripts', () => {
  const compressed = (name: string) => gzipSync(theme.read(`assets/${name}`)).length;

  it.each([
    ['every page with a button, badge or program', 'loyalty.js', 1_000],
    ['a page of a product', 'loyalty-points.js', 2_000],
  ])('of %s stay small', (_, name, bytes) => {
    expect(compressed(name)).toBeLessThan(bytes);
  });

  it.each([
    ['en', 'loyalty-widget.js'],
    ['fr', 'loyalty-widget.js'],
    ['es-MX', 'loyalty-widget-es.js'],
    ['pt-BR', 'loyalty-widget-pt.js'],
  ])('are in the language of the page: %s', (locale, name) => {
    expect(theme.read(`assets/${name}`)).toContain('loyalty-widget');
    for (const block of ['loyalty', 'loyalty-button', 'loyalty-badge']) {
      expect(theme.render(block, {}, { customer: CUSTOMER, locale })).toContain(
        ` widget="${CDN}${name}"`,
      );
    }
  });

  it('leave the widget for where it is seen: no block names it as a script', () => {
    expect(compressed('loyalty-widget.js')).toBeGreaterThan(5_000);
    for (const block of theme.blocks) {
      const html = theme.render(block, { product: PRODUCT });
      expect(html).not.toContain(`src="${CDN}loyalty-widget.js`);
      expect(theme.schemaOf(block)).not.toHaveProperty('javascript');
      expect(theme.schemaOf(block)).not.toHaveProperty('stylesheet');
    }
  });
});

describe('what is not shown loads nothing', () => {
  it.each([
    ['the points of a product, in a section without one', 'loyalty-points', {}],
    ['the points of a product without variants', 'loyalty-points', { product: { id: '1' } }],
    ['a button for customers only', 'loyalty-button', { visitors: false }],
    ['a badge for customers only', 'loyalty-badge', { visitors: false }],
    ['a program with nothing chosen', 'loyalty', { balance: false, rewards: false, earned: false }],
  ])('%s', (_, block, settings) => {
    expect(theme.render(block, settings)).not.toMatch(/<script|<style|<loyalty-/);
  });

  it('needs one script for each block that is shown', () => {
    for (const block of theme.blocks) {
      const html = theme.render(block, { product: PRODUCT });
      expect(html.match(/<script/g), block).toHaveLength(1);
      expect(html).toMatch(/<script src="[^"]+" defer>/);
    }
  });
});

describe('the blocks', () => {
  it('write the points of the page into the button, in the language of the page', () => {
    const label = (locale: string, value: number | undefined) => {
      const customer = {
        metafields: { loyalty: { points: value === undefined ? null : { value } } },
      };
      const html = theme.render('loyalty-button', {}, { customer, locale });
      return /<span data-loyalty="balance">([^<]*)</.exec(html)?.[1];
    };
    expect(label('en', 490.4)).toBe('490 points');
    expect(label('en', 1)).toBe('1 point');
    expect(label('pt-BR', 490.4)).toBe('490 pontos');
    expect(label('pt-PT', 1)).toBe('1 ponto');
    expect(label('es', undefined)).toBe('Recompensas');
    expect(label('fr', undefined)).toBe('Rewards');
  });

  it('take another namespace and another path of the proxy', () => {
    const customer = { metafields: { club: { points: { value: 7 } } } };
    const html = theme.render(
      'loyalty-badge',
      { namespace: 'club', proxy: '/tools/"club"' },
      { customer },
    );
    expect(html).toContain('>7 points<');
    expect(html).toContain('proxy="/tools/&#34;club&#34;"');
  });

  it('name the prices of variants only where they differ', () => {
    const html = theme.render('loyalty-points', { product: PRODUCT });
    expect(html).toContain('prices="11:49,12:98.5,"');
    const same = theme.render('loyalty-points', { product: { ...PRODUCT, price_varies: false } });
    expect(same).not.toContain('prices=');
    expect(same).toContain('price="49"');
  });

  const cart = {
    item_count: 2,
    items: [
      { product_id: '1', final_price: 4900, quantity: 1 },
      { product_id: '2', final_price: 850, quantity: 3 },
    ],
  };

  it('offer the rewards for the cart, and count the points of the cart on its own page only', () => {
    const html = theme.render('loyalty', {}, { cart, customer: CUSTOMER, pageType: 'cart' });
    expect(html).toContain('cart="1:49:1,2:8.5:3"');
    expect(html).toContain('items="1:49:1,2:8.5:3"');
    expect(html).not.toContain('logged-out');
    expect(theme.render('loyalty', {}, { cart })).not.toContain('items=');
    expect(theme.render('loyalty', {}, { cart })).toContain('logged-out');
  });

  it('take a discount on the whole cart off every item', () => {
    const discounted = { ...cart, items_subtotal_price: 7450, total_price: 6705 };
    const html = theme.render('loyalty', {}, { cart: discounted, pageType: 'cart' });
    expect(html).toContain('items="1:44.1:1,2:7.65:3"');
    const free = theme.render('loyalty', {}, { cart: { ...discounted, items_subtotal_price: 0 } });
    expect(free).toContain('cart="1:49:1,2:8.5:3"');
  });

  describe.each([
    // What 60 of the store's money is for the visitor, in the hundredths of Liquid.
    ['BRL', 'USD', 1200],
    ['USD', 'JPY', 900000],
    ['JPY', 'USD', 40],
  ])('in a store with %s, for a visitor who sees %s', (currency, seen, price) => {
    const page = {
      currency,
      pageType: 'cart',
      customer: CUSTOMER,
      cart: {
        item_count: 1,
        currency: { iso_code: seen },
        items: [{ product_id: '1', final_price: price, quantity: 1 }],
      },
    };
    const product = { ...PRODUCT, selected_or_first_available_variant: { id: '11', price } };

    it.each(['loyalty', 'loyalty-badge', 'loyalty-button'])(
      "%s names the store's currency, and no amount of the visitor's",
      (block) => {
        const html = theme.render(block, { product, earned: true }, page);
        expect(html).toContain(` currency="${currency}"`);
        expect(html).toContain(` page-currency="${seen}"`);
        expect(html).not.toMatch(/ (cart|items|price|prices)="[\d:]/);
      },
    );

    it('the points of a product are not counted from a price of another currency', () => {
      expect(theme.render('loyalty-points', { product }, page)).not.toMatch(/<script|<loyalty-/);
    });

    it('a program of nothing but points is not shown, and keeps no room', () => {
      const only = { balance: false, rewards: false, earned: true };
      expect(theme.render('loyalty', { product, ...only }, page)).not.toContain('<');
    });
  });

  it('set only attributes that the elements read', () => {
    const html = theme.render(
      'loyalty',
      { product: PRODUCT },
      { pageType: 'cart', cart: { item_count: 1, items: [{ product_id: '1' }] } },
    );
    const attributesOf = (tag: string, text: string) =>
      [
        ...(new RegExp(`<${tag}\\s([^>]*)>`).exec(text)?.[1] ?? '').matchAll(
          /([a-z-]+)(?:="[^"]*"|\s)/g,
        ),
      ].map(([, name = '']) => name);
    const widget = readFileSync('app/widget/loyalty-widget.ts', 'utf8');
    const given = attributesOf('loyalty-widget', html);
    expect(given).toContain('logged-out');
    expect(given.filter((name) => !widget.includes(`'${name}'`))).toEqual([]);
    const points = readFileSync('app/extensions/loyalty-theme/assets/loyalty-points.ts', 'utf8');
    const read = attributesOf(
      'loyalty-points',
      theme.render('loyalty-points', { product: PRODUCT }),
    );
    expect(read).toContain('prices');
    expect(read.filter((name) => !points.includes(`'${name}'`))).toEqual(['lang']);
  });
});

/** Not a literal: what it needs of a browser has types of its own. It defines its elements once. */
const THEME_SCRIPT = resolve('app/extensions/loyalty-theme/assets/loyalty.ts');
const elements = new Map<string, new () => { connectedCallback(): void }>();

/** A cart of so many lines, as each surface gets it, and what it sends of them. */
const CARTS: Readonly<Record<string, (ids: readonly number[]) => Promise<string | undefined>>> = {
  async 'a page of the store'(ids) {
    const items = ids.map((id) => ({ product_id: `${id}`, final_price: 100, quantity: 1 }));
    const html = theme.render('loyalty', {}, { cart: { item_count: ids.length, items } });
    return / cart="([^"]*)"/.exec(html)?.[1];
  },
  async 'the panel'(ids) {
    const items = ids.map((id) => ({ product_id: id, final_price: 100, quantity: 1 }));
    const globals = {
      HTMLElement: Object,
      location: { hash: '#loyalty' },
      fetch: async () => Response.json({ currency: 'EUR', items, total_price: 1 }),
      customElements: { get: () => undefined, define: elements.set.bind(elements) },
    };
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    await import(THEME_SCRIPT);
    const Panel = elements.get('loyalty-panel');
    if (!Panel) throw new Error('the theme has no panel');
    const sent = await new Promise<string>((setAttribute) => {
      const widget = {
        getAttribute: (name: string) => (name === 'currency' ? 'EUR' : ''),
        setAttribute: (_: string, lines: string) => setAttribute(lines),
      };
      const querySelector = (name: string) => (name === 'loyalty-widget' ? widget : null);
      const panel = Object.assign(new Panel(), { querySelector, getAttribute: () => '' });
      const href = 'https://shop.example.com/';
      vi.stubGlobal('document', {
        ...{ addEventListener() {}, querySelector: () => panel, scripts: [{ src: href }] },
        baseURI: href,
      });
      panel.connectedCallback();
    });
    vi.unstubAllGlobals();
    return sent;
  },
  async 'the till'(ids) {
    const lineItems = ids.map((productId) => ({ productId, price: 1, quantity: 1, discounts: [] }));
    return itemsOf({ currency: 'EUR', lineItems, cartDiscounts: [] });
  },
};

it.each(Object.keys(CARTS))('of a long cart, %s sends as many lines as are read', async (name) => {
  for (const many of [1, 50, 51, 300]) {
    const ids = Array.from({ length: many }, (_, n) => n + 1);
    const sent = readCart((await CARTS[name]?.(ids)) ?? '');
    expect(sent?.map(({ id }) => Number(id))).toEqual(ids.slice(0, 50));
  }
});
