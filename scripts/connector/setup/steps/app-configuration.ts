import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProject } from '../../../../shared/config/folders.ts';
import {
  appConfiguration,
  shopAddress,
} from '../../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { neededScopes } from '../../doctor/check-services.ts';
import { appProxyOf, describeAppProxy } from '../../storefront/set-up.ts';
import { type ShopSetup, storedFields, titleOf } from '../shop-setup.ts';
import { done, left, open, type Step } from '../step.ts';

/** What Shopify enters for an app without pages of its own. */
const NO_PAGES = 'https://shopify.dev/apps/default-app-home';

/**
 * The file that Shopify's command line releases. The compliance topics can be subscribed to in no other way,
 * and the Admin API does not show whether they are: the file is all that can be compared.
 */
export function appConfigurationStep(setup: ShopSetup): Step {
  const { world, shop } = setup;
  const file = `shopify.app.${shop.path}.toml`;
  const path = join(findProject(), file);
  const release = `Release it with Shopify's command line: shopify app deploy --config ${shop.path}`;
  const written = () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  return {
    title: titleOf(setup, 'Configuration of the app'),
    async look() {
      const wanted = await configurationOf(setup);
      return written() === wanted
        ? done(`${file} is written. ${release}; whether that was done cannot be read`)
        : open(
            'The requests about personal data are subscribed to in the configuration of the app.',
          );
    },
    async act() {
      const isOther = written() !== undefined;
      if (
        isOther &&
        !(await world.agrees(`Replace ${file}, which is not as the settings need it?`))
      ) {
        const next = 'Rename it and run the command again: it writes the file, to compare both.';
        return left(`${file} is not as the settings need it.`, next);
      }
      writeFileSync(path, await configurationOf(setup));
      return left(`${file} is written, and not yet released.`, release);
    },
  };
}

async function configurationOf(setup: ShopSetup): Promise<string> {
  const { deployment, shop } = setup;
  const { connector, output } = deployment;
  const { clientId } = (await storedFields(setup, 'store')) ?? {};
  const scopes = neededScopes(shop.rules, connector.storefront !== undefined);
  const { healing } = connector;
  const uri = shopAddress(output('WebhookAddress'), shop.path);
  // The first two lines are for people.
  const proxy = connector.storefront
    ? describeAppProxy(appProxyOf(deployment, shop.path))
        .slice(1)
        .map((line) => line.trim())
    : [];
  return [
    'name = "loyalty-connector"',
    `client_id = ${JSON.stringify(clientId ?? '')}`,
    `application_url = ${JSON.stringify(NO_PAGES)}`,
    'embedded = true',
    '',
    '[access_scopes]',
    `scopes = ${JSON.stringify(scopes.map(({ scope }) => scope).join(','))}`,
    '',
    '[auth]',
    `redirect_urls = [ ${JSON.stringify(`${NO_PAGES}/api/auth`)} ]`,
    '',
    appConfiguration(uri, healing.subscriptions, shop.rules.customers, healing),
    ...proxy,
    '',
  ].join('\n');
}
