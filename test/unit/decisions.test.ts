import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = 'docs/decisions';
const MOST_PAGES = 35;
const MOST_WORDS = 450;

const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md');
const readPage = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

const ENTRY = /^(\d+)\. \[(.+)\]\((.+)\): \S.*$/gm;
const entries = [...readPage('README.md').matchAll(ENTRY)].map(([, number, title, file = '']) => ({
  number: Number(number),
  file,
  heading: `# ${number}. ${title}`,
}));

/** The project's own sources and documents: everything that may refer to a decision. */
const FOLDERS = [
  ...['.github', 'app', 'bench', 'docs', 'functions', 'infra', 'local', 'scripts', 'shared'],
  ...['test', 'tools'],
];
const SOURCE = /\.(ts|tsx|mts|mjs|js|json|ya?ml|md|grit|graphql|liquid|toml)$/;
const files = [
  ...readdirSync('.', { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ),
].filter((file) => SOURCE.test(file) && !file.includes('node_modules'));

const DECISION = /\b\d{4}-[a-z][\w-]*\.md\b/g;

describe('the index of decisions', () => {
  it('lists every page once, under its own number and title', () => {
    expect(entries.map(({ file }) => file)).toEqual(pages.toSorted());
    expect(entries.map(({ number }) => number)).toEqual(pages.map((_, index) => index + 1));
    for (const { number, file, heading } of entries) {
      expect(file.startsWith(`${String(number).padStart(4, '0')}-`), file).toBe(true);
      expect(readPage(file).split('\n', 1)).toEqual([heading]);
    }
  });
});

describe('a decision', () => {
  it('is one of few', () => {
    expect(pages.length).toBeLessThanOrEqual(MOST_PAGES);
  });

  it.each(pages)('is short and names context, choice and consequence: %s', (page) => {
    const text = readPage(page);
    expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS);
    expect(text).toMatch(/^\*\*Context\.\*\* /m);
    expect(text).toMatch(/^\*\*Choice(\.|: .+\.)\*\*/m);
    expect(text).toMatch(/^\*\*Consequence\.\*\* /m);
  });
});

describe('a reference to a decision', () => {
  it('names a page that exists, in code and in documents', () => {
    const named = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(DECISION)].map(([page]) => ({ file, page })),
    );
    const fromCode = named.filter(({ file }) => !file.endsWith('.md'));
    expect(new Set(fromCode.map(({ page }) => page)).size).toBeGreaterThan(15);
    expect(named.filter(({ page }) => !pages.includes(page))).toEqual([]);
  });
});
