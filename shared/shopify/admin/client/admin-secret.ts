import type { ParsedSecret, SecretTexts, StoreSecret } from '../../../core/platform/platform.ts';

export type AdminCredentials =
  /** An app of the Dev Dashboard: its id and secret get a token that is valid for a day. */
  | {
      readonly kind: 'client-credentials';
      readonly clientId: string;
      readonly clientSecret: string;
    }
  /**
   * An older app: its token is valid until it is revoked. Its id is needed only to check the session
   * tokens of its extensions.
   */
  | { readonly kind: 'static'; readonly accessToken: string; readonly clientId?: string };

export type AdminSecret = StoreSecret<AdminCredentials>;

/** `clientId` and `clientSecret` of the app, or the `accessToken` of an older one, with or without its `clientId`. */
export function parseAdminSecret({
  accessToken,
  clientId,
  clientSecret,
}: SecretTexts): ParsedSecret<AdminCredentials> {
  if (accessToken !== undefined) {
    const known = clientId === undefined ? {} : { clientId };
    return { kind: 'parsed', value: { kind: 'static', accessToken, ...known } };
  }
  if (clientId === undefined) return { kind: 'fault', field: 'clientId' };
  if (clientSecret === undefined) return { kind: 'fault', field: 'clientSecret' };
  return { kind: 'parsed', value: { kind: 'client-credentials', clientId, clientSecret } };
}
