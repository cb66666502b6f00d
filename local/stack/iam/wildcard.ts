/** IAM's wildcards: `*` is any run of characters, colons and slashes included, `?` any one. */
export function matchesPattern(pattern: string, text: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 's').test(text);
}

/** Actions are compared without regard to case; ARNs are not. */
export function matchesAction(pattern: string, action: string): boolean {
  return matchesPattern(pattern.toLowerCase(), action.toLowerCase());
}
