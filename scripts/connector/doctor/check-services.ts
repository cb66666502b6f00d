import type { Shop } from '../../../shared/config/connector-config.ts';
import { unavailable } from '../../../shared/shopify/admin/client/admin-answer.ts';
import { accessScopesDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import type { ShopServices } from '../deployment/shop-services.ts';
import { type Finding, fail, pass, warn } from './finding.ts';
import { judgeScopes } from './judge-scopes.ts';

type DoNext = (command: string) => string;

/** Does the shop take the token, and may the app see what the workers read? */
export async function checkAdminApi(
  shop: Shop,
  services: ShopServices,
  doNext: DoNext,
  hasStorefront: boolean,
): Promise<readonly Finding[]> {
  const answer = await services.ask(shop)(accessScopesDocument, {});
  if (answer.kind === 'data') {
    const granted = answer.data.currentAppInstallation.accessScopes.map(({ handle }) => handle);
    const findings = judgeScopes(granted, shop.rules, hasStorefront);
    return findings.map((finding) => ofShop(shop, finding));
  }
  const { why, misconfigured } = unavailable(answer);
  const what = `${shop.domain}: the Admin API does not answer as it should (${why})`;
  return [
    misconfigured
      ? fail(what, doNext(`secrets set store --shop ${shop.domain}`))
      : fail(what, 'Nothing is wrong with the settings as far as can be seen: try again later.'),
  ];
}

/** By the most harmless call of the contract: one entry of the list of rewards. */
export async function checkLoyalty(
  shop: Shop,
  services: ShopServices,
  doNext: DoNext,
): Promise<readonly Finding[]> {
  const result = await services.loyalty(shop).listRewardConfigurations({ PageSize: 1 });
  switch (result.kind) {
    case 'success':
    case 'warning':
      return [pass(`${shop.domain}: the loyalty service takes the credentials`)];
    case 'business-error':
    case 'transport-failure': {
      const said = result.message.replace(/\.$/, '');
      if (result.class === 'misconfigured') {
        const refused = `${shop.domain}: the loyalty service refuses the credentials or the address (${said})`;
        return [fail(refused, doNext(`secrets set loyalty --shop ${shop.domain}`))];
      }
      const what = `${shop.domain}: the loyalty service does not answer as it should (${said})`;
      if (result.class === 'throttled') {
        return [warn(what, 'It asks for fewer calls: workers slow down by themselves.')];
      }
      return [fail(what, 'Workers wait and retry. Ask those who run the loyalty service.')];
    }
  }
}

function ofShop({ domain }: Shop, finding: Finding): Finding {
  return { ...finding, what: `${domain}: ${finding.what}` };
}
