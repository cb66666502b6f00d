import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkAdminDocument, readAdminOperations } from '../../../scripts/build/admin-documents.ts';
import { adminSchema, queryCost } from '../../../shared/shopify/admin/schema/admin-schema.ts';

const schema = adminSchema();
const operations = readAdminOperations();

function check(text: string): string[] {
  return checkAdminDocument(schema, parse(text));
}

describe('the documents of the Admin API', () => {
  it('are there', () => {
    expect(operations.map(({ name }) => name)).toContain('Order');
  });

  for (const { name, document } of operations) {
    it(`${name} is what Shopify's own schema allows, now and in the next version`, () => {
      expect(checkAdminDocument(schema, document)).toEqual([]);
    });

    it(`${name} leaves a tenth of the points that one query may cost`, () => {
      expect(queryCost(schema, document)).toBeLessThanOrEqual(900);
    });
  }

  it('are not the ones of a stale generated file, which `npm run check:contract` notices', () => {
    const generated = readFileSync('shared/shopify/admin/documents.gen.ts', 'utf8');
    const stale = join(tmpdir(), `documents-${process.pid}.gen.ts`);
    onTestFinished(() => rmSync(stale));
    writeFileSync(stale, generated.replace('sourceName', 'sourcename'));
    const check = ['scripts/build/generate-admin-types.ts', '--check', stale];
    expect(() => execFileSync(process.execPath, check, { stdio: 'pipe' })).toThrow(
      'is not what its documents say',
    );
  });
});

it('says in docs/local-stack.md which published schema is stored', () => {
  const source = readFileSync('shared/shopify/admin/schema/source.json', 'utf8');
  const { package: name, version } = JSON.parse(source);
  const page = readFileSync('docs/local-stack.md', 'utf8');
  expect(page.replaceAll('\n', ' ')).toContain(`of ${name} ${version}`);
});

describe('the check of a document', () => {
  it('sees a misspelt field', () => {
    expect(check('query A($id: ID!) { order(id: $id) { nam } }')).toEqual([
      expect.stringContaining('Cannot query field "nam" on type "Order"'),
    ]);
  });

  it('sees a deprecated field', () => {
    expect(check('query A($id: ID!) { order(id: $id) { totalPrice } }')).toEqual([
      expect.stringContaining('The field Order.totalPrice is deprecated'),
    ]);
    expect(
      check(
        'query A($code: String!) { codeDiscountNodeByCode(code: $code) { codeDiscount { ... on DiscountCodeBasic { customerSelection { __typename } } } } }',
      ),
    ).toEqual([expect.stringContaining('customerSelection is deprecated')]);
  });

  it('sees a deprecated argument', () => {
    const text =
      'query A($id: ID!) { order(id: $id) { lineItems(first: 1) { nodes { image(scale: 2) { id } } } } }';
    expect(check(text)).toEqual([expect.stringContaining('argument "scale" is deprecated')]);
  });

  it('sees a page that is too long, or whose length is not written down', () => {
    const lines = (page: string, more = '') =>
      check(
        `query A($id: ID!${more}) { order(id: $id) { lineItems(${page}) { pageInfo { endCursor } } } }`,
      );
    expect(lines('first: 251')).toContainEqual(expect.stringContaining('asks for 251 at once'));
    expect(lines('first: $n', ', $n: Int')).toEqual([expect.stringContaining('must say how long')]);
    expect(lines('after: "x"')).toEqual([expect.stringContaining('must say how long')]);
  });

  it('sees a query that costs more than Shopify allows', () => {
    const text = '{ orders(first: 100) { nodes { lineItems(first: 50) { nodes { id } } } } }';
    expect(check(text)).toEqual(['costs 5302 points, Shopify allows 1000']);
  });
});

describe('the cost of a query', () => {
  const cost = (text: string) => queryCost(schema, parse(text));

  it('follows the documented rules', () => {
    expect(cost('{ shop { id name currencyCode } }')).toBe(1);
    expect(cost('{ products(first: 10) { nodes { id } } }')).toBe(12);
    expect(cost('{ products(first: 10) { edges { node { id } } pageInfo { endCursor } } }')).toBe(
      12,
    );
    expect(
      cost('{ products(first: 10) { nodes { featuredMedia { preview { image { url } } } } } }'),
    ).toBe(42);
    expect(cost('mutation { tagsAdd(id: "x", tags: ["y"]) { userErrors { message } } }')).toBe(12);
  });

  it('counts of a union only its dearest kind', () => {
    const value =
      '... on DiscountAmount { amount { amount } } ... on DiscountPercentage { percentage }';
    const text = `{ codeDiscountNodeByCode(code: "x") { codeDiscount { ... on DiscountCodeBasic { customerGets { value { ${value} } } } ... on DiscountCodeApp { status } } } }`;
    expect(cost(text)).toBe(5);
  });
});
