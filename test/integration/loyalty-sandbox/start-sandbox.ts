import { expect } from 'vitest';
import { createRouter, loadContract } from '../../../local/loyalty-sandbox/contract.ts';
import {
  type LoyaltySandbox,
  type LoyaltySandboxOptions,
  startLoyaltySandbox,
} from '../../../local/loyalty-sandbox/sandbox.ts';

export const contract = loadContract();
const route = createRouter(contract.operations);
const running = new Map<string, LoyaltySandbox>();

/**
 * A sandbox of which everything is held to the contract, in whichever test it happens: what it
 * answers as it is received (by `send`), and its journal and events before they go.
 */
export async function startSandbox(options: LoyaltySandboxOptions = {}): Promise<LoyaltySandbox> {
  const sandbox = await startLoyaltySandbox(options);
  running.set(sandbox.address, sandbox);
  return {
    ...sandbox,
    journal: {
      entries: (query) => sandbox.journal.entries(query),
      get dropped() {
        return sandbox.journal.dropped;
      },
      clear: () => {
        checkKept(sandbox);
        sandbox.journal.clear();
      },
    },
    reset: () => {
      checkKept(sandbox);
      return sandbox.reset();
    },
    stop: async () => {
      checkKept(sandbox);
      running.delete(sandbox.address);
      await sandbox.stop();
    },
  };
}

function checkKept(sandbox: LoyaltySandbox): void {
  for (const { operation, status, answer, fault, path } of sandbox.journal.entries()) {
    expect(fault, path).not.toBe('crash');
    if (fault !== 'http-500') expect(status, path).not.toBe(500);
    if (operation && status === 200 && answer !== undefined) {
      expect(contract.validateAnswer(operation, answer), path).toEqual([]);
    }
  }
  for (const { payload } of sandbox.events.all()) {
    expect(contract.validatePointEvent(payload)).toEqual([]);
  }
}

/** Holds the bytes of an answer to the contract, whoever started the sandbox that gave it. */
export function checkReceived(
  address: string,
  method: string,
  path: string,
  { status, text }: { readonly status: number; readonly text: string },
): void {
  const found = route(method, path.split('?')[0] ?? '');
  if (found.kind !== 'operation' || status !== 200) return;
  const json = parseJson(text);
  if (json === undefined && wasSpoiled(address, method, path)) return;
  expect(contract.validateAnswer(found.operation, json), path).toEqual([]);
}

/** Undefined where the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The only faults on demand that answer 200 with something else than JSON. */
function wasSpoiled(address: string, method: string, path: string): boolean {
  const entries = running.get(address)?.journal.entries() ?? [];
  return entries.some(
    (entry) =>
      entry.method === method &&
      entry.path === path &&
      (entry.fault === 'not-json' || entry.fault === 'empty'),
  );
}
