/** Texts in these fields of the contract are about a person or may have been written by one. */
const personalMembers = new Set([
  'Code',
  'Customer',
  'CustomerId',
  'CustomerReason',
  'customerId',
  'Email',
  'Metadatas',
  'OpenAnswer',
  'Phone',
  'Reason',
  'SalesPerson',
]);

/** The personal texts of a request. */
export function personalTexts(value: unknown, personal = false): string[] {
  if (typeof value === 'string') return personal ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    personalTexts(member, personal || personalMembers.has(name)),
  );
}

/** Short, and without letters: it cannot itself look like a name. */
const mask = '***';
const longestMessage = 300;
/** Longer than any useful message. Cutting a text before scrubbing could cut a name in two. */
const longestQuotable = 4000;

/**
 * Makes the service's text safe to log. Removes the hidden texts (in any case, and URL-encoded), their
 * single words (the service may quote only a first name), and everything that looks like an e-mail
 * address or a long number.
 */
export function scrub(text: string, hidden: readonly string[]): string {
  if (text.length > longestQuotable) return `(a text of ${text.length} characters)`;
  const plain = onOneLine(text);
  const marked = new Uint8Array(plain.length);
  for (const form of new Set(hidden.flatMap(formsOf))) {
    for (const at of occurrencesOf(form, plain)) marked.fill(1, at, at + form.length);
  }
  let masked = '';
  for (let at = 0; at < plain.length; at += 1) {
    if (marked[at] === 0) masked += plain[at];
    else if (at === 0 || marked[at - 1] === 0) masked += mask;
  }
  masked = masked
    .split(' ')
    .map((word) => (word.includes('@') ? mask : word))
    .join(' ')
    .replace(/\p{Nd}(?:[ ().,/:+-]{0,3}\p{Nd}){5,}/gu, mask);
  return masked.length <= longestMessage ? masked : `${masked.slice(0, longestMessage - 1)}…`;
}

function formsOf(text: string): string[] {
  const line = onOneLine(text).trim();
  const words = line.match(/[\p{L}\p{M}]{2,}/gu) ?? [];
  return [line, encodeURIComponent(line.toWellFormed()), ...words];
}

/**
 * Includes overlapping ones. Texts of two or three characters count only as whole words, because "Li"
 * would mask a part of "limit"; single characters reveal nothing.
 */
function occurrencesOf(form: string, text: string): number[] {
  // A request can contain thousands of texts, and this quick search excludes nearly all of them.
  if (form.length < 2 || !text.toLowerCase().includes(form.toLowerCase())) return [];
  const pattern = new RegExp(form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi');
  const places: number[] = [];
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const at = found.index;
    const standsAlone = !isOfWord(text[at - 1]) && !isOfWord(text[at + form.length]);
    if (form.length >= 4 || standsAlone) places.push(at);
    pattern.lastIndex = at + 1;
  }
  return places;
}

function isOfWord(unit = ''): boolean {
  return /[\p{L}\p{M}\p{N}]/u.test(unit);
}

/** A log line must not contain line breaks or control characters of another party. */
function onOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ');
}
