import { openShopServices } from '../../deployment/services.ts';
import { checkLoyalty } from '../../doctor/check-services.ts';
import type { Finding } from '../../doctor/finding.ts';
import { tryCredentials } from '../../secrets/try-credentials.ts';
import {
  doNextOf,
  keepFields,
  obtainTried,
  type ShopSetup,
  storedFields,
  titleOf,
} from '../shop-setup.ts';
import { blocked, done, left, open, type Step } from '../step.ts';
import type { WantedValue } from '../world.ts';

const TOKEN: WantedValue = {
  question: "the loyalty service's token",
  variable: 'CONNECTOR_LOYALTY_TOKEN',
};
const KEY: WantedValue = {
  question: "the loyalty service's key",
  variable: 'CONNECTOR_LOYALTY_KEY',
};

export function loyaltyStep(setup: ShopSetup): Step {
  const { deployment, shop } = setup;
  const ask = async () => {
    const client = openShopServices(deployment).loyalty(shop);
    const [finding] = await checkLoyalty(shop, client, doNextOf(setup));
    return finding as Finding;
  };
  return {
    title: titleOf(setup, 'Loyalty service'),
    async look() {
      if (!(await storedFields(setup, 'loyalty'))) {
        return open('Token and key are in the admin panel of the loyalty service, menu API Keys.');
      }
      const { verdict, what, fix = '' } = await ask();
      if (verdict === 'fail') return blocked(`${what}.`, fix);
      return verdict === 'warn' ? left(`${what}.`, fix) : done(what);
    },
    async act() {
      const fields = await obtainTried(setup, {
        purpose: 'loyalty',
        wanted: { token: TOKEN, key: KEY },
        tryOut: async (given) => {
          const tried = await tryCredentials(deployment, shop, 'loyalty', given);
          return tried.kind === 'accepted' ? undefined : tried.why;
        },
      });
      await keepFields(setup, 'loyalty', fields);
      return undefined;
    },
  };
}
