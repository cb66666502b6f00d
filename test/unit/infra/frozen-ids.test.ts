import { describe, expect, it } from 'vitest';
import { goldenOf } from '../../support/golden/golden.ts';
import {
  FREE,
  PINNED,
  type Pins,
  pinsOf,
  resourcesOf,
  STACKS,
} from '../../support/golden/logical-ids.ts';

const golden = goldenOf('logical-ids') as unknown as Readonly<Record<string, Pins>>;
const stacks = Object.keys(STACKS) as (keyof typeof STACKS)[];

describe.each(stacks)('a stack %s that 1.0.0-rc.2 deployed', (stack) => {
  const frozen = golden[stack] ?? { resources: {}, outputs: [] };
  const now = pinsOf(stack);

  it('is found under its logical ids by every later release', () => {
    const lost = Object.entries(frozen.resources)
      .filter(([id]) => !(id in now.resources))
      .map(([id, [type]]) => `${id} (${type}) would be made anew: ${PINNED[type]}`);
    expect(lost, 'logical ids are frozen since 1.0.0-rc.2; see docs/upgrades.md').toEqual([]);
  });

  it('keeps the properties whose change would replace a resource', () => {
    for (const [id, resource] of Object.entries(frozen.resources)) {
      const said = `${id} would be replaced: ${PINNED[resource[0]]}`;
      expect(now.resources[id], said).toEqual(resource);
    }
  });

  it('keeps its outputs, by which commands of every release find it', () => {
    expect(now.outputs).toEqual(expect.arrayContaining([...frozen.outputs]));
  });

  it('has no resource whose id nobody decided about', () => {
    const types = new Set(Object.values(resourcesOf(stack)).map(({ Type }) => Type));
    const undecided = [...types].filter((type) => !(type in PINNED) && !FREE.includes(type));
    expect(undecided, 'say in test/support/golden/logical-ids.ts what its loss means').toEqual([]);
    const unpinned = Object.keys(now.resources).filter((id) => !(id in frozen.resources));
    expect(unpinned, 'new, and not pinned yet: npm run golden pins it').toEqual([]);
  });
});
