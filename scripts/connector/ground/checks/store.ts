import type { Shop } from '../../../../shared/config/connector-config.ts';
import type { StoreFinding } from '../../../../shared/core/platform/platform.ts';
import { line } from '../terminal/line.ts';
import {
  type Check,
  type Finding,
  fail,
  pass,
  type ShopDeps,
  shopCheck,
  unknown,
} from './check.ts';

/** Whether the store can be read, and counts as the settings say. */
export function serverCheck({ shops, services }: Omit<ShopDeps, 'deployment'>): Check {
  return shopCheck('store', ['store secret'], shops, async (shop) =>
    judgeStore(await services().asked(shop).look(), shop),
  );
}

/** What the platform found, with the command that repairs it. */
export const judgeStore = (found: readonly StoreFinding[], shop: Shop): readonly Finding[] =>
  found.flatMap(({ isRefused, currency, scopes: _, ...finding }) => [
    isRefused ? { ...finding, next: [setCredentials(shop)] } : finding,
    ...(currency === undefined ? [] : [judgeCurrency(shop.rules, currency)]),
  ]);

const setCredentials = ({ domain }: Shop) => ({
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
