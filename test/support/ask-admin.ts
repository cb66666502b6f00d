import type { StoreSandbox } from '../../local/store-sandbox/sandbox.ts';

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it asked for.
  readonly data: any;
  readonly errors: readonly { message: string; extensions?: { code?: string } }[] | undefined;
  readonly cost:
    | {
        requestedQueryCost: number;
        actualQueryCost: number | null;
        throttleStatus: {
          currentlyAvailable: number;
          maximumAvailable: number;
          restoreRate: number;
        };
      }
    | undefined;
}

export async function askAdmin(
  { address, credentials }: Pick<StoreSandbox, 'address' | 'credentials'>,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  token: string = credentials.accessToken,
): Promise<AdminAnswer> {
  const response = await fetch(`${address}/admin/api/2026-10/graphql.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-shopify-access-token': token },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors, extensions } = (await response.json()) as {
    data: unknown;
    errors: AdminAnswer['errors'];
    extensions?: { cost: AdminAnswer['cost'] };
  };
  const { status, headers } = response;
  return { status, headers, data, errors, cost: extensions?.cost };
}

export function control(
  { address }: Pick<StoreSandbox, 'address'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  return fetch(`${address}/sandbox/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
