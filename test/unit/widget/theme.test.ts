import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(`widget/${path}`, 'utf8');
const element = read('loyalty-widget.ts');
const snippet = read('theme/snippets/loyalty-widget.liquid');
const block = read('theme/blocks/loyalty.liquid');

describe('the theme files', () => {
  it('set only attributes that the element reads', () => {
    const [tag = ''] = /<loyalty-widget[\s\S]*?>\s*<\/loyalty-widget>/.exec(snippet) ?? [];
    const attributes = [...tag.matchAll(/(?:^|[\s}])([a-z-]+)(?:="|\{%)/g)].map(([, name]) => name);
    expect(attributes).toEqual([
      ...['locale', 'currency', 'log-in', 'show', 'product-id', 'price', 'items', 'logged-out'],
    ]);
    for (const name of attributes) expect(element).toContain(`'${name}'`);
  });

  it('offer only sections that there are', () => {
    const [, schema = '{}'] = /\{% schema %\}([\s\S]*)\{% endschema %\}/.exec(block) ?? [];
    const settings: { id: string; options?: { value: string }[] }[] = JSON.parse(schema).settings;
    const offered = settings.find(({ id }) => id === 'show')?.options ?? [];
    const names = new Set(offered.flatMap(({ value }) => value.split(' ')));
    expect([...names].toSorted()).toEqual(['balance', 'earned', 'quizzes', 'rewards']);
    for (const name of names) expect(element).toContain(`${name}: draw`);
  });
});
