import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleFunctions } from '../../infra/bundle-functions.ts';
import type { Figure } from '../bench.ts';
import type { Lab } from '../lab.ts';
import { measureCold } from '../measure/measure-cold.ts';
import { startWarm } from '../measure/warm-function.ts';
import { spreadOf } from '../report/statistics.ts';
import { webhookEvent } from '../traffic/events.ts';
import { SIZES } from '../traffic/orders.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A webhook of the last of so many shops, cold and warm. */
export async function growByShops(
  lab: Lab,
  counts: readonly number[],
  rounds: number,
): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'connector-shops-'));
  const figures: Figure[] = [];
  try {
    for (const shops of counts) {
      const bundle = await bundleFor(shops, folder);
      const body = lab.writeOrder({ id: 78, updatedAt: new Date(), ...SIZES['8k'] });
      const event = () => webhookEvent(body, `shop-${shops}`);
      const cold: number[] = [];
      for (let run = 0; run < rounds; run += 1) {
        cold.push((await measureCold(bundle, event(), lab.environment)).cpuMs);
      }
      const process = await startWarm(bundle, lab.environment);
      const warm: number[] = [];
      for (let run = 0; run < rounds + 2; run += 1) {
        const { cpuMs } = await process.round(Array.from({ length: 40 }, event));
        if (run >= 2) warm.push(cpuMs / 40);
      }
      await process.stop();
      figures.push(
        figure(`growth.shops.${shops}.cold`, cold),
        figure(`growth.shops.${shops}.receiver`, warm),
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return figures;
}

function figure(key: string, samples: readonly number[]): Figure {
  const { median: value, ...spread } = spreadOf(samples);
  return { key, value, spread, unit: 'ms CPU' };
}

async function bundleFor(shops: number, folder: string): Promise<string> {
  const configFile = join(folder, `${shops}.config.ts`);
  const domains = Array.from({ length: shops }, (_, index) => ({
    domain: `shop-${index + 1}.myshopify.com`,
  }));
  const settings = { shops: domains, loyalty: { address: 'https://loyalty.example.com' } };
  const source = join(ROOT, 'shared/config/connector-config.ts');
  writeFileSync(
    configFile,
    `import { defineConnector } from ${JSON.stringify(source)};
export default defineConnector(${JSON.stringify(settings)});
`,
  );
  const { folderOf } = await bundleFunctions({
    root: ROOT,
    functions: ['receive-webhook'],
    configFile,
    outFolder: join(folder, String(shops)),
  });
  return join(folderOf('receive-webhook'), 'index.js');
}
