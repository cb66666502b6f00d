import { existsSync, globSync, readFileSync } from 'node:fs';
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
