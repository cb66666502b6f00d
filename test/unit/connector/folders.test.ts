import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = 'scripts/connector';

/** `console/page/run.ts` → `console`. What lies beside main.ts is above all folders. */
const folderOf = (file: string) =>
  dirname(file) === ROOT ? '' : (file.slice(ROOT.length + 1).split('/')[0] ?? '');

const imports = Map.groupBy(
  globSync(`${ROOT}/**/*.{ts,tsx}`).flatMap((file) => {
    const found = readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g);
    return [...found]
      .map(([, path = '']) => normalize(join(dirname(file), path)))
      .filter((path) => path.startsWith(`${ROOT}/`))
      .map((path) => ({ from: folderOf(file), to: folderOf(path) }));
  }),
  ({ from }) => from,
);

/** All folders that the last of the path needs, each with the way there that comes back; empty when none does. */
function circles(path: readonly string[]): readonly string[] {
  const last = path.at(-1) ?? '';
  const needed = new Set((imports.get(last) ?? []).map(({ to }) => to));
  needed.delete(last);
  return [...needed].flatMap((to) =>
    path.includes(to) ? [[...path, to].join(' → ')] : circles([...path, to]),
  );
}

it('no folder of the commands needs one that needs it', () => {
  expect(imports.size).toBeGreaterThan(20);
  expect([...imports.keys()].flatMap((folder) => circles([folder]))).toEqual([]);
});
