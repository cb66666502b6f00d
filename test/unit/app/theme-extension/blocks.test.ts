import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CDN, openThemeBlocks } from '../../../support/theme-blocks.ts';

const theme = await openThemeBlocks();

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
    [
      'a program with nothing chosen',
      'loyalty',
      { balance: false, rewards: false, quizzes: false, earned: false },
    ],
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

  it('offer the rewards for the cart, and count the points of the cart on its own page only', () => {
    const cart = {
      item_count: 2,
      items: [
        { product_id: '1', final_price: 4900, quantity: 1 },
        { product_id: '2', final_price: 850, quantity: 3 },
      ],
    };
    const html = theme.render('loyalty', {}, { cart, customer: CUSTOMER, pageType: 'cart' });
    expect(html).toContain('cart="1:49:1,2:8.5:3"');
    expect(html).toContain('items="1:49:1,2:8.5:3"');
    expect(html).not.toContain('logged-out');
    expect(theme.render('loyalty', {}, { cart })).not.toContain('items=');
    expect(theme.render('loyalty', {}, { cart })).toContain('logged-out');
  });

  it('take a discount on the whole cart off every item', () => {
    const cart = {
      item_count: 2,
      items: [
        { product_id: '1', final_price: 4900, quantity: 1 },
        { product_id: '2', final_price: 850, quantity: 3 },
      ],
      items_subtotal_price: 7450,
      total_price: 6705,
    };
    const html = theme.render('loyalty', {}, { cart, pageType: 'cart' });
    expect(html).toContain('items="1:44.1:1,2:7.65:3"');
    const free = theme.render('loyalty', {}, { cart: { ...cart, items_subtotal_price: 0 } });
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
      const only = { balance: false, rewards: false, quizzes: false, earned: true };
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
