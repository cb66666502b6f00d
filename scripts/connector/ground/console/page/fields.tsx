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
  /** The values of fields that must not be left empty stand in no field yet. */
  readonly isRequired?: boolean;
  readonly children?: ComponentChildren;
}

/** Fields of a command's options, and its buttons. */
export function Form(props: FormProps) {
  const { id, class: kind, onSubmit, onInput, fields, isRequired, children } = props;
  const flags = fields.filter(({ type }) => type === 'flag').map(({ name }) => name);
  return (
    <form
      id={id}
      class={kind}
      onInput={onInput}
      onSubmit={(event) => {
        event.preventDefault();
        const given = [...new FormData(event.currentTarget)]
          .map(([name, value]) => [name, String(value).trim()] as const)
          .filter(([, value]) => value !== '')
          .map(([name, value]) => [name, flags.includes(name) ? true : value] as const);
        onSubmit(Object.fromEntries(given));
      }}
    >
      {fields.map((field) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: Input is one
        <label key={field.name} class={field.type === 'flag' ? 'flag' : undefined}>
          <span>{field.label}</span>
          <Input field={field} isAction={isRequired === true} />
        </label>
      ))}
      {children}
    </form>
  );
}

function Input({ field, isAction }: { readonly field: Field; readonly isAction: boolean }) {
  const { name, value = '', of, type = 'text' } = field;
  const isRequired = isAction && field.value === undefined;
  if (type === 'flag') {
    return <input type="checkbox" name={name} value="true" defaultChecked={value !== ''} />;
  }
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
      {!Object.hasOwn(of, '') && (
        <option value="">{isRequired ? 'choose' : isAction ? 'all' : 'any'}</option>
      )}
      {Object.entries(of).map(([one, label]) => (
        <option value={one} key={one} selected={one === value}>
          {label}
        </option>
      ))}
    </select>
  );
}
