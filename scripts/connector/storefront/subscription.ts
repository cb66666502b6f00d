import { TOKEN_HEADER } from '../../../shared/core/balances/receive-points.ts';
import { pointTopics } from '../../../shared/loyalty/point-topics.ts';
import type { Deployment } from '../deployment/deployment.ts';

/** The webhook subscription to make in the loyalty service's panel. */
export interface Subscription {
  readonly name: string;
  readonly address: string;
  readonly topics: readonly string[];
  /** Without its value, unless the token is new: it is shown once. */
  readonly header: { readonly name: string; readonly value: string | undefined };
}

export function subscriptionOf(
  deployment: Pick<Deployment, 'output'>,
  shop: { readonly domain: string; readonly path: string },
  value: string | undefined,
): Subscription {
  return {
    name: `loyalty-connector ${shop.domain}`,
    address: `${deployment.output('PointsAddress').replace(/\/+$/, '')}/${shop.path}`,
    topics: pointTopics,
    header: { name: TOKEN_HEADER, value },
  };
}

export function describeSubscription({ name, address, topics, header }: Subscription) {
  const value = header.value ?? '(the token, as it was printed when it was made)';
  return [
    "Point events, for the loyalty service's admin panel: make one webhook subscription and enter",
    `  1. name     ${name}`,
    `  2. address  ${address}`,
    `  3. topics   ${topics.join(', ')}`,
    `  4. header   name   ${header.name}`,
    `              value  ${value}`,
    '  5. e-mail   yours: the service writes to it when it switches the subscription off',
    '  6. active   yes',
    `Where no header can be entered, the address is ${address}/<value>.`,
  ];
}
