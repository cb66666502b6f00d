import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Line } from '../../document/line.ts';
import { type Progress, type Ran, run } from './run.ts';

/** A question that is asked when a view opens, and again when it changes. */
export interface Question {
  /** The newest answer; the one before stays while a new one is on its way. */
  readonly ran: Ran | undefined;
  readonly progress: Progress | undefined;
  readonly isAsking: boolean;
  /** When the answer came: epoch milliseconds. */
  readonly at: number | undefined;
  askAgain(): void;
  /** What was answered before stays. */
  stop(): void;
}

type State = Omit<Question, 'askAgain' | 'stop'> & {
  /** The line that was asked, as text. */
  readonly of: string | undefined;
};

/**
 * Asks a command that changes nothing, and asks again where the answer says so. Undefined as a line asks nothing.
 */
export function useQuestion(line: Line | undefined): Question {
  const wanted = line === undefined ? undefined : JSON.stringify(line);
  const [last, setLast] = useState<State>({ ...NOTHING, of: undefined });
  const controller = useRef<AbortController | undefined>(undefined);
  // The answer to another line is not shown for a moment, either.
  const state = last.of === wanted ? last : { ...NOTHING, isAsking: wanted !== undefined };

  const ask = useCallback(async () => {
    controller.current?.abort();
    if (wanted === undefined) return;
    const own = new AbortController();
    controller.current = own;
    const change = (to: Partial<State>) =>
      setLast((before) => ({ ...(before.of === wanted ? before : NOTHING), ...to, of: wanted }));
    change({ isAsking: true, progress: undefined });
    const ran = await run(JSON.parse(wanted), {
      signal: own.signal,
      onProgress: (progress) => {
        if (!own.signal.aborted) change({ progress });
      },
    });
    if (own.signal.aborted) return;
    change({ ran, isAsking: false, progress: undefined, at: Date.now() });
  }, [wanted]);

  useEffect(() => {
    void ask();
    return () => controller.current?.abort();
  }, [ask]);

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
      void ask();
    };
    const timer = setTimeout(askIfSeen, fresh * 1000);
    // A person who comes back sees the present, not what the page showed when it was left.
    document.addEventListener('visibilitychange', askIfSeen, over);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [at, fresh, ask]);

  const stop = () => {
    controller.current?.abort();
    setLast((before) => ({ ...before, isAsking: false, progress: undefined }));
  };
  return { ...state, askAgain: () => void ask(), stop };
}

const NOTHING = { ran: undefined, progress: undefined, isAsking: false, at: undefined } as const;
