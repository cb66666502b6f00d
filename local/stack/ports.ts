/** What listens where: one after the other from the first port. */
export interface Ports {
  readonly webhooks: number;
  readonly gateway: number;
  readonly store: number;
  readonly loyalty: number;
  readonly metrics: number;
  /** The shop's pages, where the stack has a storefront. */
  readonly shop: number;
}

export const FIRST_PORT = 4030;

/** 0 takes any free ones. */
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
