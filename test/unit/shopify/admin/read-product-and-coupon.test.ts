import { describe, expect, it } from 'vitest';
import { mapCoupon } from '../../../../shared/core/mapping/map-coupon.ts';
import { readProduct } from '../../../../shared/shopify/admin/admin-store.ts';
import type { Ask } from '../../../../shared/shopify/admin/client/admin-client.ts';
import { REWARD_TAG } from '../../../../shared/shopify/admin/make-reward-code.ts';
import {
  readCoupon,
  readDiscount,
  scanDiscounts,
} from '../../../../shared/shopify/admin/read-discounts.ts';
import { readProductWebhook } from '../../../../shared/shopify/webhooks/read-product-webhook.ts';
import type { StoreCoupon } from '../../../../shared/store/store-entities.ts';
import { discountNode, redeemCode, rootWithDiscounts } from '../../../fixtures/discount-node.ts';
import { customerNode } from '../../../fixtures/order-node.ts';
import { neverSent, rules } from '../../../fixtures/store-entities.ts';
import { askIn, pagesOf } from '../../../support/admin-execution.ts';
import { productAt } from '../../../support/product-payload.ts';

async function coupon(
  discount: Record<string, unknown> = {},
  code = 'AUTUMN10',
): Promise<StoreCoupon> {
  const answer = await readCoupon(askIn(rootWithDiscounts(discountNode(discount))), code);
  if (answer.kind !== 'found') throw new Error(JSON.stringify(answer));
  return answer.value;
}

const worth = (value: object) => ({ customerGets: { value } });

