import type { Connector, Shop } from '../../../shared/config/connector-config.ts';
import { BadArguments } from '../problem.ts';

/** The shop that was named by its domain or its path; the only one, where there is only one. */
export function findShop({ shops }: Connector, named: string | undefined): Shop {
  const found =
    named === undefined
      ? shops.slice(0, shops.length === 1 ? 1 : 0)
      : shops.filter(({ domain, path }) => domain === named || path === named);
  const [shop] = found;
  if (shop) return shop;
  const known = shops.map(({ domain }) => domain).join(', ');
  throw new BadArguments(
    named === undefined
      ? `give --shop, one of ${known}.`
      : `there is no shop "${named}" in the settings; there is ${known}.`,
  );
}
