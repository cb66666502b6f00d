import { execute, type GraphQLSchema, parse, validate } from 'graphql';
import { readAnswer } from '../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../shared/shopify/admin/client/admin-client.ts';
import { adminSchema } from '../../shared/shopify/admin/schema/admin-schema.ts';

/**
 * Fields of the query root as values, or as functions of their arguments. Objects of unions and interfaces
 * need a `__typename`.
 */
export type AdminRoot = Readonly<Record<string, unknown>>;

const parsed = new Map<string, ReturnType<typeof parse>>();

/** Executes a document on Shopify's real schema. */
export async function executeAdmin(
  root: AdminRoot,
  text: string,
  variables: object,
  schema: GraphQLSchema = adminSchema(),
) {
  let document = parsed.get(text);
  if (!document) {
    document = parse(text);
    const errors = validate(schema, document);
    if (errors.length > 0) return { errors };
    parsed.set(text, document);
  }
  return execute({
    schema,
    document,
    rootValue: root,
    variableValues: variables as Record<string, unknown>,
  });
}

/** Answers queries in this process, for tests that do not depend on HTTP. */
export function askIn(root: AdminRoot): Ask {
  return async (document, variables) => {
    const result = await executeAdmin(root, document.text, variables);
    const { data, errors } = JSON.parse(JSON.stringify(result));
    if (errors) throw new Error(JSON.stringify(errors));
    return readAnswer({ status: 200, retryAfter: undefined }, { data, errors }, document.kind);
  };
}

/**
 * A connection's field: pages of a list, with the position as the cursor. Every second page is empty: a page
 * may have fewer items than were asked for, and only `hasNextPage` says that it is the last.
 */
export function pagesOf<Item>(items: readonly Item[]) {
  return ({ first, after }: { first: number; after?: string | null }) => {
    const start = Number(after?.replace(EMPTY, '') ?? 0);
    const isEmpty = after?.endsWith(EMPTY) === true;
    const end = isEmpty ? start : Math.min(start + first, items.length);
    return {
      nodes: items.slice(start, end),
      pageInfo: {
        hasNextPage: end < items.length,
        endCursor: isEmpty ? `${end}` : `${end}${EMPTY}`,
      },
    };
  };
}

/** Ends the cursor of an empty page. */
const EMPTY = '-';