describe('one code of a discount', () => {
  it('is read with all its fields', async () => {
    expect(await coupon()).toEqual({
      code: 'AUTUMN10',
      codeId: '20453209080041',
      discountId: '1688847450345',
      kind: 'percentage',
      value: '10',
      status: 'active',
      createdAt: '2026-10-01T00:00:00.000Z',
      startsAt: '2026-10-01T00:00:00.000Z',
      endsAt: undefined,
      updatedAt: '2026-10-02T12:00:00.000Z',
      audience: { kind: 'everyone' },
      timesUsed: 0,
      useLimit: undefined,
      oncePerCustomer: false,
      madeByConnector: false,
    });
  });

  it('of 1/3 is a coupon of 33.3333 %, and of 0.15000000000000002 one of 15 %, never of 0 %', async () => {
    for (const [fraction, percent] of [
      [0.07, '7'],
      [0.29, '29'],
      [0.125, '12.5'],
      [1, '100'],
      [0.57, '57'],
      [1 / 3, '33.3333'],
      [0.15000000000000002, '15'],
      [2 / 3, '66.6667'],
      [1e-9, '0.0001'],
      [0, '0'],
    ] as const) {
      const value = { __typename: 'DiscountPercentage', percentage: fraction };
      expect(await coupon(worth(value))).toMatchObject({ kind: 'percentage', value: percent });
    }
  });

  it('is unreadable with a percentage that is none, instead of a coupon of 0 %', async () => {
    const value = { __typename: 'DiscountPercentage', percentage: 7 };
    const discount = discountNode(worth(value));
    expect(await readCoupon(askIn(rootWithDiscounts(discount)), 'AUTUMN10')).toMatchObject({
      kind: 'unavailable',
      why: 'unreadable-answer',
    });
  });

  it('has its fixed amount', async () => {
    const value = { __typename: 'DiscountAmount', amount: { amount: '5.0' } };
    expect(await coupon(worth(value))).toMatchObject({ kind: 'fixed-amount', value: '5' });
  });

  it('has the right kind for each of the four types', async () => {
    const kinds = {
      DiscountCodeBxgy: 'buy-x-get-y',
      DiscountCodeFreeShipping: 'free-shipping',
      DiscountCodeApp: 'app',
    };
    for (const [__typename, kind] of Object.entries(kinds)) {
      expect(await coupon({ __typename })).toMatchObject({ kind, value: undefined });
    }
  });

  it('has its dates, its uses and its limit', async () => {
    const node = discountNode(
      {
        status: 'EXPIRED',
        endsAt: '2026-10-31T23:59:59Z',
        usageLimit: 3,
        appliesOncePerCustomer: true,
      },
      [redeemCode({ asyncUsageCount: 2 })],
    );
    const answer = await readCoupon(askIn(rootWithDiscounts(node)), 'AUTUMN10');
    expect(answer).toMatchObject({
      value: {
        status: 'expired',
        endsAt: '2026-10-31T23:59:59.000Z',
        timesUsed: 2,
        useLimit: 3,
        oncePerCustomer: true,
      },
    });
  });

  it.each([
    ['id of one of its customers', { id: 'gid://shopify/Company/2' }],
    ['date on which one of them was made', { createdAt: 'soon' }],
  ])('is unreadable without the %s', async (_, damage) => {
    const context = {
      __typename: 'DiscountCustomers',
      customers: [customerNode(), customerNode({ ...damage })],
    };
    const root = rootWithDiscounts(discountNode({ context }));
    const answers = [
      await readCoupon(askIn(root), 'AUTUMN10'),
      await readDiscount(askIn(root), '1688847450345', undefined),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ kind: 'unavailable', why: 'unreadable-answer' });
    }
  });

  it('is for named customers, for a segment, or for everyone', async () => {
    const context = (__typename: string, fields = {}) =>
      coupon({ context: { __typename, ...fields } });
    expect((await context('DiscountBuyerSelectionAll')).audience).toEqual({ kind: 'everyone' });
    expect((await context('DiscountCustomerSegments')).audience).toEqual({ kind: 'segment' });
    expect((await context('DiscountMarkets')).audience).toEqual({ kind: 'segment' });
    const named = await context('DiscountCustomers', {
      customers: [
        customerNode(),
        customerNode({
          id: 'gid://shopify/Customer/2',
          firstName: null,
          lastName: null,
          defaultAddress: { name: 'A. Name', phone: '+15555550111' },
          defaultPhoneNumber: null,
        }),
      ],
    });
    expect(named.audience).toEqual({
      kind: 'customers',
      customers: [
        {
          id: '6940095564',
          name: 'Robin Sample',
          email: 'robin.sample@example.com',
          phone: '+15555550100',
          createdAt: '2025-01-20T08:00:00.000Z',
        },
        expect.objectContaining({ id: '2', name: 'A. Name', phone: '+15555550111' }),
      ],
    });
  });

  it('is marked when the connector created it, so that it is not sent back', async () => {
    const made = await coupon({ tags: ['summer', REWARD_TAG] });
    expect(made.madeByConnector).toBe(true);
    const mapped = mapCoupon(made, rules, { ...neverSent, now: new Date('2026-10-03') }, 'shop');
    expect(mapped).toEqual({ kind: 'skip', why: 'reward-coupon' });
  });

  it('is never read as another code of the same discount', async () => {
    const codes = ['TEN', 'TEN-A', 'TEN-B'].map((code, index) =>
      redeemCode({ code, id: `gid://shopify/DiscountRedeemCode/${index}` }),
    );
    const ask = askIn(rootWithDiscounts(discountNode({}, codes)));
    expect(await readCoupon(ask, 'TEN-B')).toMatchObject({ value: { code: 'TEN-B', codeId: '2' } });
    expect(await readCoupon(ask, 'TEN')).toMatchObject({ value: { code: 'TEN', codeId: '0' } });
  });

  it('cannot inject operators into the search', async () => {
    let search = '';
    const ask = askIn(
      rootWithDiscounts(discountNode({}, [redeemCode({ code: 'A" OR id:>0 \\' })])),
    );
    const spy: Ask = (document, variables) => {
      if ('search' in variables) search = String(variables.search);
      return ask(document, variables);
    };
    expect(await readCoupon(spy, 'A" OR id:>0 \\')).toMatchObject({ kind: 'found' });
    expect(search).toBe('"A\\" OR id:>0 \\\\"');
  });
});

describe('a discount with thousands of codes', () => {
  const codes = Array.from({ length: 1203 }, (_, index) =>
    redeemCode({ code: `BULK-${index}`, id: `gid://shopify/DiscountRedeemCode/${index}` }),
  );
  const root = rootWithDiscounts(discountNode({}, codes));

  it('is read in pages that lose no code and repeat none', async () => {
    const read: string[] = [];
    let from: string | undefined;
    do {
      const answer = await readDiscount(askIn(root), '1688847450345', from);
      if (answer.kind !== 'found') throw new Error(answer.kind);
      expect(answer.value.coupons.length).toBeLessThanOrEqual(250);
      read.push(...answer.value.coupons.map(({ code }) => code));
      from = answer.value.next;
    } while (from !== undefined);
    expect(read).toEqual(codes.map(({ code }) => code));
  });

  it('finds each of them by its code', async () => {
    const answer = await readCoupon(askIn(root), 'BULK-1100');
    expect(answer).toMatchObject({ value: { codeId: '1100' } });
  });
});

