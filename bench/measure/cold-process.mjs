// A new process that loads one bundle and handles one event. Plain JavaScript without an IPC channel,
// because TypeScript and IPC would load parts of Node that count as the bundle's time.
import { readFileSync, writeSync } from 'node:fs';
import { context, loadHandler, mustBeDone } from './load-handler.mjs';

const [file, eventFile] = process.argv.slice(2);
const event = JSON.parse(readFileSync(eventFile, 'utf8'));
const cpuBefore = process.cpuUsage();
const start = performance.now();
const handler = await loadHandler(file);
const loaded = performance.now();
const result = await handler(event, context);
const done = performance.now();
const { user, system } = process.cpuUsage(cpuBefore);
mustBeDone(result);
const measure = { importMs: loaded - start, firstMs: done - loaded, cpuMs: (user + system) / 1000 };
writeSync(3, JSON.stringify(measure));
process.exit(0);
