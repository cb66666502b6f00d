/**
 * Personal data that must not appear in any output: collected from everything that a test sends, so that new
 * fixtures are covered automatically.
 */
export interface Confidential {
  /** Collects the personal texts of a webhook's body or an entity. */
  addPersonal(value: unknown): void;
  addSecret(secret: string): void;
  /** The collected texts. */
  readonly texts: ReadonlySet<string>;
  /** The texts that occur in the output. */
  disclosedIn(output: readonly string[]): readonly string[];
}

/** Everything below these names is about a person. */
const PERSONAL_BRANCH =
  /^(?:customer|contact|billing_address|shipping_address|default_address|audience|customers)$/;
const PERSONAL_FIELD = /^(?:email|contact_email|phone|note|browser_ip|document)$/;
/** Below a person, but not personal: ids, dates and constants of the format. */
const HARMLESS_FIELD = /^(?:id|kind|admin_graphql_api_id|.*_at|.*At|currency|country_code)$/;
/** Pairs of a name that the merchant chose and a value that the customer typed. */
const TYPED_PAIRS = 'note_attributes';

/** Shorter texts, such as a country code, occur in any output by chance. */
const SHORTEST = 4;

export function createConfidential(): Confidential {
  const texts = new Set<string>();
  const add = (text: string) => {
    if (text.length >= SHORTEST) texts.add(text.toLowerCase());
  };

  function addPersonal(value: unknown, personal = false): void {
    if (typeof value === 'string' && personal) {
      add(value);
      // A first name alone is a leak too.
      for (const word of value.match(/[\p{L}\p{N}]{4,}/gu) ?? []) if (!isCommon(word)) add(word);
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (HARMLESS_FIELD.test(name)) continue;
      if (name === TYPED_PAIRS && Array.isArray(member)) {
        for (const pair of member) addPersonal(pair.value, true);
        continue;
      }
      addPersonal(member, personal || PERSONAL_BRANCH.test(name) || PERSONAL_FIELD.test(name));
    }
  }

  return {
    texts,
    addPersonal: (value) => addPersonal(value),
    addSecret: (secret) => add(secret),
    disclosedIn(output) {
      const all = output.join('\n').toLowerCase();
      const forms = (text: string) => [
        text,
        encodeURIComponent(text).toLowerCase(),
        JSON.stringify(text).slice(1, -1),
      ];
      // A few digits or letters occur in any id by chance, digits also as a part of a UUID: they count only as a
      // whole number or word.
      const isWhole = (text: string, part: string) =>
        new RegExp(`(?<!${part})${text}(?!${part})`).test(all);
      return [...texts].filter((text) => {
        if (/^\d{1,6}$/.test(text)) return isWhole(text, '[a-z\\d-]');
        if (/^[a-z\d]{1,5}$/.test(text)) return isWhole(text, '[a-z\\d]');
        return forms(text).some((form) => all.includes(form));
      });
    },
  };
}

/** The reserved domain of the test addresses is part of the shops' names too. */
const isCommon = (word: string) => word.toLowerCase() === 'example';

/** Forms of credentials: prefixes of their issuers, and common notations. */
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

/** Parts of the text that look like a credential. */
export function findSecrets(text: string): string[] {
  return Object.entries(FORMS).flatMap(([form, pattern]) =>
    [...text.matchAll(pattern)].map(([found]) => `${form}: ${found.slice(0, 12)}…`),
  );
}
