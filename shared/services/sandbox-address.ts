import type { Connector, Shop } from '../config/connector-config.ts';

/**
 * Where the local stack runs a shop's store or loyalty service: one address for all shops, or one for each,
 * separated by spaces, in the order of the settings. Undefined: not in the local stack.
 */
export function sandboxAddressOf(
  { shops }: Pick<Connector, 'shops'>,
  { domain }: Pick<Shop, 'domain'>,
  addresses: string | undefined,
): string | undefined {
  const all = addresses?.split(' ') ?? [];
  return all[shops.findIndex((shop) => shop.domain === domain)] ?? all[0];
}
