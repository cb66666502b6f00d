import type { Shop } from '../../../shared/config/connector-config.ts';
import type { VendureAnswer } from '../../../shared/vendure/admin-client.ts';
import { documents, PERMISSIONS, type VendureChannel } from '../../../shared/vendure/documents.ts';
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
import { judgeCurrency } from './store.ts';

/** Whether the Vendure server accepts the credentials, lets them read all that is synced, and counts as the settings say. */
export function vendureServerCheck({ shops, services }: Omit<ShopDeps, 'deployment'>): Check {
  return shopCheck('Vendure', ['store secret'], shops, async (shop) => {
    const answer = await services().vendure(shop).ask<VendureChannel>(documents.channel, {});
    return judgeServer(answer, shop);
  });
}

const NO_CHANNEL = 'has no channel with the token in vendure.channel';
const SET_CHANNEL =
  "Set vendure.channel to the token of one of the server's channels (not its code), and deploy.";

export function judgeServer(
  answer: VendureAnswer<VendureChannel>,
  { domain, vendure, rules }: Pick<Shop, 'domain' | 'vendure' | 'rules'>,
): readonly Finding[] {
  const address = vendure?.adminApi;
  if (answer.kind === 'unavailable') {
    const { why, misconfigured, queryRefused } = answer;
    if (why === 'unknown-channel') return [fail(`${address} ${NO_CHANNEL}`, SET_CHANNEL)];
    if (misconfigured) {
      return [
        fail(
          `${address} refuses the connector (${why})`,
          `The connector's API key or administrator needs ${PERMISSIONS}. If it has them:`,
          {
            label: 'Set the credentials of the store',
            line: line('secrets set', ['store'], { shop: domain }),
          },
        ),
      ];
    }
    if (queryRefused || why === 'not-the-api') {
      const fix = 'Check vendure.adminApi, and that the server has Vendure 3.';
      return [fail(`${address} is not an Admin API that the connector knows (${why})`, fix)];
    }
    return [unknown(`${address} did not answer as expected (${why})`, 'Try again later.')];
  }
  const { code, token, defaultCurrencyCode: currency } = answer.data.activeChannel;
  // A server with one channel takes any token.
  if (vendure?.channel !== undefined && vendure.channel !== token) {
    return [fail(`${address} ${NO_CHANNEL}`, SET_CHANNEL)];
  }
  if (currency !== vendure?.currency) {
    return [
      fail(
        `the channel ${code} counts in ${currency}, but vendure.currency is ${vendure?.currency}: its orders are left out`,
        `Set vendure.currency to '${currency}', or vendure.channel to another channel, and deploy.`,
      ),
    ];
  }
  const counts = judgeCurrency(rules, currency);
  return [
    pass(`the channel ${code} can be read, with its orders, products, promotions and customers`),
    counts,
  ];
}
