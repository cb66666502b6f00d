import { parse } from 'yaml';
import type { Credentials } from '../../../shared/loyalty/client.ts';
import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { Neighbours } from '../../sandbox-kit/pages/layout.ts';
import type { Contract } from '../contract.ts';
import { layOutPage } from './layout.ts';

/** The contract in a browser, ready to be tried: everything it loads comes from the sandbox. */
export function renderDocsPage(
  address: string,
  credentials: Credentials,
  neighbours: Neighbours | undefined,
): Html {
  return layOutPage('docs', {
    address,
    credentials,
    neighbours,
    head: html`<link rel="stylesheet" href="/docs-assets/swagger-ui.css">
<script src="/docs-assets/swagger-ui-bundle.js" defer></script>
<script src="/assets/docs.js" defer></script>`,
    content: html`<main id="docs" data-token="${credentials.token}" data-key="${credentials.key}"></main>`,
  });
}

/** The contract with the sandbox as its only server, so that "try it out" reaches it. */
export function describeContractAt(address: string, { openapiText }: Contract): unknown {
  const servers = [{ url: address, description: 'This sandbox.' }];
  return { ...parse(openapiText), servers };
}
