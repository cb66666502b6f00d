import type { ComponentChildren } from 'preact';
import type { Field } from '../../terminal/document.ts';
import type { Options } from '../../terminal/line.ts';

interface FormProps {
  readonly id?: string;
  readonly class: string;
  /** What was entered or chosen, without what was left empty. */
  readonly onSubmit: (given: Options) => void;
  readonly onInput?: () => void;
  readonly fields: readonly Field[];
  readonly children?: ComponentChildren;
}

/** Fields of a command's options, and its buttons. */
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
  const isRequired = field.value === undefined;
  if (!of) {
    return (
      <input
        type={type}
        name={name}
        defaultValue={value}
        required={isRequired}
        autocomplete="off"
      />
    );
  }
  return (
    <select name={name} required={isRequired}>
      {!Object.hasOwn(of, '') && <option value="">{isRequired ? 'choose' : 'all'}</option>}
      {Object.entries(of).map(([one, label]) => (
        <option value={one} key={one} selected={one === value}>
          {label}
        </option>
      ))}
    </select>
  );
}
