import manifest from '../../package.json' with { type: 'json' };

/** Of the command and of the stacks that it deploys. The bundler puts it into the functions. */
export const VERSION = manifest.version;

export type Order = 'older' | 'same' | 'newer';

/** How `one` compares with `other`: by numbers, part by part. What follows a hyphen or plus does not count. */
export function compareVersions(one: string, other: string): Order {
  const [mine, theirs] = [partsOf(one), partsOf(other)];
  for (const [index, part] of mine.entries()) {
    const difference = part - (theirs[index] ?? 0);
    if (difference !== 0) return difference < 0 ? 'older' : 'newer';
  }
  return 'same';
}

function partsOf(version: string): readonly [number, number, number] {
  const [major, minor, patch] = version.split(/[-+]/, 1)[0]?.split('.').map(Number) ?? [];
  return [major || 0, minor || 0, patch || 0];
}
