export interface BaseAddress {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** Without a slash at its end. */
  readonly path: string;
}

/**
 * Faults are thrown, since no call can ever work with them. The messages do not quote the address:
 * it may hold a password, which is one of the faults.
 */
export function readBaseAddress(baseUrl: string): BaseAddress {
  const url = URL.parse(baseUrl);
  if (url === null) throw new Error('Loyalty base address is not a URL.');
  if (url.username !== '' || url.password !== '') {
    throw new Error('Loyalty base address must not hold credentials: they have their own setting.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new Error('Loyalty base address must end with its path: no "?" or "#".');
  }
  const secure = url.protocol === 'https:';
  // Basic authentication is readable by anyone on the way.
  if (!secure && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new Error(
      'Loyalty base address must begin with https:// (http:// only for localhost, 127.x.x.x and [::1]).',
    );
  }
  return {
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 443 : 80),
    path: url.pathname.replace(/(?<!\/)\/+$/, ''),
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
