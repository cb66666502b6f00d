import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Line } from '../../terminal/line.ts';
import type { Ran } from '../run-command.ts';
import { contentOf } from './place.ts';

interface RunOptions {
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
  let ran: Ran = {};
  const over = new AbortController();
  try {
    const response = await post('/run', line, signal);
    if (!response.ok || !response.body) return { problem: { message: await response.text() } };
    for await (const text of linesOf(response.body)) {
      const said: Ran = JSON.parse(text);
      ran = { ...ran, ...said };
      if (said.run !== undefined) {
        const end = () => void post('/stop', { run: said.run });
        stop?.addEventListener('abort', end, { signal: over.signal });
        if (stop?.aborted) end();
      }
      if (!signal?.aborted) onStep(ran);
    }
    return ran;
  } catch (error) {
    return signal?.aborted ? ran : { ...ran, problem: { message: String(error) } };
  } finally {
    over.abort();
  }
}

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-console-key': key },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    const lines = `${rest}${decoder.decode(value, { stream: !done })}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (done) return;
  }
}

/** A question that is asked when a view opens, and again when it changes. */
export interface Question {
  /** The newest answer; the one before stays while a new one is on its way. */
  readonly ran?: Ran | undefined;
  /** What the command has said that is under way. */
  readonly asking?: Ran | undefined;
  /** When the answer came: epoch milliseconds. */
  readonly at?: number | undefined;
  /** Undefined when another question was asked meanwhile. */
  askAgain(): Promise<Ran | undefined>;
  /** What was answered before stays. */
  stop(): void;
}

type State = Pick<Question, 'ran' | 'asking' | 'at'> & {
  readonly of?: string | undefined;
};

/** Asks a command that changes nothing, and asks again where the answer says so. Undefined as a line asks nothing. */
export function useQuestion(line: Line | undefined): Question {
  const wanted = line === undefined ? undefined : JSON.stringify(line);
  const [last, setLast] = useState<State>({});
  const controller = useRef<AbortController | undefined>(undefined);
  // The answer to another line is not shown for a moment, either.
  const state: State = last.of === wanted ? last : wanted === undefined ? {} : { asking: {} };

  const askAgain = useCallback(async () => {
    controller.current?.abort();
    if (wanted === undefined) return undefined;
    const own = new AbortController();
    controller.current = own;
    const change = (to: State) =>
      setLast((before) => ({ ...(before.of === wanted && before), ...to, of: wanted }));
    change({ asking: {} });
    const ran = await run(JSON.parse(wanted), {
      signal: own.signal,
      onStep: (asking) => change({ asking }),
    });
    if (own.signal.aborted) return undefined;
    change({ ran, asking: undefined, at: Date.now() });
    return ran;
  }, [wanted]);

  useEffect(() => {
    void askAgain();
    return () => controller.current?.abort();
  }, [askAgain]);

  // Only as long as the page is visible: each time costs requests to AWS. A slow answer is waited for.
  const { at, ran } = state;
  // Each look at personal data is recorded: a person asks for it.
  const fresh = line?.options.reveal === true ? undefined : ran?.document?.freshSeconds;
  useEffect(() => {
    if (at === undefined || fresh === undefined) return undefined;
    const over = new AbortController();
    const askIfSeen = () => {
      if (document.visibilityState !== 'visible' || Date.now() < at + fresh * 1000) return;
      over.abort();
      void askAgain();
    };
    const timer = setTimeout(askIfSeen, fresh * 1000);
    // A person who comes back sees the present, not what the page showed when it was left.
    document.addEventListener('visibilitychange', askIfSeen, over);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [at, fresh, askAgain]);

  const stop = () => {
    controller.current?.abort();
    setLast((before) => ({ ...before, asking: undefined }));
  };
  return { ...state, askAgain, stop };
}
