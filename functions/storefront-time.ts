/** For the two calls of a redemption to the loyalty service. */
export const REDEEM_MS = 12_000;

/** From the beginning of a request until the store is asked nothing more: the worker makes what is not made. */
export const STORE_MS = 18_000;
