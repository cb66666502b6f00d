import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { writeStateFile } from '../../local/stack/state-file.ts';
import { buildBeside, type VendureEngine } from '../../local/vendure-engine/engine.ts';
import { VendureShop } from '../../local/vendure-engine/shop.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { openWarmCommands } from '../support/connector-command.ts';
import { type LocalStack, startLocalStack } from '../support/local-stack.ts';
import { Check, person, type Say } from './check.ts';
import { openMerchant } from './merchant.ts';

export const DOMAIN = 'vendure.example.com';
const MANY_ORDERS = join(import.meta.dirname, 'in-engine/many-orders.ts');

export type OperatedShop = Awaited<ReturnType<typeof openOperatedShop>>;

/** A shop with a catalogue on an engine that does not run yet, and a project in which an operator's commands run. */
export async function openOperatedShop(folder: string, engine: VendureEngine, say: Say) {
  const project = mkdtempSync(join(tmpdir(), 'vendure-project-'));
  const commands = openWarmCommands(project);
  const check = new Check(engine, say);
  const merchant = openMerchant(new VendureShop(engine.port));
  const manyOrders = await buildBeside(folder, MANY_ORDERS);
  const receiverOf = ({ webhookAddress: address, webhookSecret: secret }: LocalStack) => ({
    address,
    secret,
  });

  await engine.start(undefined);
  await merchant.setUp();
  await merchant.addProduct('Shirt', { 'SHIRT-S': 1999, 'SHIRT-M': 2199 });
  await merchant.addProduct('Mug', { MUG: 999 });
  await merchant.addProduct('Book', { BOOK: 1500 }, 'Reduced');
  await merchant.addPromotion('TENPCT', { percent: 10 });
  await merchant.addPromotion('FIVEOFF', { cents: 500 });
  await merchant.buyAbroad(person('abroad'), 'MUG', 1099);
  await engine.kill();

  /** The stack with its settings in the project, where the commands find it. */
  async function startStack(mode: 'observe' | 'live'): Promise<LocalStack> {
    const entry = JSON.stringify(join(PACKAGE_FOLDER, 'shared/config/connector-config.ts'));
    const adminApi = `http://127.0.0.1:${engine.port}/admin-api`;
    const shop = { platform: 'vendure', domain: DOMAIN, path: 'vendure', mode };
    const shops = [{ ...shop, vendure: { adminApi, currency: 'EUR' } }];
    const settings = { shops, loyalty: { address: 'https://loyalty.example.com' } };
    const text = `import { defineConnector } from ${entry};\nexport default defineConnector(${JSON.stringify(settings)});\n`;
    // The stack has a file of its own, because a process reads a module once.
    const file = join(project, `${mode}.config.ts`);
    for (const one of [file, join(project, 'connector.config.ts')]) writeFileSync(one, text);
    const dataFolder = join(project, 'data');
    mkdirSync(dataFolder, { recursive: true });
    const stack = await startLocalStack({ settings: file, dataFolder });
    writeStateFile(stack, { stage: 'prod' }, project);
    return stack;
  }

  return {
    ...{ engine, check, merchant, project },

    /** Many orders at once; with a stack by the plugin's events. The engine must not run. */
    placeMany: (name: string, count: number, stack?: LocalStack) =>
      engine.run(manyOrders, [name, String(count)], stack && receiverOf(stack)),

    /** An hour passes since all orders: reconcile leaves the newest to their events. The engine must not run. */
    passHour(): void {
      const database = new DatabaseSync(engine.file);
      database.exec(
        `UPDATE "order" SET orderPlacedAt = strftime('%Y-%m-%d %H:%M:%f', orderPlacedAt, '-1 hour')`,
      );
      database.close();
    },

    startEngine: (stack: LocalStack) => engine.start(receiverOf(stack)),

    /** While stack and engine run. */
    async withStack<Value>(
      mode: 'observe' | 'live',
      play: (stack: LocalStack) => Promise<Value>,
    ): Promise<Value> {
      const stack = await startStack(mode);
      try {
        await engine.start(receiverOf(stack));
        return await play(stack);
      } finally {
        await engine.kill();
        await stack.stop();
      }
    },

    /** Runs it and checks its exit code and words; spaces and line ends are one. */
    async command(
      words: string,
      codes: number | readonly number[],
      ...says: readonly string[]
    ): Promise<void> {
      const run = await commands.run(words.split(' '));
      const output = `${run.stdout}\n${run.stderr}`;
      const plain = output.replace(/\s+/g, ' ');
      const missing = says.filter((text) => !plain.includes(text));
      const isRight = [codes].flat().includes(run.code ?? -1);
      if (isRight && missing.length === 0) return;
      const without = missing.length === 0 ? '' : `, without ${JSON.stringify(missing)}`;
      check.fail(`"${words}" ended with ${run.code} instead of ${codes}${without}:\n${output}`);
    },

    async close(): Promise<void> {
      commands.stop();
      await engine.kill();
      rmSync(project, { recursive: true, force: true });
    },
  };
}
