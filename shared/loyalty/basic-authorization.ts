export interface Credentials {
  readonly token: string;
  readonly key: string;
}

/** The messages name the fault and never the value. */
export function basicAuthorization({ token, key }: Credentials): string {
  if (typeof token !== 'string' || token === '') throw new Error('Loyalty API token is missing.');
  if (typeof key !== 'string' || key === '') throw new Error('Loyalty API key is missing.');
  if (token.includes(':')) {
    throw new Error(
      'Loyalty API token must not contain ":": what follows would be read as the key.',
    );
  }
  return `Basic ${Buffer.from(`${token}:${key}`, 'utf8').toString('base64')}`;
}
