import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { agoText, momentText } from '../words.ts';

type Values = Readonly<Record<string, string>>;

interface FormProps {
  readonly class: string;
  /** What was entered or chosen, without what was left empty, and the value of the pressed button. */
  readonly onSubmit: (values: Values, pressed: string) => void;
  readonly children: ComponentChildren;
}

export function Form({ class: kind, onSubmit, children }: FormProps) {
  return (
    <form
      class={kind}
      onSubmit={(event) => {
        event.preventDefault();
        const given = [...new FormData(event.currentTarget)]
          .map(([name, value]) => [name, String(value).trim()] as const)
          .filter(([, value]) => value !== '');
        const { submitter } = event;
        const pressed = submitter instanceof HTMLButtonElement ? submitter.value : '';
        onSubmit(Object.fromEntries(given), pressed);
      }}
    >
      {children}
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  /** Values, or values with their names. */
  readonly of: readonly string[] | Values;
  /** The name of the empty value; without it, one must be chosen. */
  readonly any?: string;
  readonly chosen?: string | undefined;
}

export function Choice({ label, name, of, any, chosen }: ChoiceProps) {
  const named = Array.isArray(of) ? of.map((one) => [one, one] as const) : Object.entries(of);
  return (
    <label>
      {label}{' '}
      <select name={name}>
        {any !== undefined && <option value="">{any}</option>}
        {named.map(([value, shown]) => (
          <option value={value} key={value} selected={value === chosen}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Tick({
  label,
  isSet,
  onChange,
}: {
  readonly label: string;
  readonly isSet: boolean;
  readonly onChange: (isSet: boolean) => void;
}) {
  return (
    <label>
      <input
        type="checkbox"
        checked={isSet}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />{' '}
      {label}
    </label>
  );
}

/** How long ago, with the moment itself for who wants to know. */
export function Ago({ at }: { readonly at: string | number }) {
  return <span title={momentText(at)}>{agoText(at)}</span>;
}

interface SearchProps {
  readonly label: string;
  readonly hint: string;
  readonly button: string;
  readonly onSearch: (text: string) => void;
}

/** What is typed may be an e-mail address, so it does not become a part of the page's address. */
export function SearchBox({ label, hint, button, onSearch }: SearchProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        const text = input.current?.value.trim() ?? '';
        if (text !== '') onSearch(text);
      }}
    >
      <label for="search">{label}</label>
      <span class="filters">
        <input
          {...{ ref: input, id: 'search', type: 'search', autocomplete: 'off', spellcheck: false }}
          aria-describedby="search-hint"
        />
        <button type="submit">{button}</button>
      </span>
      <span id="search-hint" class="soft">
        {hint}
      </span>
    </form>
  );
}
