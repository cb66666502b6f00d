import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CannotStart } from '../../local/stack/synthesize.ts';
import { installVendure } from '../../local/vendure-engine/engine.ts';
import { checkTypes } from './engine.ts';

/**
 * The parts run beside each other, because each waits most of the time: for a lease, a time-out, a message that comes
 * back. Arguments: only these parts.
 */
const LANES: readonly (readonly string[])[] = [
  ['kit', 'contract'],
  ['day', 'operator'],
  ['erasure', 'past'],
];

const began = Date.now();
const secondsNow = () => Math.round((Date.now() - began) / 1000);
const say = (text: string) => console.log(`${String(secondsNow()).padStart(4)} s  ${text}`);
const asked = process.argv.slice(2);

try {
  await installVendure((text) => {
    if (!text.endsWith('%')) say(text);
  });
  checkTypes();
  say('the plugin fits the types of the engine');
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  console.error(error.message);
  process.exit(1);
}

const faults: string[] = [];
await Promise.all(
  LANES.map(async (lane) => {
    for (const part of lane) {
      if (asked.length === 0 || asked.includes(part)) await run(part);
    }
  }),
);
say(`${faults.length} faults`);
for (const fault of faults) console.log(`  FAULT ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** In a process of its own. */
async function run(part: string): Promise<void> {
  const child = fork(join(import.meta.dirname, 'part.ts'), [part], {
    env: { ...process.env, CHECK_BEGAN: String(began) },
  });
  let found: readonly string[] = [`it ended before its end`];
  child.on('message', (message) => {
    found = message as readonly string[];
  });
  const [code] = await once(child, 'exit');
  faults.push(...found.map((fault) => `${part}: ${fault}`));
  if (code !== 0 && found.length === 0) faults.push(`${part}: it ended with ${code}`);
}
