/** A setting written as undefined takes the default, like one that is not written. */
export function given<T extends object>(settings: T | undefined): Partial<T> {
  const entries = Object.entries(settings ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}

/** A shop's part of the webhook address when none is set: the domain up to its first dot. */
export function defaultPath(domain: string): string {
  return domain.split('.', 1)[0] ?? domain;
}
