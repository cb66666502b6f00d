/** How the connector proves to one shop that it may ask. */
export type AdminCredentials =
  /** An app of the Dev Dashboard: its id and secret buy a token that lives for a day. */
  | {
      readonly kind: 'client-credentials';
      readonly clientId: string;
      readonly clientSecret: string;
    }
  /** An older app, made in the shop's admin: its token lives until it is revoked. */
  | { readonly kind: 'static'; readonly accessToken: string };

/** Where a shop's credentials are kept. Either may reject; no error may hold them. */
export interface AdminSecret {
  get(): Promise<AdminCredentials>;
  /** After the store refused them: they may have been changed since. */
  refresh(): Promise<{ readonly value: AdminCredentials }>;
}
