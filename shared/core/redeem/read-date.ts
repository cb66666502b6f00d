const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/;

/** In UTC; without a zone it is taken for UTC. Undefined for what is no date. */
export function readDate(text: string | null | undefined): string | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(text)) return undefined;
  const date = new Date(HAS_ZONE.test(text) ? text : `${text}Z`);
  return Number.isFinite(date.getTime()) ? date.toISOString() : undefined;
}
