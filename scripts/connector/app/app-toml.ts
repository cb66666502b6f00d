import { HEADER } from '../../../app/build/build-app.ts';
import { API_VERSION } from '../../../shared/shopify/entity-id.ts';
import { ALL_ORDERS, type WantedApp } from './describe-app.ts';

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

/** The fields of a version of the app in the Dev Dashboard, in its order. */
export function dashboardFields(app: WantedApp): readonly (readonly [string, string])[] {
  const { proxy } = app;
  return [
    ['App name', app.name],
    ['App URL', NO_PAGES],
    ['Embed app in Shopify admin', 'yes'],
    ['Webhooks API version', API_VERSION],
    ['Scopes', app.scopes.map(({ scope }) => scope).join(',')],
    ['Redirect URLs', REDIRECT],
    ['Embed app in Shopify POS', 'no'],
    ...(proxy
      ? ([
          ['App proxy: prefix', proxy.prefix],
          ['App proxy: subpath', proxy.subpath],
          ['App proxy: URL', proxy.url],
        ] as const)
      : []),
  ];
}
