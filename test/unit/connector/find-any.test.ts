import { describe, expect, it } from 'vitest';
import { findAny, type SearchedDeps } from '../../../scripts/connector/ground/compare/find.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { askShop } from '../../../shared/shopify/commands.ts';
import connector from '../../fixtures/two-shops.config.ts';

const { shops } = connector;
const [one, two] = shops as readonly [Shop, Shop];
const denied = { kind: 'failure', reason: 'access-denied', scope: 'read_products' } as const;

/** What each question of the store is answered with, by the name of its document. */
type Answers = Readonly<Record<string, object>>;

/** A store without anything, but for these answers. */
function world(answers: Answers = {}, known: readonly string[] = []): SearchedDeps {
  const empty: Answers = {
    FindOrders: { orders: { nodes: [] } },
    FindProducts: { products: { nodes: [] } },
    CustomerByEmail: { customerByIdentifier: null },
    StillThere: { nodes: [null, null, null] },
  };
  const ask = async ({ text }: { readonly text: string }) => {
    const name = /^query (\w+)/.exec(text)?.[1] ?? '';
    const answer = answers[name] ?? empty[name];
    if (!answer) throw new Error(`"${name}" was not expected`);
    return 'kind' in answer ? answer : { kind: 'data', data: answer };
  };
  return {
    services: {
      asked: ({ domain }) => askShop(ask as never, domain),
      store: { readCoupon: async () => ({ kind: 'gone' }) },
    },
    ledger: { readMany: async () => new Map(known.map((key) => [key, {} as never])) },
  };
}

const order = (id: string, name: string) => ({ id: `gid://shopify/Order/${id}`, name });

describe('what a text may mean', () => {
  it('is searched for in all shops', async () => {
    const answers = { FindOrders: { orders: { nodes: [order('5512300000001', '#1007')] } } };
    const { hits, problems } = await findAny('1007', world(answers), shops);
    const found = { kind: 'order', id: '5512300000001', name: '#1007' };
    expect(hits).toEqual([
      { shop: one.domain, ...found },
      { shop: two.domain, ...found },
    ]);
    expect(problems).toEqual([]);
  });

  it('is listed beside what could not be searched', async () => {
    const answers = {
      FindOrders: { orders: { nodes: [order('5512300000001', 'EN7')] } },
      FindProducts: denied,
    };
    const { hits, problems } = await findAny('EN7', world(answers), [one]);
    expect(hits).toHaveLength(1);
    expect(problems.map(({ message }) => message)).toEqual([
      'The app lacks the access scope read_products.',
    ]);
  });

  it('is not called unknown while the store refuses a question', async () => {
    await expect(findAny('EN7', world({ FindProducts: denied }), [one])).rejects.toThrow(
      'The app lacks the access scope read_products.',
    );
  });

  it('is found in the ledger alone, once, where the store deleted it', async () => {
    const id = '8012300000001';
    const key = ledgerKeyText({ shop: one.domain, kind: 'product', id });
    const { hits } = await findAny(id, world({}, [key]), [one]);
    expect(hits).toEqual([{ shop: one.domain, kind: 'product', id, name: null }]);
  });

  it('of an e-mail address is the customer, else the orders of a guest, and it is not repeated', async () => {
    const email = 'someone@example.org';
    const customer = { customerByIdentifier: { id: 'gid://shopify/Customer/6940000000001' } };
    const asked = { FindOrders: { orders: { nodes: [order('5512300000001', '#1')] } } };
    const kindsOf = async (answers: Answers) =>
      (await findAny(email, world(answers), [one])).hits.map(({ kind }) => kind);
    expect(await kindsOf({ ...asked, CustomerByEmail: customer })).toEqual(['customer']);
    expect(await kindsOf(asked)).toEqual(['order']);
    await expect(findAny(email, world(), [one])).rejects.toThrow(
      /with this e-mail address in \S+\.$/,
    );
  });
});
