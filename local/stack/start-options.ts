/** Consecutive ports from the first. */
export interface Ports {
  readonly webhooks: number;
  readonly gateway: number;
  readonly store: number;
  readonly loyalty: number;
  readonly metrics: number;
  /** The demo shop, if the stack has a storefront. */
  readonly shop: number;
}

/** 0: any free ports. */
export function portsFrom(first: number): Ports {
  const nth = (n: number) => (first === 0 ? 0 : first + n);
  return {
    webhooks: nth(0),
    gateway: nth(1),
    store: nth(2),
    loyalty: nth(3),
    metrics: nth(4),
    shop: nth(5),
  };
}

export interface StartOptions {
  readonly stage: string;
  readonly port: number;
  /** Keeps all data there; undefined: in memory. */
  readonly data?: string;
  readonly demo: boolean;
  readonly once: boolean;
  /** As after a first deployment: `loyalty-connector setup` completes it. */
  readonly isNew: boolean;
}
