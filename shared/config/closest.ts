/** What was probably meant; undefined where nothing known is close. */
export function closestTo(typed: string, known: readonly string[]): string | undefined {
  const [meant] = known
    .map((candidate) => ({ candidate, steps: editsBetween(typed, candidate) }))
    .filter(({ candidate, steps }) => steps * 3 <= candidate.length)
    .toSorted((a, b) => a.steps - b.steps);
  return meant?.candidate;
}

/** How many letters must be added, removed or changed; upper and lower case are the same. */
function editsBetween(one: string, other: string): number {
  const [from, to] = [one.toLowerCase(), other.toLowerCase()];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, wanted] of [...to].entries()) {
      const changed = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, (next[column] ?? 0) + 1, (row[column + 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
