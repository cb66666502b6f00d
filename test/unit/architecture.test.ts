import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const text = readFileSync('docs/architecture.md', 'utf8');

const walks = text
  .split('\n### ')
  .slice(1)
  .map((section) => {
    const [, name = '', count = ''] = /^(.+): (\d+) files\n/.exec(section) ?? [];
    const [list = ''] = section.split('\n## ');
    const steps = [...list.matchAll(/^(\d+)\. `([^`]+)`: \S/gm)];
    return {
      name,
      count: Number(count),
      numbers: steps.map(([, number]) => Number(number)),
      files: steps.map(([, , file = '']) => file),
    };
  });

const folders = (parent: string) =>
  readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

describe('docs/architecture.md', () => {
  it('has a walk of a webhook, a dead letter and a redemption', () => {
    expect(walks.map(({ name }) => name)).toEqual([
      'One webhook',
      'One dead letter',
      'One redemption',
    ]);
  });

  it.each(walks)('names files that exist, each once, and counts them: $name', (walk) => {
    expect(walk.files.filter((file) => !existsSync(file))).toEqual([]);
    expect(new Set(walk.files).size).toBe(walk.files.length);
    expect(walk.numbers).toEqual(Array.from({ length: walk.count }, (_, index) => index + 1));
  });

  it('lists every room, and the rooms of core, shopify and local', () => {
    const named = new Set([...text.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name));
    const rooms = [
      ...folders('shared').map((name) => `shared/${name}`),
      ...['shared/core', 'shared/shopify', 'local'].flatMap(folders),
    ];
    expect(rooms.filter((room) => !named.has(room))).toEqual([]);
  });
});
