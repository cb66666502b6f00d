/** The value of a row for a search field; `undefined`: the field is unknown. */
type SearchFields = (field: string) => string | number | readonly string[] | undefined;

type Test = (fields: SearchFields) => boolean;

/**
 * The part of Shopify's search syntax that is used: terms side by side or joined with AND, OR, NOT or
 * a minus sign, parentheses, comparisons and quotes. An unknown field is ignored; the real store
 * ignores it with a warning.
 */
export function parseSearch(query: string | null | undefined): Test {
  const tokens = tokenize(query ?? '');
  if (tokens.length === 0) return () => true;
  let at = 0;
  const peek = () => tokens[at];

  function either(): Test {
    const parts = [all()];
    while (peek()?.text === 'OR') {
      at += 1;
      parts.push(all());
    }
    return (fields) => parts.some((part) => part(fields));
  }

  function all(): Test {
    const parts: Test[] = [];
    for (let token = peek(); token && token.text !== ')' && token.text !== 'OR'; token = peek()) {
      if (token.text === 'AND') at += 1;
      else parts.push(one());
    }
    return (fields) => parts.every((part) => part(fields));
  }

  function one(): Test {
    const token = tokens[at];
    at += 1;
    if (token?.text === 'NOT' || token?.text === '-') {
      const inner = one();
      return (fields) => !inner(fields);
    }
    if (token?.text === '(') {
      const inner = either();
      if (peek()?.text === ')') at += 1;
      return inner;
    }
    return token ? term(token) : () => true;
  }

  return either();
}

interface Token {
  readonly text: string;
  /** As in `field:>=value`. */
  readonly field?: string;
  readonly comparison?: string;
}

function tokenize(query: string): Token[] {
  const form =
    /\s*(?:([()])|(-)(?=\S)|(?:(\w+):(<=|>=|<|>)?)?(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|([^\s()]+)))/gy;
  return [...query.matchAll(form)].map(
    ([, bracket, minus, field, comparison, double, single, bare]) => {
      if (bracket ?? minus) return { text: bracket ?? minus ?? '' };
      const quoted = double ?? single;
      const text = quoted === undefined ? (bare ?? '') : quoted.replace(/\\(.)/g, '$1');
      // A quoted AND is an ordinary word.
      if (field === undefined) return quoted === undefined ? { text } : { text, field: 'text' };
      return { text, field, ...(comparison && { comparison }) };
    },
  );
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
