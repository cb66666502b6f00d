/** A subscription may ask for some fields only. Ids keep every digit. */
export function pickFields(body: string, fields: readonly string[]): string {
  if (fields.length === 0) return body;
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  const payload = JSON.parse(body, (_key, value, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value,
  );
  return JSON.stringify(
    Object.fromEntries(Object.entries(payload).filter(([name]) => fields.includes(name))),
  );
}
