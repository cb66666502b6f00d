// Handles rounds of events one after the other and says what each round took.
import { context, loadHandler, mustBeDone } from './load-handler.mjs';

const [file] = process.argv.slice(2);
const handler = await loadHandler(file);

process.on('message', async (events) => {
  // What the last round and the message itself left behind is not this round's to clean up.
  globalThis.gc?.();
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  for (const event of events) mustBeDone(await handler(event, context));
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  process.send({ cpuMs: (user + system) / 1000, wallMs, rssBytes: process.memoryUsage.rss() });
});
process.on('disconnect', () => process.exit());
process.send('ready');
