import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProject, moduleFile } from '../../../shared/config/folders.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'connector-folders-'));
  mkdirSync(join(folder, 'agency/paper/notes'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (path: string) => join(folder, path);

describe('the project', () => {
  it('is the nearest folder with settings, of any stage, from the current one upwards', () => {
    writeFileSync(at('agency/connector.config.ts'), '');
    expect(findProject(at('agency/paper/notes'))).toBe(at('agency'));
    writeFileSync(at('agency/paper/connector.config.test.ts'), '');
    expect(findProject(at('agency/paper/notes'))).toBe(at('agency/paper'));
  });

  it('is the current folder where none has settings', () => {
    writeFileSync(at('agency/connector.config.json'), '');
    expect(findProject(at('agency/paper'))).toBe(at('agency/paper'));
  });
});

it('a module of ours is a source file in the clone', () => {
  expect(moduleFile('infra/app')).toMatch(/\/infra\/app\.ts$/);
});
