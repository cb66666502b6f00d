/** Forms that credentials have, by their issuers' own prefixes and by common ways to write one down. */
const FORMS: Readonly<Record<string, RegExp>> = {
  'AWS access key': /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  'Shopify token': /\bshp(?:at|ca|pa|ss|ua)_[a-fA-F0-9]{16,}/g,
  'private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/g,
  'basic authorization': /\bBasic [A-Za-z0-9+/]{16,}={0,2}/g,
  'bearer token': /\bBearer [A-Za-z0-9._-]{20,}/g,
  'password in an address': /\bhttps?:\/\/[^\s/:@"'`]{1,64}:[^\s/:@"'`]{1,64}@/g,
  'GitHub token': /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  'Slack token': /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
};

/** What in the text looks like a credential, by its form. */
export function findSecrets(text: string): string[] {
  return Object.entries(FORMS).flatMap(([form, pattern]) =>
    [...text.matchAll(pattern)].map(([found]) => `${form}: ${found.slice(0, 12)}…`),
  );
}
