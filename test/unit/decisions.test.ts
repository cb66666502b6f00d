import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = 'docs/decisions';
const CODE = ['bench', 'functions', 'infra', 'local', 'scripts', 'shared', 'test', 'app'];

const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md');
const index = readFileSync(join(FOLDER, 'README.md'), 'utf8');

const ROW =
  /^\| (\d+) \| \[(.+)\]\((.+)\) \| (accepted|superseded by \d+) \| \d{4}-\d\d-\d\d \| .+ \|$/gm;
const rows = [...index.matchAll(ROW)].map(([, number, title, file = '']) => ({
  file,
  heading: `# ${number}. ${title}`,
}));

describe('the index of decisions', () => {
  it('lists every page once, in order, under its own title', () => {
    expect(rows.map(({ file }) => file)).toEqual(pages.toSorted());
    for (const { file, heading } of rows) {
      expect(readFileSync(join(FOLDER, file), 'utf8').split('\n', 1)).toEqual([heading]);
    }
  });

  it('has a page for every decision that the code links', () => {
    const files = CODE.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(ts|mjs)$/.test(name))
        .map((name) => join(folder, name)),
    );
    const linked = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/docs\/decisions\/(\d{4}[\w-]*\.md)/g)].map(
        ([, page]) => page,
      ),
    );
    expect(new Set(linked).size).toBeGreaterThan(25);
    expect(linked.filter((page) => !pages.includes(page ?? ''))).toEqual([]);
  });
});
