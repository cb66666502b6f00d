/** The object without the fields that are undefined. */
export function knownFields<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const known: { [K in keyof T]?: T[K] } = {};
  for (const name in fields) if (fields[name] !== undefined) known[name] = fields[name];
  return known as { [K in keyof T]?: Exclude<T[K], undefined> };
}
