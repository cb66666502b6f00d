/**
 * The text with everything but printable ASCII as `\uXXXX`. SQS refuses some Unicode characters in
 * bodies and attributes alike (its SendMessage page), and a refused delivery would be repeated
 * until the subscription dies. In the output of JSON.stringify, such characters stand in strings
 * only, so there the result is the same JSON.
 */
export function escapeToAscii(text: string): string {
  return text.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