describe('discounts that changed', () => {
  it('are found behind pages that have none with codes', async () => {
    const automatic = {
      __typename: 'DiscountNode',
      id: 'gid://shopify/DiscountNode/7',
      discount: { __typename: 'DiscountAutomaticBasic' },
    };
    const { codeDiscount } = discountNode();
    const withCode = { ...automatic, id: 'gid://shopify/DiscountNode/8', discount: codeDiscount };
    const discounts = [...Array.from({ length: 300 }, () => automatic), withCode];
    const ask = askIn({ discountNodes: pagesOf(discounts) });
    const found: string[] = [];
    let after: string | undefined;
    do {
      const answer = await scanDiscounts(ask, { from: undefined, until: 0 }, after);
      if (answer.kind !== 'found') throw new Error(answer.why);
      found.push(...answer.value.changed.map(({ id }) => id));
      after = answer.value.next;
    } while (after !== undefined);
    expect(found).toEqual(['8']);
  });
});

describe('a discount', () => {
  it('is unavailable when one of its codes cannot be read', async () => {
    const codes = [redeemCode(), redeemCode({ code: 'SECOND', id: 'gid://shopify/Other/1' })];
    const answer = await readDiscount(
      askIn(rootWithDiscounts(discountNode({}, codes))),
      '1688847450345',
      undefined,
    );
    expect(answer).toEqual({ kind: 'unavailable', why: 'unreadable-answer' });
  });
});

const ID = '8012345678901';
const PICTURE = 'https://cdn.example.com/linen-shirt.jpg?v=1';

const payload = productAt(0, {
  updated_at: '2026-10-05T11:00:00+02:00',
  image: { src: PICTURE },
  images: [{ src: PICTURE }],
});

const node = {
  id: `gid://shopify/Product/${ID}`,
  title: 'Linen shirt',
  handle: 'linen-shirt',
  status: 'ACTIVE',
  vendor: 'North Loom',
  productType: 'Shirt',
  updatedAt: '2026-10-05T09:00:00Z',
  category: {
    id: 'gid://shopify/TaxonomyCategory/aa-1-13',
    fullName: 'Apparel & Accessories > Clothing > Shirts',
  },
  priceRangeV2: { minVariantPrice: { amount: '49.9' }, maxVariantPrice: { amount: '59.9' } },
  media: pagesOf([{ __typename: 'MediaImage', image: { url: PICTURE } }]),
  featuredMedia: {
    __typename: 'Video',
    preview: { image: { url: 'https://cdn.example.com/film.jpg' } },
  },
};

function readNode(product: object | null) {
  return readProduct(
    askIn({ product: ({ id }: { id: string }) => (id === node.id ? product : null) }),
    ID,
  );
}

describe('the two readers of a product', () => {
  const agree = async (webhook: object, admin: object) => {
    const expected = readProductWebhook({ ...payload, ...webhook });
    expect(await readNode({ ...node, ...admin })).toEqual({
      kind: 'found',
      value: expected.kind === 'read' ? expected.product : undefined,
    });
  };

  it('agree on a product', () => agree({}, {}));
  it('agree on a draft without a category', () =>
    agree({ status: 'draft', category: null }, { status: 'DRAFT', category: null }));
  it('agree on a product without vendor, type and picture', () =>
    agree(
      { vendor: '', product_type: '', image: null, images: [] },
      { vendor: '', productType: '', media: pagesOf([]), featuredMedia: null },
    ));
  it('agree on a product that has only a video', () =>
    agree(
      {
        image: null,
        images: [],
        media: [{ preview_image: { src: 'https://cdn.example.com/film.jpg' } }],
      },
      { media: pagesOf([]) },
    ));
});

describe('a product of the Admin API', () => {
  it('has the price of its cheapest variant', async () => {
    const webhook = readProductWebhook({
      ...payload,
      variants: Array.from({ length: 100 }, () => ({ price: '49.90' })),
    });
    expect(webhook).toMatchObject({ product: { price: '49.9' } });
    const priceRangeV2 = { minVariantPrice: { amount: '12.5' } };
    expect(await readNode({ ...node, priceRangeV2 })).toMatchObject({ value: { price: '12.5' } });
  });

  it('is gone when the store has none with this id', async () => {
    expect(await readNode(null)).toEqual({ kind: 'gone' });
  });

  it('is unavailable when the answer cannot be read', async () => {
    expect(await readNode({ ...node, updatedAt: 'yesterday' })).toEqual({
      kind: 'unavailable',
      why: 'unreadable-answer',
    });
  });
});
