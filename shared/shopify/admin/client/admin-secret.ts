import {
  type ParsedSecret,
  requireText,
  type StoreSecret,
} from '../../../core/platform/platform.ts';

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
export function parseAdminSecret(
  fields: Readonly<Record<string, unknown>>,
): ParsedSecret<AdminCredentials> {
  const accessToken = requireText(fields, 'accessToken');
  const clientId = requireText(fields, 'clientId');
  if (accessToken.kind === 'parsed') {
    const known = clientId.kind === 'parsed' ? { clientId: clientId.value } : {};
    return { kind: 'parsed', value: { kind: 'static', accessToken: accessToken.value, ...known } };
  }
  if (clientId.kind === 'fault') return clientId;
  const clientSecret = requireText(fields, 'clientSecret');
  if (clientSecret.kind === 'fault') return clientSecret;
  const pair = { clientId: clientId.value, clientSecret: clientSecret.value };
  return { kind: 'parsed', value: { kind: 'client-credentials', ...pair } };
}
