import { useEffect, useRef, useState } from 'preact/hooks';
import { type Action, action } from '../action.ts';
import { type Progress, type Ran, runForText } from '../run.ts';
import { ProblemText, ProgressText } from './answer.tsx';
import { InTerminal } from './suggestion.tsx';

/** Asks, runs a command with progress and a stop button, and shows how it ended. */
export function ActionDialog({ title, line, preview, children, onEnd }: Action) {
  const dialog = useRef<HTMLDialogElement>(null);
  const controller = useRef<AbortController | undefined>(undefined);
  const [ran, setRan] = useState<Ran<never>>();
  const [previewed, setPreviewed] = useState<Ran<never>>();
  const [progress, setProgress] = useState<Progress>();
  const [state, setState] = useState<'asks' | 'runs' | 'stops' | 'ended'>('asks');
  const previewLine = JSON.stringify(preview);

  useEffect(() => {
    dialog.current?.showModal();
    return () => controller.current?.abort();
  }, []);
  useEffect(() => {
    if (previewLine === undefined) return undefined;
    const own = new AbortController();
    const settings = { signal: own.signal, onProgress: setProgress };
    void runForText(JSON.parse(previewLine), settings).then((one) => {
      if (own.signal.aborted) return;
      setPreviewed(one);
      setProgress(undefined);
    });
    return () => own.abort();
  }, [previewLine]);

  const runIt = async () => {
    const own = new AbortController();
    controller.current = own;
    setState('runs');
    const ended = await runForText(line, { stop: own.signal, onProgress: setProgress });
    setRan(ended);
    setState('ended');
    onEnd?.();
  };
  const stop = () => {
    setState('stops');
    controller.current?.abort();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby="action-title"
      onCancel={(event) => state !== 'asks' && state !== 'ended' && event.preventDefault()}
      onClose={() => {
        action.value = undefined;
      }}
    >
      <h2 id="action-title">{title}</h2>
      {state === 'asks' && children}
      {state === 'asks' && preview && !previewed && (
        <p role="status">{progress ? <ProgressText progress={progress} /> : 'Asking…'}</p>
      )}
      {state === 'asks' && previewed && <Outcome ran={previewed} />}
      {(state === 'runs' || state === 'stops') && (
        <p role="status">
          {state === 'stops' ? (
            'Stopping after what is under way…'
          ) : progress ? (
            <ProgressText progress={progress} />
          ) : (
            'Running…'
          )}
        </p>
      )}
      {ran && (
        <div role="status">
          <p class={`badge ${ran.code === 0 ? 'well' : 'bad'}`}>{endText(ran)}</p>
          <Outcome ran={ran} />
        </div>
      )}
      {state === 'asks' && <InTerminal line={line} />}
      <p class="buttons">
        {state === 'asks' && (
          <button type="button" onClick={() => void runIt()} disabled={preview && !previewed}>
            Do it
          </button>
        )}
        {state === 'runs' && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
        {(state === 'asks' || state === 'ended') && (
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            {state === 'asks' ? 'Cancel' : 'Close'}
          </button>
        )}
      </p>
    </dialog>
  );

  function endText({ code }: Ran<never>): string {
    if (code === 0) return 'Done';
    return code === undefined || code === 130 ? 'Stopped' : 'Not done';
  }
}

function Outcome({ ran }: { readonly ran: Ran<never> }) {
  return (
    <>
      {ran.problem && <ProblemText problem={ran.problem} />}
      {ran.text.trim() !== '' && <pre>{ran.text.trimEnd()}</pre>}
      {ran.notes.map((note) => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
    </>
  );
}
