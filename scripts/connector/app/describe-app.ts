import { HEADER } from '../../../app/build/build-app.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import {
  appConfiguration,
  shopAddress,
} from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { ALL_ORDERS, type WantedScope, wantedScopes } from '../checks/store.ts';
import type { Deployment } from '../deployment/deployment.ts';

/** The proxy settings of the app, named as in shopify.app.toml. */
interface AppProxy {
  readonly url: string;
  readonly prefix: string;
  readonly subpath: string;
}

/**
 * The app of one shop as the settings and the deployed addresses need it.
 * See docs/decisions/0026-pages-and-extensions-are-built-here-and-load-when-seen.md.
 */
export interface WantedApp {
  readonly shop: string;
  readonly name: string;
  readonly clientId: string;
  readonly scopes: readonly WantedScope[];
  /** Where webhooks of the shop are received. */
  readonly webhookAddress: string;
  /** The tables `[webhooks]` and `[events]` of shopify.app.toml. */
  readonly subscriptions: string;
  /** Undefined without a storefront. The extensions ask the same address. */
  readonly proxy: AppProxy | undefined;
}

export function describeApp(
  { connector, output }: Pick<Deployment, 'connector' | 'output'>,
  shop: Shop,
  clientId: string,
): WantedApp {
  const webhookAddress = shopAddress(output('WebhookAddress'), shop.path);
  return {
    shop: shop.domain,
    name: 'loyalty-connector',
    clientId,
    scopes: wantedScopes(connector, shop),
    webhookAddress,
    subscriptions: appConfiguration(
      webhookAddress,
      connector.healing.subscriptions,
      shop.rules,
      connector.healing,
    ),
    proxy: connector.storefront && {
      url: shopAddress(output('StorefrontAddress'), shop.path),
      // The widget calls /apps/loyalty unless it is configured otherwise.
      prefix: 'apps',
      subpath: 'loyalty',
    },
  };
}

/** What Shopify enters for an app without pages of its own. */
const NO_PAGES = 'https://shopify.dev/apps/default-app-home';
const REDIRECT = `${NO_PAGES}/api/auth`;

/**
 * The text of shopify.app.toml ("App configuration" in Shopify's documentation). `kept` are scopes of an earlier file
 * that only a person can decide on.
 */
export function appToml(app: WantedApp, kept: readonly string[] = []): string {
  const { proxy } = app;
  const scopes = [...app.scopes.map(({ scope }) => scope), ...kept];
  return [
    `# ${HEADER}`,
    `# The app of ${app.shop}. Change connector.config.ts, and write it again.`,
    '',
    `client_id = ${quote(app.clientId)}`,
    `name = ${quote(app.name)}`,
    `application_url = ${quote(NO_PAGES)}`,
    'embedded = true',
    '',
    '[access_scopes]',
    ...app.scopes.map((one) => `# ${one.scope}: ${one.for}`),
    `# ${ALL_ORDERS}: orders older than 60 days. If Shopify granted it to the app, add it here: it is kept.`,
    `scopes = ${quote(scopes.join(','))}`,
    '',
    '[auth]',
    `redirect_urls = [ ${quote(REDIRECT)} ]`,
    '',
    app.subscriptions,
    ...(proxy
      ? [
          '[app_proxy]',
          `url = ${quote(proxy.url)}`,
          `prefix = ${quote(proxy.prefix)}`,
          `subpath = ${quote(proxy.subpath)}`,
          '',
        ]
      : []),
    '[pos]',
    '# For apps with pages of their own in the point of sale; an extension needs no page.',
    'embedded = false',
    '',
    '[build]',
    '# "shopify app dev" would replace the address of the app proxy with one of your machine.',
    'automatically_update_urls_on_dev = false',
    '',
  ].join('\n');
}

/** For these characters, a basic string of TOML is the same as one of JSON. */
const quote = (text: string): string => JSON.stringify(text);
