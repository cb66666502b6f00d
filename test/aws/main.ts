import './routes.mjs';
import { CannotStart } from '../../local/stack/synthesize.ts';
import { openAccount } from './account.ts';
import { Check, type Scene, say } from './check.ts';
import { deadLetters, killWorkers, openShop, outage, redeem, refusals } from './day.ts';
import { deployGoverned } from './governed.ts';
import { auditDay, judgeDay } from './judge.ts';
import { changeSettings, deleteStack, loseLedger, upgrade } from './operator.ts';
import { PLANTED, type PlantedBug } from './planted.ts';

/*
 * The connector on an AWS that others wrote (docs/reliability.md). `--governed`: only the day in a governed account.
 * `--planted`: both days, and once more for each deliberate bug, which must be found.
 */
const WHOLE_DAY = [
  setUp,
  openShop,
  upgrade,
  redeem,
  outage,
  refusals,
  killWorkers,
  deadLetters,
  changeSettings,
  auditDay,
  loseLedger,
  judgeDay,
  deleteStack,
];
const GOVERNED_DAY = [deployGoverned, setUp, openShop, redeem, outage, judgeDay, deleteStack];
const SHORT_DAY = [setUp, openShop, outage, judgeDay];

const faults: string[] = [];
try {
  const [isGoverned, isPlanted] = ['--governed', '--planted'].map((one) =>
    process.argv.includes(one),
  );
  if (!isGoverned) faults.push(...(await play(WHOLE_DAY, { isEarlier: true })));
  if (isGoverned || isPlanted) faults.push(...(await play(GOVERNED_DAY, {})));
  if (isPlanted) {
    for (const bug of Object.keys(PLANTED) as PlantedBug[]) await find(bug);
  }
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  faults.push(error.message);
}
say(`${faults.length} faults`);
for (const fault of faults) console.log(`  FAULT ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

async function setUp({ account }: Scene): Promise<void> {
  say('setup, without a terminal: bootstrap, deploy, secrets, webhooks');
  await account.run('setup --yes');
}

/** Returns what was found. */
async function play(
  day: readonly ((scene: Scene) => Promise<void>)[],
  options: Parameters<typeof openAccount>[0],
): Promise<readonly string[]> {
  const account = await openAccount(options);
  const check = new Check(options.planted && 20_000);
  try {
    for (const part of day) await part({ account, check });
  } catch (error) {
    // It says nothing of a planted bug.
    faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    console.log(account.engine.log().slice(-4_000));
  } finally {
    await account.close();
  }
  return check.faults;
}

/** A shorter day must find it. */
async function find(bug: PlantedBug): Promise<void> {
  say(`planted: ${PLANTED[bug]}`);
  const found = await play(SHORT_DAY, { planted: bug });
  if (found.length === 0) faults.push(`not found: ${PLANTED[bug]}`);
}
