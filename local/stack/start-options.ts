import { once } from 'node:events';
import { createServer } from 'node:net';

/** `shop`: the demo shop, if the stack has a storefront. */
const SERVERS = ['webhooks', 'gateway', 'store', 'loyalty', 'metrics', 'shop'] as const;

export type Ports = Readonly<Record<(typeof SERVERS)[number], number>>;

/** Consecutive ports from the first; 0: any free ports. */
export function portsFrom(first: number): Ports {
  const ports = SERVERS.map((name, nth) => [name, first === 0 ? 0 : first + nth]);
  return Object.fromEntries(ports);
}

/**
 * Rejects with the error of the first port that cannot be used: synthesizing and bundling would only delay it.
 * The port of the demo shop too, although a stack without a storefront does not use it.
 */
export async function requireFreePorts(first: number): Promise<void> {
  if (first === 0) return;
  for (const port of Object.values(portsFrom(first))) {
    const server = createServer().listen(port, '127.0.0.1');
    // An error event rejects this.
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  }
}

/** Below the range from which the system picks free ports, so that it cannot be taken in the meantime. */
export async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); port < 32_000; port += 1) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    server.close();
    if (isFree) return port;
  }
  throw new Error('no port is free');
}

export interface StartOptions {
  readonly stage: string;
  readonly port: number;
  /** Keeps all data there; undefined means in memory. */
  readonly data?: string;
  readonly demo: boolean;
  readonly once: boolean;
  /** As after a first deployment: `loyalty-connector setup` completes it. */
  readonly isNew: boolean;
  /** Default: the store sandbox. */
  readonly store?: 'shopify' | 'vendure';
}
