/** The value of a row for a search field; `undefined`: the field is unknown. */
type SearchFields = (field: string) => string | number | readonly string[] | undefined;

type Test = (fields: SearchFields) => boolean;

/**
 * The part of Shopify's search syntax that the connector uses: terms side by side or joined with AND and OR,
 * comparisons and quotes. An unknown field is ignored; the real store ignores it with a warning.
 */
export function parseSearch(query: string | null | undefined): Test {
  const choices: Test[][] = [[]];
  for (const token of tokenize(query ?? '')) {
    if (!token.field && /^(?:[-()]|NOT$)/.test(token.text)) {
      throw new Error(`The sandbox searches without ${token.text}.`);
    }
    if (!token.field && token.text === 'OR') choices.push([]);
    else if (token.field || token.text !== 'AND') choices.at(-1)?.push(term(token));
  }
  return (fields) => choices.some((terms) => terms.every((one) => one(fields)));
}

interface Token {
  readonly text: string;
  /** As in `field:>=value`. */
  readonly field?: string;
  readonly comparison?: string;
}

function tokenize(query: string): Token[] {
  const form = /\s*(?:(\w+):(<=|>=|<|>)?)?(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|(\S+))/gy;
  return [...query.matchAll(form)].map(([, field, comparison, double, single, bare]) => {
    const quoted = double ?? single;
    const text = quoted === undefined ? (bare ?? '') : quoted.replace(/\\(.)/g, '$1');
    // A quoted AND is an ordinary word.
    if (field === undefined) return quoted === undefined ? { text } : { text, field: 'text' };
    return { text, field, ...(comparison && { comparison }) };
  });
}

function term({ text, field = 'text', comparison = '' }: Token): Test {
  return (fields) => {
    const value = fields(field);
    if (value === undefined || text === '*') return true;
    const values = Array.isArray(value) ? value : [value];
    return values.some((each: string | number) => matches(each, comparison, text));
  };
}

function matches(value: string | number, comparison: string, text: string): boolean {
  const [left, right] = comparable(value, text);
  switch (comparison) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      if (text.endsWith('*')) return String(left).startsWith(String(right).slice(0, -1));
      return left === right;
  }
}

/** Times are compared as times, because they are written with different offsets. */
function comparable(value: string | number, text: string): [number | string, number | string] {
  if (typeof value === 'number') return [value, Number(text)];
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return [Date.parse(value), Date.parse(text)];
  return [value.toLowerCase(), text.toLowerCase()];
}
