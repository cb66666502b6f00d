import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PLATFORMS } from '../../shared/config/connector-settings.ts';

it('each platform has a test that runs the kit: test/contract/store-platform.ts', () => {
  const files = globSync('test/**/store-platform.test.ts');
  const runs = files.flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/^describeStorePlatform\('([^']+)'/gm),
  ]);
  expect(runs.map(([, name]) => name).toSorted()).toEqual([...PLATFORMS].toSorted());
});

it.each(PLATFORMS)('%s has a folder, and no other may import it or name it', (name) => {
  expect(existsSync(`shared/${name}`)).toBe(true);
  expect(readFileSync('shared/core/platform-words.grit', 'utf8')).toContain(`"${name}",`);
  const rules = readFileSync('biome.json', 'utf8');
  for (const part of [`"**/${name}/**"`, `"!shared/${name}/**"`]) expect(rules).toContain(part);
});
