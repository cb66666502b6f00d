import type { LoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import { basicAuthorization } from '../../shared/loyalty/client.ts';

/** A call of another client of the service, or of a person in its panel, which it must accept. */
export async function askLoyalty(
  { address, credentials }: Pick<LoyaltySandbox, 'address' | 'credentials'>,
  method: string,
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it asked for.
): Promise<any> {
  const answer = await fetch(`${address}/v1/pvt${path}`, {
    method,
    headers: {
      authorization: basicAuthorization(credentials),
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const json = (await answer.json()) as { readonly HasError?: boolean };
  if (json.HasError) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
  return json;
}
