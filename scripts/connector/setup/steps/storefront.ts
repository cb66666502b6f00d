import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { secretName } from '../../../../shared/services/shop-secrets.ts';
import { readDefinitions } from '../../../../shared/shopify/admin/write-balances.ts';
import { openShopServices } from '../../deployment/services.ts';
import { readTokens } from '../../storefront/point-tokens.ts';
import { setUpStorefront } from '../../storefront/set-up.ts';
import { doNextOf, type ShopSetup, titleOf } from '../shop-setup.ts';
import { blocked, done, left, open, type Step } from '../step.ts';
import { waitForUser } from '../world.ts';

/** The loyalty service's panel cannot be read: only our side of point events is verified. */
export function storefrontStep(setup: ShopSetup): Step {
  const { world, deployment, shop } = setup;
  const { connector, aws, output } = deployment;
  return {
    title: titleOf(setup, 'Storefront and point events'),
    async look() {
      const namespace = connector.storefront?.metafieldNamespace ?? '';
      const read = await readDefinitions(openShopServices(deployment).ask(shop), namespace);
      if (read.kind !== 'read') {
        return blocked(`${shop.domain} did not answer: ${read.why}.`, 'Try again later.');
      }
      const name = secretName(output('SecretsPrefix'), shop.path, 'points');
      const tokens = await readTokens(new SecretsManagerClient(aws), name);
      const missing = read.states.filter(({ state }) => state !== 'fine').length;
      return missing === 0 && tokens
        ? done(
            'the metafields are defined, and the token of point events is stored; whether the panel has it cannot be read ("storefront setup --rotate" makes a new one)',
          )
        : open('Balances need definitions of metafields and a token for point events.');
    },
    async act() {
      const own = { ...world.session, findDeployment: async () => deployment };
      // The token is a secret: other output than a terminal's may be kept by others.
      const showToken = process.stdout.isTTY === true;
      await setUpStorefront(own, { shop: shop.domain, yes: true }, { showToken });
      if (!showToken) {
        const command = `storefront setup --rotate --yes --shop ${shop.domain}`;
        const what = 'Make the webhook subscription in the panel of the loyalty service.';
        return left(what, `In a terminal, this prints what to enter: ${doNextOf(setup)(command)}`);
      }
      await waitForUser('When the subscription is saved in the panel:');
      return undefined;
    },
  };
}
