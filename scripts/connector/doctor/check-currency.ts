import type { Shop } from '../../../shared/config/connector-config.ts';
import type { Ask } from '../../../shared/shopify/admin/client/admin-client.ts';
import { shopCurrencyDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import { type Finding, fail, info, pass } from './finding.ts';

interface CountedShop {
  readonly domain: string;
  readonly rules: Pick<Shop['rules'], 'currency' | 'sharedAccount'>;
  /** What the store says; undefined: it did not answer. */
  readonly currency: string | undefined;
}

/** Asks each store for its currency. */
export async function checkCurrencies(
  shops: readonly Shop[],
  askOf: (shop: Shop) => Ask,
): Promise<readonly Finding[]> {
  const read = shops.map(async (shop): Promise<CountedShop> => {
    const answer = await askOf(shop)(shopCurrencyDocument, {});
    return {
      ...shop,
      currency: answer.kind === 'data' ? answer.data.shop.currencyCode : undefined,
    };
  });
  return judgeCurrencies(await Promise.all(read));
}

/** Whether shops count in the currency that the settings say, and what those on one account of the service add up. */
export function judgeCurrencies(shops: readonly CountedShop[]): readonly Finding[] {
  const mixing = shops.filter(({ rules }) => rules.sharedAccount && rules.currency === 'any');
  const mixed = [...new Set(mixing.flatMap(({ currency }) => currency ?? []))];
  const amounts = mixed.map((currency) => `50 ${currency}`);
  return [
    ...shops.map(judgeCurrency),
    ...(mixed.length > 1
      ? [info(`allowed by rules.currency 'any': ${amounts.join(' and ')} count alike`)]
      : []),
  ];
}

function judgeCurrency({ domain, rules, currency }: CountedShop): Finding {
  const { currency: wanted = currency, sharedAccount } = rules;
  if (currency === undefined) {
    return info(`${domain}: not known, because the store did not answer; see the Admin API above`);
  }
  if (wanted === currency || wanted === 'any') return pass(`${domain}: counts in ${currency}`);
  const what = `${domain}: the store has ${currency}, but rules.currency is ${wanted}: new orders are parked`;
  const own = `Set the shop's rules.currency to '${currency}'`;
  return fail(
    what,
    sharedAccount
      ? `${own} and sharedAccount to false, with an account of its own at the loyalty service; or set rules.currency to 'any' for all shops on the account, and 50 ${wanted} and 50 ${currency} count alike. Deploy, then replay the dead letters.`
      : `${own}, deploy, and replay the dead letters.`,
  );
}
