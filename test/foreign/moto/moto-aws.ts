import { createServer } from 'node:http';
import { vi } from 'vitest';
import { type Emulator, listen } from '../../../local/stack/emulators.ts';
import { forwardRequest } from '../../support/forward-request.ts';

export * from '../../../local/stack/emulators.ts';

export { connectMoto as startDynamoDb, connectMoto as startSqs };

const moto = process.env.MOTO ?? '';
let isEmpty: Promise<unknown> | undefined;

/** One account of AWS for all that a test file starts, empty at first, on the clock of the test. */
export async function connectMoto(): Promise<Emulator> {
  isEmpty ??= fetch(`${moto}/moto-api/reset`, { method: 'POST' });
  await isEmpty;
  return listen(
    createServer((request, response) => {
      const clock = vi.isFakeTimers() ? { 'x-test-clock': String(Date.now()) } : {};
      forwardRequest(request, response, moto, clock);
    }),
  );
}
