import type { Document } from '../../terminal/document.ts';
import type { Line } from '../../terminal/line.ts';
import type { ConsoleEvent } from '../run-command.ts';
import { contentOf } from './place.ts';

/** What a command has said so far, and how it ended. */
export interface Ran {
  /** Of `loyalty-connector --help`; undefined while it runs, when the console was stopped, or the request broke off. */
  readonly code: number | undefined;
  /** The last one that it has shown. */
  readonly document?: Document;
  readonly notes: readonly string[];
  readonly problem?: { readonly message: string; readonly next?: string };
  readonly progress?: Extract<ConsoleEvent, { kind: 'progress' }>;
}

export const NOTHING_YET: Ran = { code: undefined, notes: [] };

export interface RunOptions {
  /** Ends the command in order, as Ctrl-C does; its report still comes. */
  readonly stop?: AbortSignal;
  /** Also ends it, without waiting for its report. */
  readonly signal?: AbortSignal;
  readonly onStep: (ran: Ran) => void;
}

const key = sessionKey();

/** Comes once, with the printed address; this port's own storage keeps it for a reload and for other tabs. */
function sessionKey(): string {
  const given = contentOf('console-key');
  if (given !== undefined) {
    localStorage.setItem('console-key', given);
    // The address without its token, which opens nothing any more.
    history.replaceState(null, '', `/${location.hash}`);
  }
  return localStorage.getItem('console-key') ?? '';
}

/** Runs a command of the command line. Never rejects. */
export async function run(line: Line, { signal, stop, onStep }: RunOptions): Promise<Ran> {
  let ran = NOTHING_YET;
  const over = new AbortController();
  try {
    const response = await post('/run', line, signal);
    if (!response.ok || !response.body) {
      return { ...ran, problem: { message: await response.text() } };
    }
    for await (const text of linesOf(response.body)) {
      const event = JSON.parse(text) as ConsoleEvent;
      if (event.kind === 'begun') {
        const end = () => void post('/stop', { run: event.run });
        stop?.addEventListener('abort', end, { signal: over.signal });
        if (stop?.aborted) end();
        continue;
      }
      ran = withEvent(ran, event);
      if (!signal?.aborted) onStep(ran);
    }
  } catch (error) {
    if (signal?.aborted) return ran;
    return { ...ran, problem: { message: String(error) } };
  } finally {
    over.abort();
  }
  return ran;
}

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-console-key': key },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

function withEvent(ran: Ran, event: Exclude<ConsoleEvent, { kind: 'begun' }>): Ran {
  switch (event.kind) {
    case 'document':
      return { ...ran, document: event.document };
    case 'note':
      return { ...ran, notes: [...ran.notes, event.text] };
    case 'problem':
      return { ...ran, problem: event };
    case 'progress':
      return { ...ran, progress: event };
    case 'end':
      return { ...ran, code: event.code };
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (done) return;
  }
}
