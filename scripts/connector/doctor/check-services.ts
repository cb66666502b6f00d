import type { Connector, Shop } from '../../../shared/config/connector-config.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import { unavailable } from '../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../shared/shopify/admin/client/admin-client.ts';
import { accessScopesDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import { ALL_ORDERS, hasScope, type WantedScope, wantedScopes } from '../app/describe-app.ts';
import { type Finding, fail, info, pass, warn } from './finding.ts';

type DoNext = (command: string) => string;

/** Checks that the shop accepts the token and that the app has the scopes that the workers need. */
export async function checkAdminApi(
  shop: Shop,
  ask: Ask,
  doNext: DoNext,
  connector: Pick<Connector, 'storefront'>,
): Promise<readonly Finding[]> {
  const answer = await ask(accessScopesDocument, {});
  if (answer.kind === 'data') {
    const granted = answer.data.currentAppInstallation.accessScopes.map(({ handle }) => handle);
    const findings = judgeScopes(granted, wantedScopes(connector, shop));
    return findings.map((finding) => ofShop(shop, finding));
  }
  const { why, misconfigured } = unavailable(answer);
  const what = `${shop.domain}: the Admin API gave an unexpected answer (${why})`;
  // Shopify, "Restrict API access with an IP allowlist": 403 for other addresses.
  const allowlist = why === 'forbidden' && {
    say: 'If the app has an IP allowlist, run the command from a network on it, or add this one (Dev Dashboard, the app, Settings). Else:',
  };
  return [
    misconfigured
      ? fail(what, { ...allowlist, run: doNext(`secrets set store --shop ${shop.domain}`) })
      : fail(what, 'The settings look correct: try again later.'),
  ];
}

/** Uses the most harmless operation of the contract: one entry of the list of rewards. */
export async function checkLoyalty(
  shop: Shop,
  loyalty: LoyaltyClient,
  doNext: DoNext,
): Promise<readonly Finding[]> {
  const result = await loyalty.listRewardConfigurations({ PageSize: 1 });
  switch (result.kind) {
    case 'success':
    case 'warning':
      return [pass(`${shop.domain}: the loyalty service accepts the credentials`)];
    case 'business-error':
    case 'transport-failure': {
      const said = result.message.replace(/\.$/, '');
      if (result.class === 'misconfigured') {
        const refused = `${shop.domain}: the loyalty service refuses the credentials or the address (${said})`;
        return [fail(refused, { run: doNext(`secrets set loyalty --shop ${shop.domain}`) })];
      }
      const what = `${shop.domain}: the loyalty service gave an unexpected answer (${said})`;
      if (result.class === 'throttled') {
        return [
          warn(what, 'It asks for fewer calls; workers slow down on their own. Nothing to do.'),
        ];
      }
      return [fail(what, 'Workers wait and retry. Ask the operator of the loyalty service.')];
    }
  }
}

function ofShop({ domain }: Shop, finding: Finding): Finding {
  return { ...finding, what: `${domain}: ${finding.what}` };
}

/** Checks that the app has what the settings need, and names what they do not need. */
export function judgeScopes(
  granted: readonly string[],
  wanted: readonly WantedScope[],
): readonly Finding[] {
  const missing = wanted.filter(({ scope }) => !hasScope(granted, scope));
  const findings = missing.map((one) =>
    fail(
      `the app lacks the scope ${one.scope}, needed for ${one.for}`,
      "Write the app's folder (app write), release it (shopify app deploy), and approve the scope in the shop's admin.",
    ),
  );
  if (!hasScope(granted, ALL_ORDERS)) {
    findings.push(
      warn(
        'the app lacks the scope read_all_orders: an order older than 60 days cannot be read again',
        'Ask Shopify for read_all_orders in the app, or accept that late returns of old orders wait.',
      ),
    );
  }
  const names = wanted.map(({ scope }) => scope);
  const extra = granted.filter((scope) => scope !== ALL_ORDERS && !hasScope(names, scope));
  return [
    ...(findings.length > 0 ? findings : [pass('the token is accepted and has all scopes')]),
    ...(extra.length > 0 ? [info(`the settings do not need ${extra.join(', ')}`)] : []),
  ];
}
