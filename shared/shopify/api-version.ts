/** The API version of the GraphQL documents and the webhook readers. */
export const API_VERSION = '2026-10';
