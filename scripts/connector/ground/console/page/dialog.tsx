import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { REMOVES } from '../../session/command-kinds.ts';
import { completeLine, type Field, type Suggestion } from '../../terminal/document.ts';
import type { Options } from '../../terminal/line.ts';
import type { Ran } from '../run-command.ts';
import { Answer, Underway } from './blocks.tsx';
import { about, open, place } from './place.ts';
import { onlyLooks } from './route.ts';
import { run, useQuestion } from './run.ts';
import { action, InTerminal } from './suggestion.tsx';

/** Counts the changes that were made here, so that the page asks again. */
export const changes = signal(0);

/** What had the focus may be gone: the next Tab then begins at the content, not at the start of the page. */
export function keepFocus(): void {
  if (document.activeElement === document.body) document.querySelector('h1')?.focus();
}

/**
 *   fields ──▶ preview ──▶ agreed ──▶ runs ──▶ ended
 *                                      └─stop─▶ (ends in order)
 *
 * Fields only where a person must add something; a preview only where the command has one.
 */
export function ActionDialog({ suggestion }: { readonly suggestion: Suggestion }) {
  const { label, line, say, asks = [] } = suggestion;
  const { yes: _, ...options } = line.options;
  const hasPreview = about.previewed.includes(line.command);
  const dialog = useRef<HTMLDialogElement>(null);
  const stop = useRef(new AbortController());
  const [running, setRunning] = useState<Ran>();
  const [isStopping, setStopping] = useState(false);
  const [ended, setEnded] = useState<Ran>();
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
    const asked = agreed?.line ?? line;
    const complete = { ...asked, options: { ...asked.options, ...entered } };
    if (onlyLooks(line.command)) {
      open(complete);
      return;
    }
    setRunning({});
    setEnded(await run(complete, { stop: stop.current.signal, onStep: setRunning }));
  };

  const hasEnded = useRef(false);
  hasEnded.current = ended !== undefined;
  useEffect(() => {
    dialog.current?.showModal();
    return () => {
      stop.current.abort();
      if (hasEnded.current) changes.value += 1;
    };
  }, []);
  // It is about what the page showed.
  const opened = useRef(place.value);
  useEffect(() => {
    if (place.value !== opened.current) dialog.current?.close();
  }, [place.value]);
  const phase = ended ? 'ended' : running ? 'runs' : preview ? 'preview' : 'fields';
  useEffect(() => {
    if (phase === 'fields' && document.activeElement?.closest('#action')) return;
    dialog.current?.querySelector<HTMLElement>('.first')?.focus();
  }, [phase]);

  const isRunning = phase === 'runs';
  const needsPreview = hasPreview && !given;
  const isPreviewing = hasPreview && given && !preview;
  const title = ended?.document?.title ?? (running ? undefined : preview?.document?.title);
  const removes = REMOVES.has(line.command) && !needsPreview;
  const mayAgree = agreed && !ended;
  return (
    <dialog
      ref={dialog}
      aria-labelledby="action-title"
      onCancel={(event) => isRunning && event.preventDefault()}
      onClose={() => {
        action.value = undefined;
        keepFocus();
      }}
    >
      <h2 id="action-title">{title ?? agreed?.label ?? label}</h2>
      {!running && (
        <Form
          id="action"
          class="fields"
          fields={asks}
          onInput={() => setGiven(undefined)}
          onSubmit={(entered) => (needsPreview ? setGiven(entered) : void runIt(entered))}
        />
      )}
      {!hasPreview && !running && say && <p>{say.replace(/:$/, '.')}</p>}
      {isPreviewing && <Underway ran={question.asking} doing="Loading the preview" />}
      {preview && !running && <Outcome ran={preview} command={line.command} agreed={agreed} />}
      {isRunning && (
        <Underway ran={running} doing={isStopping ? 'Stopping after the current step' : label} />
      )}
      {ended && <Outcome ran={ended} command={line.command} />}
      <div class="buttons">
        {isRunning ? (
          <button
            type="button"
            class="first"
            disabled={isStopping}
            onClick={() => {
              setStopping(true);
              stop.current.abort();
            }}
          >
            Stop
          </button>
        ) : (
          <>
            {mayAgree && (
              <button
                type="submit"
                form="action"
                class={removes ? 'removes' : 'first'}
                disabled={isPreviewing}
              >
                {needsPreview ? 'Preview' : agreed.label}
              </button>
            )}
            <button
              type="button"
              class={mayAgree && !removes && !isPreviewing ? undefined : 'first'}
              onClick={() => dialog.current?.close()}
            >
              {mayAgree ? 'Cancel' : 'Close'}
            </button>
            {mayAgree && <InTerminal line={completeLine(agreed)} />}
          </>
        )}
      </div>
    </dialog>
  );
}

interface OutcomeProps {
  readonly ran: Ran;
  readonly command: string;
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

interface FormProps {
  readonly id?: string;
  readonly class: string;
  /** What was entered or chosen, without what was left empty. */
  readonly onSubmit: (given: Options) => void;
  readonly onInput?: () => void;
  readonly fields: readonly Field[];
  readonly children?: ComponentChildren;
}

export function Form(props: FormProps) {
  const { id, class: kind, onSubmit, onInput, fields, children } = props;
  return (
    <form
      id={id}
      class={kind}
      onInput={onInput}
      onSubmit={(event) => {
        event.preventDefault();
        const given = [...new FormData(event.currentTarget)]
          .map(([name, value]) => [name, String(value).trim()] as const)
          .filter(([, value]) => value !== '');
        onSubmit(Object.fromEntries(given));
      }}
    >
      {fields.map((field) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: Input is one
        <label key={field.name}>
          <span>{field.label}</span>
          <Input field={field} />
        </label>
      ))}
      {children}
    </form>
  );
}

/** One that has no value must not be left empty. */
function Input({ field }: { readonly field: Field }) {
  const { name, value = '', of, type = 'text' } = field;
  const own = { name, required: field.value === undefined };
  if (!of) return <input {...own} type={type} defaultValue={value} autocomplete="off" />;
  return (
    <select {...own}>
      {!Object.hasOwn(of, '') && <option value="">{own.required ? 'choose' : 'all'}</option>}
      {Object.entries(of).map(([one, label]) => (
        <option value={one} key={one} selected={one === value}>
          {label}
        </option>
      ))}
    </select>
  );
}
