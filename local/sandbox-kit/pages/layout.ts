import { type Html, html } from './html.ts';

/** The addresses of the local stack's other pages, as far as they run. A server of its own has none. */
export type Neighbours = Partial<Record<'shop' | 'store' | 'loyalty' | 'console', string>>;

const names = { shop: 'Shop', store: 'Store', loyalty: 'Loyalty service', console: 'Console' };

export interface PageParts {
  /** Of the server, in the bar. */
  readonly name: string;
  readonly title?: string;
  readonly kind?: string;
  readonly links?: readonly {
    readonly href: string;
    readonly text: string;
    readonly isCurrent?: boolean;
  }[];
  readonly facts?: Readonly<Record<string, string>>;
  readonly neighbours?: Neighbours | undefined;
  /** Which of the neighbours this page is. */
  readonly self?: keyof Neighbours;
  readonly head: Html;
  readonly content: Html;
}

/** The layout of every page but the shop's. */
export function layOut(parts: PageParts): Html {
  const { name, title = name, kind = '', links = [], facts, neighbours = {} } = parts;
  const others = Object.entries(names).flatMap(([key, text]) => {
    const address = neighbours[key as keyof Neighbours];
    return address === undefined || key === parts.self
      ? []
      : [html`<a href="${address}">${text}</a>`];
  });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === name ? name : `${title} · ${name}`}</title>
<link rel="stylesheet" href="/assets/bar.css">
${parts.head}
</head>
<body class="${kind}">
<header class="bar">
<h1>${name}</h1>
${
  links.length > 0 &&
  html`<nav aria-label="This page">${links.map(
    ({ href, text, isCurrent }) =>
      html`<a href="${href}"${isCurrent && html` aria-current="page"`}>${text}</a>`,
  )}</nav>`
}
${others.length > 0 && html`<nav class="others" aria-label="Other pages">${others}</nav>`}
${
  facts &&
  html`<dl>
${Object.entries(facts).map(
  ([fact, value]) => html`<div><dt>${fact}</dt><dd><code>${value}</code></dd></div>\n`,
)}</dl>`
}
</header>
${parts.content}
</body>
</html>
`;
}

/** The id, as a link to the same thing on a page of the other side where that page runs. */
export const idLink = (id: string, page: string | undefined, anchor: string): Html =>
  page === undefined
    ? html`<span class="id">${id}</span>`
    : html`<a class="id" href="${page}#${anchor}-${id}">${id}</a>`;
