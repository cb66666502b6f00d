import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chooseSettings } from '../../../local/stack/choose-settings.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';

const project = mkdtempSync(join(tmpdir(), 'choose-settings-'));
afterAll(() => rmSync(project, { recursive: true }));

const options = { stage: 'prod', once: false, demo: false };

const SHOPIFY = `{ domain: 'paper.myshopify.com', rules: { currency: 'SEK' } }`;
const VENDURE = `{
  platform: 'vendure',
  domain: 'shop.example.com',
  vendure: { adminApi: 'https://shop.example.com/admin-api', currency: 'SEK' },
  rules: { completeWhen: 'paid', currency: 'SEK' },
}`;

function writeSettings(file: string, shops: readonly string[]): void {
  const config = join(PACKAGE_FOLDER, 'shared/config/connector-config.ts');
  writeFileSync(
    join(project, file),
    `import { defineConnector } from ${JSON.stringify(config)};
export default defineConnector({
  shops: [${shops.join(', ')}],
  loyalty: { address: 'https://points.example.org' },
});`,
  );
}
beforeAll(() => writeSettings('connector.config.ts', [SHOPIFY, VENDURE]));

it('a Vendure server on this machine gets the rules of the Vendure shop of the settings', async () => {
  const chosen = await chooseSettings(options, { project, folder: project }, 4032);
  expect(chosen.addsStorefront).toBe(false);
  expect(chosen.connector.shops).toMatchObject([
    {
      vendure: { adminApi: 'http://127.0.0.1:4032/admin-api', currency: 'EUR' },
      rules: { completeWhen: 'paid', sharedAccount: false, currency: undefined },
    },
  ]);
});

it('a storefront, which is for Shopify shops, is not switched on beside a Vendure shop', async () => {
  const folder = join(project, 'own');
  const chosen = await chooseSettings(options, { project, folder });
  expect(chosen).toMatchObject({ addsStorefront: false, connector: { storefront: undefined } });
});

it('the day of the store sandbox is not played where the first shop has none', async () => {
  writeSettings('connector.config.first.ts', [VENDURE, SHOPIFY]);
  const asked = { ...options, stage: 'first', demo: true };
  const chosen = chooseSettings(asked, { project, folder: join(project, 'first') });
  await expect(chosen).rejects.toThrow(/shop\.example\.com.*--store vendure.*--new/);
});
