import './routes.mjs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CannotStart } from '../../local/stack/synthesize.ts';
import type { Connector } from '../../shared/config/connector-config.ts';
import { openAccount } from './account.ts';
import { Check, openShop, outage, type Scene, say } from './day.ts';
import { judgeCalls, judgeLogs, judgeSides } from './judge.ts';
import { PLANTED, type PlantedBug } from './planted.ts';

/*
 * The connector on an AWS that others wrote (docs/reliability.md). `--planted`: once more for each deliberate bug,
 * which must be found.
 */
const faults: string[] = [];
try {
  faults.push(...(await play(wholeDay)));
  if (process.argv.includes('--planted')) {
    for (const bug of Object.keys(PLANTED) as PlantedBug[]) await find(bug);
  }
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  faults.push(error.message);
}
say(`${faults.length} faults`);
for (const fault of faults) console.log(`  FAULT ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

async function wholeDay(scene: Scene): Promise<void> {
  say('orders, a refund, a cancellation, products and codes');
  await openShop(scene);
  say('an outage of the loyalty service');
  await outage(scene);
}

/** Returns what was found. */
async function play(
  day: (scene: Scene) => Promise<void>,
  planted?: PlantedBug,
): Promise<readonly string[]> {
  const account = await openAccount(planted);
  const check = new Check(planted && 20_000);
  try {
    say('setup, without a terminal: bootstrap, deploy, secrets, webhooks');
    await account.run('setup --yes');
    await day({ account, check });
    await judge({ account, check });
  } catch (error) {
    // It says nothing of a planted bug.
    faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    console.log(account.engine.log().slice(-4_000));
  } finally {
    await account.close();
  }
  return check.faults;
}

async function judge({ account, check }: Scene): Promise<void> {
  say('the judgement');
  const settings = pathToFileURL(join(account.project, 'connector.config.ts')).href;
  const { default: connector }: { default: Connector } = await import(settings);
  const [shop] = connector.shops;
  if (!shop) throw new Error('there is no shop in the settings');
  const found = [
    ...(await judgeSides(account, shop)),
    ...(await judgeCalls(account)),
    ...(await judgeLogs(account)),
  ];
  const letters = await account.deadLetters();
  if (letters > 0) found.push(`${letters} dead letters are left`);
  for (const fault of found) check.fail(fault);
}

/** A shorter day must find it. */
async function find(bug: PlantedBug): Promise<void> {
  say(`planted: ${PLANTED[bug]}`);
  const found = await play(async (scene) => {
    await openShop(scene);
    await outage(scene);
  }, bug);
  if (found.length === 0) faults.push(`not found: ${PLANTED[bug]}`);
}
