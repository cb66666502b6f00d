import './style.css';
import { Fragment, options as hooks, render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Line, line as lineOf, type Options } from '../../terminal/line.ts';
import { printable, printableLines } from '../../terminal/text.ts';
import { Answer, Underway } from './blocks.tsx';
import { ActionDialog, changes, Form, keepFocus } from './dialog.tsx';
import { about, open, place, type Search, TABS, tabOf } from './place.ts';
import { hrefOf } from './route.ts';
import { type Question, useQuestion } from './run.ts';
import { action, InTerminal } from './suggestion.tsx';
import { localText, secondText, zoneOf } from './words.ts';

function Page() {
  const line = place.value;
  const { value: suggestion } = action;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Header line={line} />
      <main id="main" tabIndex={-1}>
        <View line={line} />
      </main>
      {suggestion && <ActionDialog suggestion={suggestion} key={JSON.stringify(suggestion)} />}
    </>
  );
}

function Header({ line }: { readonly line: Line }) {
  const current = tabOf(line);
  return (
    <header>
      <p class="stack">
        <strong>{about.stack}</strong>
        <span class="soft">
          {about.version} {about.where === 'aws' ? about.region : 'on this machine'}
        </span>
        {about.readOnly && <span class="badge">Read only</span>}
      </p>
      <nav aria-label="Views">
        <ul class="plain">
          {TABS.map((tab) => (
            <li key={tab.name}>
              <a href={hrefOf(tab.line)} aria-current={tab === current ? 'page' : undefined}>
                {tab.name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}

function View({ line }: { readonly line: Line }) {
  const tab = tabOf(line);
  const search = tab?.search;
  const isSearch = search?.command === line.command && !search.option && line.operands.length === 0;
  const question = useQuestion(isSearch ? undefined : line);
  const { ran, asking, askAgain } = question;
  // The page of one of them is about nothing else.
  const isSearched = search && (!search.option || search.command === line.command);
  const isHome = tab?.line.command === line.command && line.operands.length === 0;
  const narrowed = line.options[search?.option ?? ''] ?? '';
  const title = ran?.document?.title ?? tab?.name ?? line.command;
  const heading = isHome ? tab.name : title;
  // The stack stands above every page.
  const isNews = title !== heading && !title.includes(about.stack);
  const subtitle = search?.shows ?? (isNews && title);

  const seen = useRef(changes.value);
  useEffect(() => {
    if (seen.current === changes.value) return;
    seen.current = changes.value;
    void askAgain().then(keepFocus);
  }, [changes.value]);

  const top = useRef<HTMLHeadingElement>(null);
  const wanted = JSON.stringify(line);
  const shown = useRef(wanted);
  useEffect(() => {
    document.title = printable(`${heading} · ${about.stack}`);
  }, [heading]);
  useEffect(() => {
    // A screen reader says which view opened; not at the start, where the page itself is read.
    if (shown.current !== wanted && !isSearch) top.current?.focus();
    shown.current = wanted;
  }, [wanted]);
  return (
    <>
      <div class="head">
        <h1 ref={top} tabIndex={-1}>
          {heading}
        </h1>
        {!isSearch && <Bar line={line} question={question} />}
        {isHome && <p class="soft">{subtitle}</p>}
      </div>
      {isSearched && (
        <SearchBox {...{ search, line }} key={`${search.command} ${narrowed}`} isFirst={isSearch} />
      )}
      <div class="answer" aria-busy={asking !== undefined}>
        {asking && (!ran || asking.progress) && <Underway ran={asking} doing="Asking" />}
        {ran && <Answer ran={ran} command={line.command} key={wanted} />}
      </div>
    </>
  );
}

function Bar({ line, question }: { readonly line: Line; readonly question: Question }) {
  const { at, asking, askAgain, stop } = question;
  return (
    <div class="bar">
      {at !== undefined && (
        <span class="soft" title={localText(at)}>
          as of {secondText(at)} {zoneOf(at)}
        </span>
      )}
      <button type="button" class="quiet" onClick={asking ? stop : () => void askAgain()}>
        {asking ? 'Stop' : 'Refresh'}
      </button>
      <InTerminal line={line} />
    </div>
  );
}

interface SearchProps {
  readonly search: Search;
  readonly line: Line;
  readonly isFirst: boolean;
}

/** What is typed may be an e-mail address, which does not become a part of the page's address. */
function SearchBox({ search, line, isFirst }: SearchProps) {
  const { command, label, ofShop, option } = search;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isFirst) box.current?.querySelector('input')?.focus();
  }, [isFirst]);
  const of = Object.fromEntries(about.shops.map((one) => [one, one]));
  const shop = ofShop && about.shops.length > 1 ? [{ name: 'shop', label: 'Shop', of }] : [];
  const find = ({ text = '', ...options }: Options) => {
    if (option === undefined) return open(lineOf(command, [String(text)], options));
    const others = line.command === command ? line.options : {};
    return open(lineOf(command, [], { ...others, [option]: text || undefined }));
  };
  const typed = option === undefined ? {} : { value: String(line.options[option] ?? '') };
  return (
    <search class="search" ref={box}>
      <Form class="fields" fields={[{ name: 'text', label, ...typed }, ...shop]} onSubmit={find}>
        <button type="submit">Find</button>
      </Form>
      {line.operands.length === 0 && search.hint && <p class="soft">{search.hint}</p>}
    </search>
  );
}

/**
 * Foreign texts (titles, notes, reasons) must not disguise what stands beside them: control characters and
 * direction marks are shown as escapes, in every text of the page. Preact itself writes texts, never markup.
 */
const before = hooks.vnode;
hooks.vnode = (vnode) => {
  if (typeof vnode.type === 'string' || vnode.type === Fragment) {
    const props = vnode.props as Record<string, unknown>;
    props.children = shown(props.children);
    for (const name of ['title', 'aria-label', 'alt', 'data-title'])
      if (name in props) props[name] = shown(props[name]);
  }
  before?.(vnode);
};

function shown(value: unknown): unknown {
  if (typeof value === 'string') return printableLines(value);
  return Array.isArray(value) ? value.map(shown) : value;
}

/** As on many pages, `/` goes to the search. */
addEventListener('keydown', (event) => {
  const isTyping = (event.target as Element).closest('input, select, dialog') !== null;
  if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping) return;
  event.preventDefault();
  const box = document.querySelector<HTMLElement>('search input');
  if (box) box.focus();
  else open(lineOf('trace'));
});

render(<Page />, document.body);
