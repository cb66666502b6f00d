import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { createProgram } from '../../scripts/connector/create-program.ts';

const pages = globSync(['*.md', 'docs/**/*.md']).map((name) => ({
  name,
  text: readFileSync(name, 'utf8'),
}));

/** The anchors that GitHub makes of the headings of a page. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  );

const commands = createProgram().commands.map((command) => command.name());

describe.each(pages)('$name', ({ name, text }) => {
  const prose = text.replaceAll(/```.*?```/gs, '');

  it('has a target for each of its links', () => {
    const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const dangling = targets.filter((target) => {
      if (/^(?:https?|mailto):/.test(target)) return false;
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? name : join(dirname(name), file);
      if (!existsSync(path)) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(path, 'utf8')).includes(anchor);
    });
    expect(dangling).toEqual([]);
  });

  it('names only commands, scripts and files that exist', () => {
    const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);
    const scripts = named(/npm run (?:--silent )?([\w:-]+)/g);
    expect(scripts.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([]);
    const run = named(/npx loyalty-connector ([a-z][\w-]*)/g);
    expect(run.filter((command) => !commands.includes(command))).toEqual([]);
    const files = named(
      /`((?:app(?!\/uninstalled)|bench|docs|functions|infra|local|scripts|shared|test|tools)\/[\w./-]+)`/g,
    );
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });
});

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

  it('lists every folder, and those of core, rewards, shopify and local', () => {
    const named = new Set([...text.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name));
    const wanted = [
      ...folders('shared').map((name) => `shared/${name}`),
      ...['shared/core', 'shared/rewards', 'shared/shopify', 'local'].flatMap(folders),
    ];
    expect(wanted.filter((folder) => !named.has(folder))).toEqual([]);
  });
});

const FOLDER = 'docs/decisions';
const MOST_PAGES = 35;
const MOST_WORDS = 320;

const decisions = readdirSync(FOLDER).filter((name) => name !== 'README.md');
const readPage = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

const ENTRY = /^(\d+)\. \[(.+)\]\((.+)\)$/gm;
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
    expect(entries.map(({ file }) => file)).toEqual(decisions.toSorted());
    expect(entries.map(({ number }) => number)).toEqual(decisions.map((_, index) => index + 1));
    for (const { number, file, heading } of entries) {
      expect(file.startsWith(`${String(number).padStart(4, '0')}-`), file).toBe(true);
      expect(readPage(file).split('\n', 1)).toEqual([heading]);
    }
  });
});

describe('a decision', () => {
  it('is one of few', () => {
    expect(decisions.length).toBeLessThanOrEqual(MOST_PAGES);
  });

  it.each(decisions)('is short and names context, choice and consequence: %s', (page) => {
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
    expect(named.filter(({ page }) => !decisions.includes(page))).toEqual([]);
  });
});
