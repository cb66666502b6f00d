import { describe, expect, it } from 'vitest';
import { codeOf, openSandbox } from '../../support/sandbox-program.ts';

const product = (changes: object = {}) => ({
  OriginalId: 'p1',
  Title: 'Linen shirt',
  Url: null,
  ImageUrl: null,
  IsActive: true,
  ProductPrice: 49.9,
  ProductBrand: { OriginalId: 'north-loom', Name: 'North Loom' },
  ProductCategory: {
    OriginalId: 'shirts',
    Name: 'Shirts',
    ParentCategory: { OriginalId: 'clothing', Name: 'Clothing', ParentCategory: null },
  },
  ...changes,
});
const path = { id: 'p1' };

describe('updateProduct', () => {
  it('creates, then updates', () => {
    const sandbox = openSandbox();
    const Result = {
      OriginalId: 'p1',
      Title: 'Linen shirt',
      Url: null,
      ImageUrl: null,
      IsActive: true,
      ProductPrice: 49.9,
    };
    expect(sandbox.call('updateProduct', { path, body: product() })).toEqual({
      ErrorMessage: null,
      ErrorCode: null,
      Result,
      Code: '01',
      CodeName: 'ProductCreated',
      Severity: 0,
      HasWarning: false,
      HasError: false,
    });
    const again = sandbox.call('updateProduct', { path, body: product({ Title: 'Shirt' }) });
    expect(again).toMatchObject({ Code: '02', Result: { Title: 'Shirt' } });
    expect(sandbox.tables.products.get('p1')?.categories).toEqual(['Clothing', 'Shirts']);
  });

  it.each([null, 0])('warns about a price of %s, which earns no extra points', (ProductPrice) => {
    const answer = openSandbox().call('updateProduct', { path, body: product({ ProductPrice }) });
    expect(answer).toMatchObject({ Severity: 1, HasWarning: true, HasError: false, Code: '03' });
  });

  it.each([
    ['OriginalId is null', product({ OriginalId: null }), 39],
    ['OriginalId is blank', product({ OriginalId: ' ' }), 39],
    ['it is for another product', product({ OriginalId: 'p2' }), 38],
    ['there are further properties', product({ Colour: 'blue' }), 38],
    ['there is no body', undefined, 38],
    ['the price is below zero', product({ ProductPrice: -1 }), 38],
    ['the title is a number', product({ Title: 3 }), 38],
    ['the brand is a word', product({ ProductBrand: 'North Loom' }), 38],
    ['a category is a word', product({ ProductCategory: { ParentCategory: 'x' } }), 38],
  ])('refuses when %s', (_, body, code) => {
    for (const ask of ['call', 'callUnchecked'] as const) {
      const answer = openSandbox()[ask]('updateProduct', { path, body });
      expect(codeOf(answer)).toBe(code);
      expect(answer).toMatchObject({ Severity: 2, HasWarning: false, Code: '90' });
    }
  });

  it('refuses a body of 200,000 foreign properties', () => {
    const foreign = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`x${i}`, 1]));
    const body = product(foreign);
    expect(codeOf(openSandbox().call('updateProduct', { path, body }))).toBe(38);
  });

  it('refuses a category tree without end', () => {
    let ProductCategory: object = { Name: 'root' };
    for (let i = 0; i < 50_000; i++)
      ProductCategory = { Name: 'x', ParentCategory: ProductCategory };
    const body = product({ ProductCategory });
    expect(codeOf(openSandbox().call('updateProduct', { path, body }))).toBe(38);
    expect(codeOf(openSandbox().callUnchecked('updateProduct', { path, body }))).toBe(38);
  });

  it('speaks the older shape where the settings say so', () => {
    const sandbox = openSandbox({ settings: { productAnswer: 'older' } });
    const members = ['ErrorMessage', 'ErrorCode', 'Result', 'HasError'];
    for (const body of [product(), product({ ProductPrice: 0 }), {}]) {
      expect(Object.keys(sandbox.call('updateProduct', { path, body }))).toEqual(members);
    }
  });
});

describe('calculateProductPoints', () => {
  it('counts as an order would, without rounding up', () => {
    const sandbox = openSandbox({ settings: { pointsPerUnit: 0.1 } });
    const body = [
      { Id: 'a', Price: 49.9, PriceCurrency: 'EUR', Name: 'Linen shirt' },
      { Id: 'b', Price: 0.29 },
      { Id: 'c', Price: 0.05 },
    ];
    expect(sandbox.call('calculateProductPoints', { body })).toEqual({
      HasError: false,
      ErrorMessages: [],
      ErrorMessage: '',
      ErrorDescriptions: [],
      Result: [
        { Id: 'a', Points: 4.99, Cashback: 0.24 },
        { Id: 'b', Points: 0.02, Cashback: 0 },
        { Id: 'c', Points: 0, Cashback: 0 },
      ],
    });
  });

  it('reports all faults at once, each with its field', () => {
    const body = [{ Id: ' ', Price: 0 }, { Id: 'b', Price: 'x' }, 7, { Id: 'd', Price: 1 }];
    for (const ask of ['call', 'callUnchecked'] as const) {
      const answer = openSandbox()[ask]('calculateProductPoints', { body });
      const found = answer.ErrorDescriptions?.map((e) => [e.Field, e.Description]);
      expect(found).toEqual([
        ['[0].Id', 7],
        ['[0].Price', 9],
        ['[1].Price', 7],
        ['[2]', 7],
      ]);
      expect(answer).toMatchObject({ HasError: true, Result: null });
    }
  });

  it('describes no more faults than a person reads', () => {
    for (const item of [{}, 7, { Id: 'a', Price: 'x' }]) {
      const body = Array(300).fill(item);
      for (const ask of ['call', 'callUnchecked'] as const) {
        const answer = openSandbox()[ask]('calculateProductPoints', { body });
        const { ErrorDescriptions = [], ErrorMessages = [] } = answer;
        expect(ErrorDescriptions.length).toBeGreaterThanOrEqual(10);
        expect(ErrorDescriptions.length).toBeLessThanOrEqual(20);
        expect(ErrorMessages).toHaveLength(ErrorDescriptions.length);
      }
    }
  });

  it('takes an empty list for a list, and nothing else', () => {
    const sandbox = openSandbox();
    expect(sandbox.call('calculateProductPoints', { body: [] }).Result).toEqual([]);
    for (const body of [undefined, {}, 'x', null]) {
      expect(codeOf(sandbox.call('calculateProductPoints', { body }))).toBe(7);
    }
  });
});
