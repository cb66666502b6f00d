import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { completeLine, type Suggestion } from '../../document/document.ts';
import type { Options } from '../../document/line.ts';
import { about } from './about.ts';
import { Answer, ProgressText } from './answer.tsx';
import { Form } from './fields.tsx';
import { open, place } from './place.ts';
import { onlyLooks } from './route.ts';
import { type Progress, type Ran, run } from './run.ts';
import { action, CommandText } from './suggestion.tsx';
import { useQuestion } from './use-question.ts';

/** Counts the changes that were made here, so that the page asks again. */
export const changes = signal(0);

/**
 *   fields ──▶ preview ──▶ agreed ──▶ runs ──▶ ended
 *                                      └─stop─▶ (ends in order)
 *
 * Fields only where a person must add something; a preview only where the command has one.
 */
type State = 'asks' | 'runs' | 'stops' | 'ended';

/** Asks, runs a command with progress and a stop button, and shows how it ended. */
export function ActionDialog({ suggestion }: { readonly suggestion: Suggestion }) {
  const { label, line, asks = [] } = suggestion;
  const { yes: _, ...options } = line.options;
  const hasPreview = about.previewed.includes(line.command);
  const dialog = useRef<HTMLDialogElement>(null);
  const buttons = useRef<HTMLParagraphElement>(null);
  const controller = useRef<AbortController | undefined>(undefined);
  const hasRun = useRef(false);
  const [state, setState] = useState<State>('asks');
  const [ran, setRan] = useState<Ran>();
  const [progress, setProgress] = useState<Progress>();
  /** Undefined until all fields are filled in. */
  const [given, setGiven] = useState<Options | undefined>(asks.length === 0 ? {} : undefined);
  const wanted = { ...line, options: { ...options, ...given } };
  const question = useQuestion(hasPreview && given ? wanted : undefined);
  const preview = question.ran;
  const isAgreement = (one: Suggestion) =>
    one.line.command === line.command && one.line.options.yes === true;
  /** What the preview says to agree to; undefined where it says that nothing can be done. */
  const agreed = preview ? preview.document?.next?.find(isAgreement) : suggestion;

  const runIt = async (entered: Options) => {
    const { options: own } = agreed?.line ?? line;
    const asked = { ...(agreed?.line ?? line), options: { ...own, ...entered } };
    if (onlyLooks(line.command)) {
      open(asked);
      return;
    }
    controller.current = new AbortController();
    setState('runs');
    setRan(await run(asked, { stop: controller.current.signal, onProgress: setProgress }));
    hasRun.current = true;
    setState('ended');
  };
  const stop = () => {
    setState('stops');
    controller.current?.abort();
  };

  useEffect(() => {
    dialog.current?.showModal();
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
  }, [state, preview]);

  const isRunning = state === 'runs' || state === 'stops';
  const needsPreview = hasPreview && !given;
  const isPreviewing = hasPreview && given && !preview;
  return (
    <dialog
      ref={dialog}
      aria-labelledby="action-title"
      onCancel={(event) => isRunning && event.preventDefault()}
      onClose={() => {
        action.value = undefined;
      }}
    >
      <h2 id="action-title">{(ran ?? preview)?.document?.title ?? label}</h2>
      {!isRunning && !ran && (
        <>
          <Form
            {...{ id: 'action', class: 'fields', fields: asks, isRequired: true }}
            onInput={() => setGiven(undefined)}
            onSubmit={(entered) => (needsPreview ? setGiven(entered) : void runIt(entered))}
          />
          {preview && <Outcome ran={preview} command={line.command} agreed={agreed} />}
          {isPreviewing && (
            <ProgressText progress={question.progress} otherwise="Asking what it would do…" />
          )}
          <details class="in-terminal">
            <summary>The same in a terminal</summary>
            <CommandText line={completeLine(agreed ?? suggestion)} />
          </details>
        </>
      )}
      {state === 'runs' && <ProgressText progress={progress} otherwise="Running…" />}
      {state === 'stops' && <p role="status">Stopping after what is under way…</p>}
      {ran && <Outcome ran={ran} command={line.command} />}
      <p class="buttons" ref={buttons}>
        {isRunning ? (
          <button type="button" onClick={stop} disabled={state === 'stops'}>
            Stop
          </button>
        ) : (
          <>
            {agreed && !ran && (
              <button type="submit" form="action" disabled={isPreviewing}>
                {needsPreview ? 'Preview' : agreed.label}
              </button>
            )}
            <button type="button" onClick={() => dialog.current?.close()}>
              {agreed && !ran ? 'Cancel' : 'Close'}
            </button>
          </>
        )}
      </p>
    </dialog>
  );
}

interface OutcomeProps {
  readonly ran: Ran;
  readonly command: string;
  /** Stands on the button of the dialog. */
  readonly agreed?: Suggestion | undefined;
}

function Outcome({ ran, command, agreed }: OutcomeProps) {
  const { document } = ran;
  const next = document?.next?.filter((one) => one !== agreed) ?? [];
  const shown = document ? { ...ran, document: { ...document, next } } : ran;
  return (
    <div>
      <Answer ran={shown} command={command} level={3} />
    </div>
  );
}
