import './style.css';
import { Fragment, options, render } from 'preact';
import { printableLines } from '../../terminal/text.ts';
import { Page } from './page.tsx';

/**
 * Foreign texts (titles, notes, reasons) must not disguise what stands beside them: control characters and
 * direction marks are shown as escapes, in every text of the page. Preact itself writes texts, never markup.
 */
const before = options.vnode;
options.vnode = (vnode) => {
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

render(<Page />, document.body);
