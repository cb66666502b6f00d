import type { Credentials } from '../../../shared/loyalty/client.ts';
import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { layOut, type PageParts } from '../../sandbox-kit/pages/layout.ts';

interface OwnParts extends Pick<PageParts, 'content' | 'head' | 'neighbours'> {
  readonly address: string;
  readonly credentials: Credentials;
}

const pages = { docs: { href: '/', text: 'API' }, state: { href: '/state', text: 'State' } };

export function layOutPage(current: keyof typeof pages, parts: OwnParts): Html {
  const { address, credentials, head } = parts;
  return layOut({
    ...parts,
    name: 'Loyalty sandbox',
    title: pages[current].text,
    kind: current,
    self: 'loyalty',
    links: Object.values(pages).map((page) => ({ ...page, isCurrent: page === pages[current] })),
    facts: { Address: address, Token: credentials.token, Key: credentials.key },
    head: html`<link rel="icon" href="/docs-assets/favicon-32x32.png">\n${head}`,
  });
}
