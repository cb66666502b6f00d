import type { Shop } from '../../../shared/config/connector-config.ts';
import { type SecretPurpose, secretForms } from '../../../shared/services/shop-secrets.ts';
import { unavailable } from '../../../shared/shopify/admin/client/admin-answer.ts';
import { accessScopesDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import type { SecretFields } from './secret-values.ts';

export type Tried =
  | { readonly kind: 'accepted' }
  /** `why` is a sentence without its full stop, and holds no secret. */
  | { readonly kind: 'refused' | 'unanswered'; readonly why: string };

/** Asks the service that the credentials are for, with a request that changes nothing. */
export async function tryCredentials(
  deployment: Deployment,
  shop: Shop,
  purpose: Exclude<SecretPurpose, 'webhook'>,
  fields: SecretFields,
): Promise<Tried> {
  const services = openShopServices(deployment);
  if (purpose === 'loyalty') {
    const { token = '', key = '' } = fields;
    const result = await services
      .loyalty(shop, { token, key })
      .listRewardConfigurations({ PageSize: 1 });
    if (result.kind === 'success' || result.kind === 'warning') return { kind: 'accepted' };
    const said = result.message.replace(/\.$/, '');
    return result.class === 'misconfigured'
      ? { kind: 'refused', why: `the loyalty service refuses them (${said})` }
      : { kind: 'unanswered', why: `the loyalty service gave no usable answer (${said})` };
  }
  const parsed = secretForms.store(fields);
  if (parsed.kind === 'fault') return { kind: 'refused', why: `${parsed.field} ${parsed.why}` };
  const answer = await services.ask(shop, parsed.value)(accessScopesDocument, {});
  if (answer.kind === 'data') return { kind: 'accepted' };
  const { why, misconfigured } = unavailable(answer);
  return misconfigured
    ? {
        kind: 'refused',
        why: `${shop.domain} does not accept them (${why}); the app must be installed there`,
      }
    : { kind: 'unanswered', why: `${shop.domain} gave no usable answer (${why})` };
}
