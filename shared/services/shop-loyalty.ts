import type { Connector, Shop } from '../config/connector-config.ts';
import { callService, createCircuitBreaker } from '../core/calls/call-loyalty.ts';
import type { CallRate } from '../core/calls/rate-limit.ts';
import type { Pauses } from '../core/calls/shop-pause.ts';
import { createLoyaltyClient } from '../loyalty/client.ts';
import type { ShopSecrets } from './shop-secrets.ts';

const OWN_MACHINE = /^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/;

/** The configured address; in the local stack, that of the loyalty sandbox. */
export function loyaltyAddress(
  connector: Connector,
  shop: Shop,
  sandboxes = process.env.LOYALTY_SANDBOX_ADDRESS,
): string {
  const sandbox = sandboxAddressOf(connector, shop, sandboxes);
  if (!sandbox) return connector.loyalty.address;
  // Every request carries the credentials: a variable must not send them to another host.
  if (OWN_MACHINE.test(sandbox)) return sandbox;
  throw new Error('a loyalty sandbox must be at http://localhost, 127.x.x.x or [::1]');
}

interface LoyaltyLimits {
  readonly pauses: Pauses;
  /** Undefined where the settings do not limit the calls. */
  readonly rateOf: (shop: Shop) => CallRate | undefined;
  readonly onEnd?: (shop: string, tookMs: number) => void;
}

/** One shop's account at the loyalty service, and its circuit breaker, which obeys the shop's pauses. */
export function openShopLoyalty(
  connector: Connector,
  secrets: ShopSecrets,
  shop: Shop,
  { pauses, rateOf, onEnd }: LoyaltyLimits,
) {
  const { domain, path } = shop;
  const credentials = secrets.loyalty(path);
  const rate = rateOf(shop);
  const loyalty = createLoyaltyClient({
    baseUrl: loyaltyAddress(connector, shop),
    credentials: (given) => (given === 'were-refused' ? credentials.refresh() : credentials.get()),
    readOnly: shop.mode === 'observe',
    ...(rate && { takeTurn: rate.take }),
    ...(onEnd && { onEnd: (tookMs) => onEnd(domain, tookMs) }),
  });
  const breaker = pauses.guard(domain, createCircuitBreaker());
  const { otherOrderIds } = shop;
  return { loyalty, breaker, otherOrderIds, observes: shop.mode === 'observe' };
}

/** Why credentials are refused, which else the next order would find. The shop is then paused, as by a worker. */
export async function tryCredentials(
  deps: Parameters<typeof callService<'listRewardConfigurations'>>[2],
): Promise<string | undefined> {
  const called = await callService('listRewardConfigurations', [{ PageSize: 1 }], deps);
  // A 403 may be about this one operation.
  const end = 'end' in called ? called.end : undefined;
  const isRefused = typeof end === 'object' && end.why === 'misconfigured';
  return isRefused && 'why' in called.outcome ? `loyalty-${called.outcome.why}` : undefined;
}

/**
 * Where the local stack runs a shop's store or loyalty service: one address for all shops, or one for each,
 * separated by spaces, in the order of the settings. Undefined outside of the local stack.
 */
export function sandboxAddressOf(
  { shops }: Pick<Connector, 'shops'>,
  { domain }: Pick<Shop, 'domain'>,
  addresses: string | undefined,
): string | undefined {
  const all = addresses?.split(' ') ?? [];
  return all[shops.findIndex((shop) => shop.domain === domain)] ?? all[0];
}

/** What each shop has, by its domain. Throws for a shop that is not configured. */
export function byDomain<T>(
  { shops }: Pick<Connector, 'shops'>,
  open: (shop: Shop) => T,
): (domain: string) => T {
  const all = new Map(shops.map((shop) => [shop.domain, { opened: open(shop) }]));
  return (domain) => {
    const found = all.get(domain);
    if (!found) throw new Error(`unknown shop: ${domain}`);
    return found.opened;
  };
}
