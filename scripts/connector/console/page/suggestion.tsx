import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { completeLine, type Suggestion } from '../../document/document.ts';
import { type Line, lineText } from '../../document/line.ts';
import { about, isOffered } from './about.ts';
import { open } from './place.ts';
import { hrefOf, isPrivate, onlyLooks } from './route.ts';

/** The change that a person is asked about, in the dialog. */
export const action = signal<Suggestion | undefined>(undefined);

/** What only looks is a link, what changes something a button; what this console does not offer is a text to copy. */
export function Suggestions({ of }: { readonly of: readonly Suggestion[] }) {
  if (of.length === 0) return null;
  // Those with a sentence have a line of their own: the others stand together, behind the most useful one.
  const [first, ...others] = of;
  const inOrder = [
    first,
    ...others.toSorted((one, other) => Number(!!one.say) - Number(!!other.say)),
  ];
  return (
    <ul class="suggestions">
      {inOrder
        .flatMap((one) => one ?? [])
        .map((one) => (
          <li key={`${one.label} ${hrefOf(one.line)}`}>
            {one.say !== undefined && <span>{one.say}</span>}
            <Offer suggestion={one} />
          </li>
        ))}
    </ul>
  );
}

function Offer({ suggestion }: { readonly suggestion: Suggestion }) {
  const { label, line, asks = [] } = suggestion;
  if (!isOffered(line.command)) {
    return (
      <>
        <span>{label}: </span>
        <span class="soft">
          {about.readOnly && !onlyLooks(line.command)
            ? 'this console only looks. Someone who may change things runs'
            : 'not offered here. In a terminal:'}
        </span>
        <CommandText line={completeLine(suggestion)} />
      </>
    );
  }
  if (onlyLooks(line.command) && asks.length === 0) {
    return (
      <LineLink line={line} class="button">
        {label}
      </LineLink>
    );
  }
  return (
    <button
      type="button"
      onClick={() => {
        action.value = suggestion;
      }}
    >
      {label}
    </button>
  );
}

/** Opens another document. What may not be in an address is a button. */
export function LineLink({
  line,
  class: kind,
  children,
}: {
  readonly line: Line;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  if (isPrivate(line)) {
    return (
      <button type="button" class={kind ?? 'link'} onClick={() => open(line)}>
        {children}
      </button>
    );
  }
  return (
    <a class={kind} href={hrefOf(line)}>
      {children}
    </a>
  );
}

/** The line for a terminal that does the same. */
export function CommandText({ line }: { readonly line: Line }) {
  return <Copied text={lineText(line, about)} />;
}

export function Copied({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copyIt = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="quiet" onClick={() => void copyIt()}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}
