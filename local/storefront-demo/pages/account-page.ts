import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { customerOf, type ShopStore } from '../shop.ts';
import type { Visit } from '../visit.ts';
import { renderWidget } from './layout.ts';

/** Where one logs in: by choosing who to be. */
export function renderAccount(store: ShopStore, visit: Visit): Html {
  const customer = customerOf(store, visit);
  const name = [customer?.firstName, customer?.lastName].filter(Boolean).join(' ');
  return html`<h1>${customer ? `Account of ${name}` : 'Log in'}</h1>
<form method="post" action="/account" class="buy">
<label>Customer <select name="customerId">
<option value="">Nobody (logged out)</option>
${[...store.rows.customers.values()].map(
  ({ id, firstName, lastName }) =>
    html`<option value="${id}"${id === customer?.id && html` selected`}>${firstName} ${lastName}</option>`,
)}
</select></label>
<button>Be this customer</button>
</form>
${customer && renderWidget(store, visit, { show: 'balance rewards quizzes' })}`;
}
