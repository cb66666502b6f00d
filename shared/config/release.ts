import manifest from '../../package.json' with { type: 'json' };

/** Of the command and of the stacks that it deploys. The bundler puts it into the functions. */
export const VERSION = manifest.version;

export type Order = 'older' | 'same' | 'newer';

/** How `one` compares with `other`: by numbers, part by part. A release candidate is older than its release. */
export function compareVersions(one: string, other: string): Order {
  const [mine, theirs] = [partsOf(one), partsOf(other)];
  const first = mine.findIndex((part, index) => part !== theirs[index]);
  if (first < 0) return 'same';
  return Number(mine[first]) < Number(theirs[first]) ? 'older' : 'newer';
}

/** The last part is the candidate's number. */
function partsOf(version: string): readonly number[] {
  const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)(?:-rc\.(\d+))?/.exec(version) ?? [];
  const [major = 0, minor = 0, patch = 0, candidate = Number.POSITIVE_INFINITY] = parts;
  return [major, minor, patch, candidate].map(Number);
}
