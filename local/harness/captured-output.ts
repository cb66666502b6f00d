import { readJsonObject } from '../sandbox-kit/http/requests.ts';

export interface CapturedOutput {
  /** The chunks written so far, in order. */
  readonly pieces: readonly string[];
  /** The lines that are JSON objects: logs and metrics. */
  lines(): readonly Readonly<Record<string, unknown>>[];
  stop(): void;
}

const METHODS = ['log', 'info', 'warn', 'error', 'debug'] as const;

/** Captures the console, too: in a test it does not write to the standard streams. */
export function captureOutput(): CapturedOutput {
  const pieces: string[] = [];
  const undo: (() => void)[] = [];

  for (const method of METHODS) {
    const original = console[method];
    console[method] = (...words: readonly unknown[]) => {
      pieces.push(words.map(asText).join(' '));
    };
    undo.push(() => {
      console[method] = original;
    });
  }
  for (const stream of [process.stdout, process.stderr]) {
    const original = stream.write;
    stream.write = (chunk: string | Uint8Array) => {
      pieces.push(typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk));
      return true;
    };
    undo.push(() => {
      stream.write = original;
    });
  }
  return {
    pieces,
    lines: () =>
      pieces
        .flatMap((piece) => piece.split('\n'))
        .map(readJsonObject)
        .filter((fields) => fields !== undefined),
    stop: () => {
      for (const restore of undo) restore();
    },
  };
}

function asText(word: unknown): string {
  if (typeof word === 'string') return word;
  return word instanceof Error ? `${word.stack} ${String(word.cause)}` : JSON.stringify(word);
}
