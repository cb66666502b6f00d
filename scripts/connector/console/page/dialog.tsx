import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { completeLine, type Suggestion } from '../../document/document.ts';
import type { Options } from '../../document/line.ts';
import { Answer, ProgressText } from './answer.tsx';
import { Form } from './fields.tsx';
import { open, place } from './place.ts';
import { onlyLooks } from './route.ts';
import { type Progress, type Ran, run } from './run.ts';
import { action, CommandText } from './suggestion.tsx';

/** Counts the changes that were made here, so that the page asks again. */
export const changes = signal(0);

/**
 *   fields ──▶ preview ──▶ agreed ──▶ runs ──▶ ended
 *                                      └─stop─▶ (ends in order)
 *
 * Fields only where a person must add something; a preview only where the command has one: it then takes `--yes`.
 */
type State = 'asks' | 'previews' | 'runs' | 'stops' | 'ended';

/** Asks, runs a command with progress and a stop button, and shows how it ended. */
export function ActionDialog({ suggestion }: { readonly suggestion: Suggestion }) {
  const { label, line, asks = [] } = suggestion;
  const { yes = false, ...options } = line.options;
  const hasPreview = yes === true;
  const dialog = useRef<HTMLDialogElement>(null);
  const buttons = useRef<HTMLParagraphElement>(null);
  const hasRun = useRef(false);
  const controller = useRef<AbortController | undefined>(undefined);
  const [state, setState] = useState<State>('asks');
  const [given, setGiven] = useState<Options>({});
  const [preview, setPreview] = useState<Ran>();
  const [ran, setRan] = useState<Ran>();
  const [progress, setProgress] = useState<Progress>();

  const previewIt = async (entered: Options) => {
    const own = new AbortController();
    controller.current = own;
    setGiven(entered);
    setState('previews');
    const asked = { ...line, options: { ...options, ...entered } };
    const shown = await run(asked, { signal: own.signal, onProgress: setProgress });
    if (own.signal.aborted) return;
    setProgress(undefined);
    setPreview(shown);
    setState('asks');
  };
  /** What the preview says to agree to; undefined where it says that nothing can be done. */
  const agreed = preview ? preview.document?.next?.find(isAgreement) : suggestion;
  const runIt = async (entered: Options) => {
    const wanted = agreed?.line ?? line;
    const asked = { ...wanted, options: { ...wanted.options, ...entered } };
    if (onlyLooks(line.command)) {
      open(asked);
      return;
    }
    const own = new AbortController();
    controller.current = own;
    setState('runs');
    setRan(await run(asked, { stop: own.signal, onProgress: setProgress }));
    hasRun.current = true;
    setState('ended');
  };
  const stop = () => {
    setState('stops');
    controller.current?.abort();
  };

  useEffect(() => {
    dialog.current?.showModal();
    if (hasPreview && asks.length === 0) void previewIt({});
    return () => {
      controller.current?.abort();
      if (hasRun.current) changes.value += 1;
    };
  }, []);
  // It is about what the page showed.
  const opened = useRef(place.value);
  useEffect(() => {
    if (place.value !== opened.current) dialog.current?.close();
  }, [place.value]);
  useEffect(() => {
    // A button that had the focus may be gone.
    if (!dialog.current?.contains(document.activeElement)) {
      buttons.current?.querySelector<HTMLElement>('button:enabled')?.focus();
    }
  }, [state]);

  const isRunning = state === 'runs' || state === 'stops';
  const needsPreview = hasPreview && !preview;
  return (
    <dialog
      ref={dialog}
      aria-labelledby="action-title"
      onCancel={(event) => isRunning && event.preventDefault()}
      onClose={() => {
        action.value = undefined;
      }}
    >
      <h2 id="action-title">{label}</h2>
      {!isRunning && !ran && (
        <>
          <Form
            {...{ id: 'action', class: 'fields', fields: asks, isRequired: true }}
            onInput={() => setPreview(undefined)}
            onSubmit={(entered) => void (needsPreview ? previewIt(entered) : runIt(entered))}
          />
          {preview && <Outcome ran={withoutAgreement(preview)} command={line.command} />}
          {state === 'previews' && (
            <ProgressText progress={progress} otherwise="Asking what it would do…" />
          )}
          <details class="in-terminal">
            <summary>The same in a terminal</summary>
            <CommandText
              line={completeLine({
                ...suggestion,
                line: { ...line, options: { ...line.options, ...given } },
              })}
            />
          </details>
          <p class="buttons" ref={buttons}>
            {agreed && (
              <button type="submit" form="action" disabled={state === 'previews'}>
                {needsPreview ? 'Preview' : agreed.label}
              </button>
            )}
            <button type="button" onClick={() => dialog.current?.close()}>
              {agreed ? 'Cancel' : 'Close'}
            </button>
          </p>
        </>
      )}
      {isRunning && (
        <>
          {state === 'runs' && <ProgressText progress={progress} otherwise="Running…" />}
          {state === 'stops' && <p role="status">Stopping after what is under way…</p>}
          <p class="buttons" ref={buttons}>
            <button type="button" onClick={stop} disabled={state === 'stops'}>
              Stop
            </button>
          </p>
        </>
      )}
      {ran && (
        <>
          <Outcome ran={ran} command={line.command} />
          <p class="buttons" ref={buttons}>
            <button type="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </p>
        </>
      )}
    </dialog>
  );
}

/** Belongs on the button of the dialog. */
const isAgreement = ({ line }: Suggestion) => line.options.yes === true;

function withoutAgreement(ran: Ran): Ran {
  const { document } = ran;
  if (!document?.next) return ran;
  const next = document.next.filter((one) => !isAgreement(one));
  return { ...ran, document: { ...document, next } };
}

function Outcome({ ran, command }: { readonly ran: Ran; readonly command: string }) {
  return (
    <div class="outcome">
      {ran.document && <h3>{ran.document.title}</h3>}
      <Answer ran={ran} command={command} level={4} />
    </div>
  );
}
