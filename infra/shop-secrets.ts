import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { DataKey } from './data-key.ts';

/** Each function may read only the purposes that it needs. */
const PURPOSES = ['webhook', 'loyalty', 'store'] as const;

/** `points`: the token of point events, where they are received. */
type Purpose = (typeof PURPOSES)[number] | 'points';

/**
 * One secret per shop and purpose. The stack creates them with a generated text, which is not JSON and is
 * refused everywhere, until `npx loyalty-connector secrets set` writes the real value.
 */
export class ShopSecrets extends Construct {
  readonly #secrets: readonly { readonly purpose: Purpose; readonly secret: Secret }[];

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly prefix: string;
      readonly shopPaths: readonly string[];
      readonly takesPoints: boolean;
      readonly retainData: boolean;
      readonly dataKey: DataKey | undefined;
    },
  ) {
    super(scope, id);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'Shopify and the loyalty service issue these secrets and have no call that renews them: ' +
        'a person does, and the receiver accepts the old and the new one meanwhile.',
    });
    this.#secrets = props.shopPaths.flatMap((path) => {
      const shop = new Construct(this, path);
      const purposes: readonly Purpose[] = props.takesPoints ? [...PURPOSES, 'points'] : PURPOSES;
      return purposes.map((purpose) => ({
        purpose,
        secret: new Secret(shop, purpose, {
          ...(props.dataKey && { encryptionKey: props.dataKey.key }),
          secretName: `${props.prefix}/${path}/${purpose}`,
          // Also when the shop leaves the settings. `loyalty-connector deploy` adopts them when it returns.
          removalPolicy: props.retainData
            ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
            : RemovalPolicy.DESTROY,
          description: `loyalty-connector: ${purpose} of ${path}; set with: npx loyalty-connector ${purpose === 'points' ? 'storefront setup' : 'secrets set'}`,
        }),
      }));
    });
  }

  arnsOf(...purposes: readonly Purpose[]): string[] {
    return this.#secrets
      .filter(({ purpose }) => purposes.includes(purpose))
      .map(({ secret }) => secret.secretArn);
  }
}
