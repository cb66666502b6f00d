import type { Deployment } from '../deployment/deployment.ts';

/** What the app's configuration says of its proxy, in the words of shopify.app.toml. */
export interface AppProxy {
  readonly url: string;
  readonly prefix: string;
  readonly subpath: string;
}

/** The widget asks at /apps/loyalty unless it is told another place. */
const PLACE = { prefix: 'apps', subpath: 'loyalty' } as const;

export function appProxyOf(deployment: Deployment, shopPath: string): AppProxy {
  const address = deployment.output('StorefrontAddress').replace(/\/+$/, '');
  return { url: `${address}/${shopPath}`, ...PLACE };
}

/** No secret: whoever knows the address still needs the signature of the store. */
export function describeAppProxy({ url, prefix, subpath }: AppProxy): readonly string[] {
  return [
    'App proxy, for the version of the app (Dev Dashboard) or its shopify.app.toml:',
    '  [app_proxy]',
    `  url = "${url}"`,
    `  prefix = "${prefix}"`,
    `  subpath = "${subpath}"`,
  ];
}
