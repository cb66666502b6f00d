import type { Credentials } from '../../../shared/loyalty/access.ts';
import { type Html, html } from '../../sandbox-kit/pages/html.ts';

export interface PageParts {
  readonly title: string;
  readonly current: 'docs' | 'state';
  readonly address: string;
  readonly credentials: Credentials;
  readonly head: Html;
  readonly content: Html;
}

export function layOut({ title, current, address, credentials, head, content }: PageParts): Html {
  const link = (page: PageParts['current'], href: string, text: string) =>
    page === current
      ? html`<a href="${href}" aria-current="page">${text}</a>`
      : html`<a href="${href}">${text}</a>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · loyalty sandbox</title>
<link rel="icon" href="/docs-assets/favicon-32x32.png">
<link rel="stylesheet" href="/assets/bar.css">
${head}
</head>
<body class="${current}">
<header class="bar">
<strong>Loyalty sandbox</strong>
<nav>${link('docs', '/', 'API')}${link('state', '/state', 'State')}</nav>
<dl>
<div><dt>Address</dt><dd><code>${address}</code></dd></div>
<div><dt>Token</dt><dd><code>${credentials.token}</code></dd></div>
<div><dt>Key</dt><dd><code>${credentials.key}</code></dd></div>
</dl>
</header>
${content}
</body>
</html>
`;
}
