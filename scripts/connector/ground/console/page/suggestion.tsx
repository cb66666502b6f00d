import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { REMOVES } from '../../session/command-kinds.ts';
import { completeLine, type Suggestion } from '../../terminal/document.ts';
import { type Line, lineText } from '../../terminal/line.ts';
import { about, isOffered, open } from './place.ts';
import { hrefOf, isPrivate, onlyLooks } from './route.ts';

/** The change that a person is asked about, in the dialog. */
export const action = signal<Suggestion | undefined>(undefined);

/** What only looks is a link, what changes something a button; what this console does not offer is a text to copy. */
export function Suggestions({ of: [first, ...others] }: { readonly of: readonly Suggestion[] }) {
  if (!first) return null;
  // Those with a sentence have a line of their own: they stand together, and the others, the most useful one first.
  const isOther = ({ say }: Suggestion) => Number(!!say !== !!first.say);
  const inOrder = others.toSorted((one, other) => isOther(one) - isOther(other));
  return (
    <ul class="suggestions">
      {[first, ...inOrder].map((one) => (
        <li key={`${one.label} ${hrefOf(one.line)}`}>
          {one.say && !saysWhat(one) && <span>{one.say}</span>}
          <Offer suggestion={one} />
          {saysWhat(one) && <span>{one.say}</span>}
        </li>
      ))}
    </ul>
  );
}

/** And not when to do it. */
const saysWhat = ({ say }: Suggestion) => say?.endsWith('.') === true;

function Offer({ suggestion }: { readonly suggestion: Suggestion }) {
  const { label, line, asks = [] } = suggestion;
  if (!isOffered(line.command)) {
    return (
      <>
        <span>{label}: </span>
        <span class="soft">
          {about.readOnly && !onlyLooks(line.command)
            ? 'this console is read-only. Someone who may change things runs:'
            : 'in a terminal:'}
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
      class={REMOVES.has(line.command) ? 'removes' : undefined}
      onClick={() => {
        action.value = suggestion;
      }}
    >
      {label}
    </button>
  );
}

interface LinkProps {
  readonly line: Line;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function LineLink({ line, class: kind, children }: LinkProps) {
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

export function InTerminal({ line }: { readonly line: Line }) {
  return (
    <details class="in-terminal">
      <summary>In a terminal</summary>
      <CommandText line={line} />
    </details>
  );
}

function CommandText({ line }: { readonly line: Line }) {
  const text = lineText(line, about);
  return (
    <span class="command">
      <code>{text}</code>
      <Copy text={text} />
    </span>
  );
}

/** `what`: where a page has several. */
export function Copy({ text, what = '' }: { readonly text: string; readonly what?: string }) {
  const [isCopied, setCopied] = useState(false);
  const word = isCopied ? 'Copied' : 'Copy';
  const copyIt = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <button
      type="button"
      class="quiet copy"
      aria-label={`${word} ${what}`.trim()}
      onClick={() => void copyIt()}
    >
      {word}
    </button>
  );
}
