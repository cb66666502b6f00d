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

/**
 * Throws for an address that no call can ever work with. The messages do not quote the address: it may
 * hold a password, which is one of the faults.
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
  // Anyone on the way can read Basic credentials that are sent without TLS.
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
