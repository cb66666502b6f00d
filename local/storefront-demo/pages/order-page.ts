import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { OrderRow } from '../../store-sandbox/model/order-row.ts';
import { financialStatus, fulfillmentStatus } from '../../store-sandbox/model/order-status.ts';
import { gatherEvidence, type Step, stepsOf } from '../order-progress.ts';
import { moneyOf, pointsOf, type Shop } from '../shop.ts';
import type { Visit } from '../visit.ts';
import { renderTotals } from './cart-page.ts';
import { renderPicture } from './pictures.ts';

/** Its script asks for the steps again until the last one is done. */
export function renderOrder(shop: Shop, order: OrderRow): Html {
  const { store, loyalty } = shop;
  const isGuest = order.customerId === null;
  return html`<h1>Order #${order.number}</h1>
<p class="lead">${describeStatus(order)}</p>
<div class="order">
<section aria-labelledby="progress-title">
<h2 id="progress-title">${isGuest ? 'The way of your order' : 'Your points arrive'}</h2>
<ol class="steps" data-progress="/orders/${order.id}/progress" aria-live="polite">
${stepsOf(gatherEvidence(shop, order)).map(renderStep)}
</ol>
<p><a class="button" href="/account">${isGuest ? 'Log in to earn points next time' : 'See your points'}</a></p>
</section>
<section class="summary" aria-labelledby="order-title">
<h2 id="order-title">What you bought</h2>
<ul class="lines">
${order.lines.map((line) => {
  const product = store.rows.products.get(line.productId ?? '');
  return html`<li><span class="thumb">${product && renderPicture(product)}</span>
<div class="what">${line.title}<span class="note">${line.variantTitle !== null && `${line.variantTitle} · `}${line.quantity} × ${moneyOf(store, line.unitMinor)}</span></div>
<span class="amount">${moneyOf(store, line.unitMinor * line.quantity)}</span></li>\n`;
})}
</ul>
${renderTotals(store, order)}
<h3>The same order elsewhere</h3>
<dl class="ids">
<div><dt>Order id</dt><dd><code>${order.id}</code></dd></div>
<div><dt>Customer id</dt><dd><code>${order.customerId ?? 'none (guest)'}</code></dd></div>
</dl>
<p class="links"><a href="${store.address}/#order-${order.id}">In the store</a> <a href="${loyalty.address}/state#order-${order.id}">In the loyalty service</a></p>
</section>
</div>`;
}

function describeStatus(order: OrderRow): string {
  if (order.cancelledAt !== null) return 'It is cancelled.';
  const fulfilment = fulfillmentStatus(order) ?? 'not fulfilled yet';
  return `Thank you. It is ${financialStatus(order).replaceAll('_', ' ')} and ${fulfilment}.`;
}

function renderStep({ name, title, state, at, note }: Step): Html {
  return html`<li data-step="${name}" data-state="${state}"><b>${title}</b>
<time>${at === null ? '' : clockTime(at)}</time>
<span class="note">${note}</span></li>\n`;
}

/** In UTC, as on the pages of the store and of the loyalty service, and as exact as the source. */
const clockTime = (iso: string): string => iso.slice(11).replace('Z', '');

/** For the script: the same texts as on the page. */
export function describeProgress(shop: Shop, visit: Visit, order: OrderRow) {
  return {
    steps: stepsOf(gatherEvidence(shop, order)).map(({ name, state, at, note }) => ({
      name,
      state,
      time: at === null ? '' : clockTime(at),
      note,
    })),
    points: pointsOf(shop.store, visit) ?? null,
  };
}
