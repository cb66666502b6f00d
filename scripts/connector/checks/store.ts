import type { Shop } from '../../../shared/config/connector-config.ts';
import { line } from '../document/line.ts';
import {
  type Check,
  type Finding,
  fail,
  pass,
  type ShopDeps,
  shopCheck,
  unknown,
} from './check.ts';

/** Of a shop without an app: whether its store can be read, and counts as the settings say. */
export function serverCheck({ shops, services }: Omit<ShopDeps, 'deployment'>): Check {
  return shopCheck('store', ['store secret'], shops, async (shop) => {
    const found = (await services().asked(shop).look?.()) ?? [];
    return found.flatMap(({ isRefused, currency, ...finding }) => [
      isRefused ? { ...finding, next: [setCredentials(shop)] } : finding,
      ...(currency === undefined ? [] : [judgeCurrency(shop.rules, currency)]),
    ]);
  });
}

/** Whether the store takes the credentials. */
export const credentialsCheck = ({ shops, services }: ShopDeps): Check =>
  shopCheck('store', ['store secret'], shops, async (shop) => {
    const found = await services().asked(shop).tryCredentials();
    if (!found) return [pass('the store accepts the credentials')];
    return [found.isRefused ? fail(found.what, setCredentials(shop)) : unknown(found.what)];
  });

export const setCredentials = ({ domain }: Shop) => ({
  label: 'Set the credentials of the store',
  line: line('secrets set', ['store'], { shop: domain }),
});

/** Whether the shop counts in the currency that the settings say; `currency`: undefined when the store did not answer. */
export function judgeCurrency(
  rules: Pick<Shop['rules'], 'currency' | 'sharedAccount'>,
  currency: string | undefined,
): Finding {
  const { currency: wanted = currency, sharedAccount } = rules;
  if (currency === undefined) return unknown('the store did not answer');
  if (wanted === currency || wanted === 'any') return pass(`the store counts in ${currency}`);
  const what = `the store has ${currency}, but rules.currency is ${wanted}: new orders are parked`;
  const own = `Set the shop's rules.currency to '${currency}'`;
  return fail(
    what,
    sharedAccount
      ? `${own} and sharedAccount to false, with an account of its own at the loyalty service; or set rules.currency to 'any' for all shops on the account, and 50 ${wanted} and 50 ${currency} count alike. Deploy, then replay the dead letters.`
      : `${own}, deploy, and replay the dead letters.`,
  );
}
