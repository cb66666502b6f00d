// Handles rounds of events and reports the time of each round.
import { context, loadHandler, mustBeDone } from './load-handler.mjs';

const [file] = process.argv.slice(2);
const handler = await loadHandler(file);

process.on('message', async (events) => {
  // The garbage of the last round and of the message must not count for this round.
  globalThis.gc?.();
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  for (const event of events) mustBeDone(await handler(event, context));
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  process.send({ cpuMs: (user + system) / 1000, wallMs });
});
process.on('disconnect', () => process.exit());
process.send('ready');
