import { once } from 'node:events';
import { createServer } from 'node:net';

/** `shop`: the demo shop, if the stack has a storefront. */
const SERVERS = ['webhooks', 'gateway', 'store', 'loyalty', 'metrics', 'shop', 'console'] as const;

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
  for (const port of Object.values(portsFrom(first))) await requireFree(port);
}

async function requireFree(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  // An error event rejects this.
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/**
 * The first of so many free ports in a row, below the range from which the system picks them, so that none is taken in
 * the meantime.
 */
export async function freePort(inRow = 1): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    try {
      for (let port = first; port < first + inRow; port += 1) await requireFree(port);
      return first;
    } catch {}
  }
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
