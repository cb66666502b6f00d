/**
 * One key per wish: made at the first press, kept over a lost connection, and given up with the first
 * certain answer. By it the function knows a second press from a second wish. Shared by all widgets of a
 * page.
 */
const keys = new Map<string, string>();

export function keyFor(wish: string): string {
  const key = keys.get(wish) ?? makeKey();
  keys.set(wish, key);
  return key;
}

export function settle(wish: string): void {
  keys.delete(wish);
}

function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
