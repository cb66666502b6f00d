const SHOP = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;
const OWN_MACHINE = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Where a shop's Admin API is. Another address than the shop's own can only be one of this machine:
 * the token that opens the shop goes with every request. Faults are thrown, since no question could
 * ever be asked with them.
 */
export function adminAddress(shop: string, sandbox?: string): string {
  if (!SHOP.test(shop)) throw new Error('a shop must be named by its .myshopify.com domain');
  if (sandbox === undefined) return `https://${shop}`;
  const url = URL.parse(sandbox);
  if (url?.protocol !== 'http:' || !OWN_MACHINE.test(url.hostname) || url.username !== '') {
    throw new Error('a store sandbox must be at http://localhost, 127.x.x.x or [::1]');
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}
