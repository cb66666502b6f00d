/** `1 dead letter`, `12 dead letters`. */
export function countLetters(count: number): string {
  return `${count} ${count === 1 ? 'dead letter' : 'dead letters'}`;
}
