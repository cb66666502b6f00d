import type { Connector } from '../config/connector-config.ts';
import { createCircuitBreaker } from '../core/sync/circuit-breaker.ts';
import { createLoyaltyClient } from '../loyalty/client.ts';
import type { ShopSecrets } from './shop-secrets.ts';

const OWN_MACHINE = /^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/;

/** The configured address; on one machine, the sandbox that stands in for the service there. */
export function loyaltyAddress(
  { loyalty }: Connector,
  sandbox = process.env.LOYALTY_SANDBOX_ADDRESS,
): string {
  if (!sandbox) return loyalty.address;
  // The credentials travel in every request: a variable must not be able to send them elsewhere.
  if (OWN_MACHINE.test(sandbox)) return sandbox;
  throw new Error('a loyalty sandbox must be at http://localhost, 127.x.x.x or [::1]');
}

/** One shop's account at the loyalty service, and the state of the line to it. */
export function openShopLoyalty(connector: Connector, secrets: ShopSecrets, shopPath: string) {
  const credentials = secrets.loyalty(shopPath);
  const loyalty = createLoyaltyClient({
    baseUrl: loyaltyAddress(connector),
    credentials: () => credentials.get(),
  });
  return { loyalty, breaker: createCircuitBreaker() };
}
