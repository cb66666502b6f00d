import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import { createMerchantProject, type Installed } from '../support/packed-project.ts';
import { describeInstalled } from './package/installed.ts';
import { describeUpgrades } from './package/upgraded.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 600_000 });

/** Outside of the clone, so that nothing of it is found by chance. */
const folder = mkdtempSync(join(tmpdir(), 'connector-package-'));
afterAll(() => rmSync(folder, { recursive: true }));

let installed: Installed;
beforeAll(async () => {
  installed = await createMerchantProject(folder);
});

// One file, because packing builds the clone's `dist` and installing takes a minute.
describeInstalled(() => installed);
describeUpgrades(() => installed);
