/**
 * A subscription may ask for certain fields only, also inside objects and lists (`variants.price`).
 * Fields that do not exist are left out. Ids keep every digit.
 */
export function pickFields(body: string, fields: readonly string[]): string {
  if (fields.length === 0) return body;
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  const payload = JSON.parse(body, (_key, value, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value,
  );
  return JSON.stringify(pick(payload, toPaths(fields)));
}

type Path = readonly string[];

export const toPaths = (fields: readonly string[]): readonly Path[] =>
  fields.map((field) => field.split('.'));

export function pick(value: unknown, paths: readonly Path[]): unknown {
  if (paths.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) return value.map((entry) => pick(entry, paths));
  if (typeof value !== 'object' || value === null || isRaw(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const within = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
      return within.length > 0 ? [[name, pick(field, within)]] : [];
    }),
  );
}

function isRaw(value: object): boolean {
  return (JSON as unknown as { isRawJSON(value: object): boolean }).isRawJSON(value);
}
