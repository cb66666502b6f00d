import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Line, type Progress, type Ran, run } from './run.ts';

/** A question that is asked when a view opens, and again when it changes. */
export interface Question<Document> {
  /** Undefined when nothing is asked. */
  readonly line: Line | undefined;
  /** The newest answer; the one before stays while a new one is on its way. */
  readonly ran: Ran<Document> | undefined;
  readonly progress: Progress | undefined;
  readonly isAsking: boolean;
  /** When the answer came: epoch milliseconds. */
  readonly at: number | undefined;
  askAgain(): void;
}

/** Asks a command that changes nothing. Undefined as a line asks nothing. */
export function useQuestion<Document>(line: Line | undefined): Question<Document> {
  const [state, setState] = useState<Omit<Question<Document>, 'askAgain' | 'line'>>(NOTHING);
  const controller = useRef<AbortController | undefined>(undefined);
  const wanted = line === undefined ? undefined : JSON.stringify(line);

  const ask = useCallback(async () => {
    controller.current?.abort();
    if (wanted === undefined) return setState(NOTHING);
    const own = new AbortController();
    controller.current = own;
    setState((before) => ({ ...before, isAsking: true, progress: undefined }));
    const ran = await run<Document>(JSON.parse(wanted), {
      signal: own.signal,
      onProgress: (progress) => {
        if (!own.signal.aborted) setState((before) => ({ ...before, progress }));
      },
    });
    if (own.signal.aborted) return;
    setState({ ran, isAsking: false, progress: undefined, at: Date.now() });
  }, [wanted]);

  useEffect(() => {
    setState(NOTHING);
    void ask();
    return () => controller.current?.abort();
  }, [ask]);

  return { ...state, line, askAgain: () => void ask() };
}

/**
 * Asks again as long as the page is visible: each time costs requests to AWS. An answer that takes longer is waited
 * for. Without it, only a person asks.
 */
export function useRefresh(question: Question<unknown>, everyMs: number | undefined): void {
  const newest = useRef(question);
  newest.current = question;
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    let askedAt = Date.now();
    const askIfSeen = () => {
      // Half: a timer is not exact.
      if (document.visibilityState !== 'visible' || Date.now() - askedAt < everyMs / 2) return;
      if (newest.current.isAsking) return;
      askedAt = Date.now();
      newest.current.askAgain();
    };
    const timer = setInterval(askIfSeen, everyMs);
    // A person who comes back sees the present, not what the page showed when it was left.
    document.addEventListener('visibilitychange', askIfSeen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', askIfSeen);
    };
  }, [everyMs]);
}

const NOTHING = { ran: undefined, progress: undefined, isAsking: false, at: undefined } as const;
