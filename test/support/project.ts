import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';

/** A folder whose `connector.config.ts` holds the settings. */
export const PROJECT = join(PACKAGE_FOLDER, 'test/fixtures/project');

/** A project with the same settings in a temporary folder, for a test that writes into it. */
export function createProject(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  const settings = JSON.stringify(join(PROJECT, 'connector.config.ts'));
  writeFileSync(join(folder, 'connector.config.ts'), `export { default } from ${settings};\n`);
  return folder;
}

/** The same settings with one more, as text: `healing: { deepEveryDays: 14 }`. */
export function addSetting(folder: string, setting: string): void {
  const settings = readFileSync(join(PROJECT, 'connector.config.ts'), 'utf8')
    .replace('../../../shared', join(PACKAGE_FOLDER, 'shared'))
    .replace('  loyalty:', `  ${setting},\n  loyalty:`);
  writeFileSync(join(folder, 'connector.config.ts'), settings);
}
