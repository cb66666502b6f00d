/** The object without the fields that are undefined: what is not known is not said. */
export function knownFields<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const known: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) known[name] = value as Exclude<typeof value, undefined>;
  }
  return known;
}
