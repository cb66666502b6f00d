// Says where the processor's time goes: while a bundle is loaded and handles its first event (cold), or
// while it handles events long after (warm).
import { readFileSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { context, loadHandler, mustBeDone } from '../measure/load-handler.mjs';

const [file, mode, eventsFile] = process.argv.slice(2);
const { before, events } = JSON.parse(readFileSync(eventsFile, 'utf8'));
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: 100 });

const warm = mode === 'warm' ? await loadHandler(file) : undefined;
for (const event of warm ? before : []) mustBeDone(await warm(event, context));
await session.post('Profiler.start');
const handler = warm ?? (await loadHandler(file));
for (const event of events) mustBeDone(await handler(event, context));
const { profile } = await session.post('Profiler.stop');
writeSync(3, JSON.stringify(profile));
process.exit(0);
