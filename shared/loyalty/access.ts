export interface Credentials {
  readonly token: string;
  readonly key: string;
}

/** Error messages never contain the value. */
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

/**
 * Throws for an address that can never work. Error messages do not quote the address, because it may
 * contain a password.
 */
export function checkBaseAddress(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  if (url === null) throw new Error('Loyalty base address is not a URL.');
  if (url.username !== '' || url.password !== '') {
    throw new Error('Loyalty base address must not hold credentials: they have their own setting.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new Error('Loyalty base address must end with its path: no "?" or "#".');
  }
  // Without TLS, anyone on the network path can read Basic credentials.
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new Error(
      'Loyalty base address must begin with https:// (http:// only for localhost, 127.x.x.x and [::1]).',
    );
  }
  return baseUrl;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
