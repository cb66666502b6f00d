type Parameters = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * The path and query of a call, ready to be sent as they are. Undefined when an id is blank: the
 * path would be that of a list, or of nothing.
 */
export function buildPath(
  template: string,
  ids: Parameters = {},
  query: Parameters = {},
): string | undefined {
  let blank = false;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    // Sent as "undefined", a forgotten id would address an entity of that name.
    if (id === undefined || id === null) throw new TypeError(`${template}: ${name} is missing`);
    blank ||= String(id).trim() === '';
    return encodeSegment(String(id));
  });
  if (blank) return undefined;
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encode(String(value))}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** `.` and `..` are steps of a path, which encodeURIComponent leaves alone. */
function encodeSegment(id: string): string {
  return id === '.' || id === '..' ? id.replaceAll('.', '%2E') : encode(id);
}

/** UTF-8 cannot carry half a surrogate pair: encodeURIComponent throws on one. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
