/** Balances and redemptions carry their own order, so that nothing has to be changed on the way back. */
export const REDRIVE = "with SQS's own redrive (docs/storefront.md, When something is wrong)";
