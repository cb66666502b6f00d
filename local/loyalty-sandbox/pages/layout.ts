import type { Credentials } from '../../../shared/loyalty/access.ts';
import type { Answer } from '../../sandbox-kit/http/server.ts';
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

/**
 * Nothing from elsewhere, no script inside the page: even text that got in unescaped would not run.
 * The documentation sets styles on its elements, so it needs them inline.
 */
export function pageAnswer(page: Html, styles: 'from-files' | 'inline-too'): Answer {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styles === 'inline-too' ? " 'unsafe-inline'" : ''}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body: page.text,
  };
}
