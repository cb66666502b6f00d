/** The version of Shopify's API that the documents ask in and the webhook readers are written for. */
export const API_VERSION = '2026-10';
