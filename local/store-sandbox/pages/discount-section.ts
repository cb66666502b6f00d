import { minorDigits } from '../../../shared/store/currency.ts';
import {
  badge,
  brief,
  type Html,
  html,
  moment,
  renderSection,
} from '../../sandbox-kit/pages/html.ts';
import { formatMinor } from '../model/minor-units.ts';
import type { State } from '../state.ts';
import { actionButton } from './action-button.ts';

export function renderDiscounts({ discounts, codes, shop }: State): Html {
  const byDiscount = Map.groupBy(codes, ({ discountId }) => discountId);
  const digits = minorDigits(shop.currency);
  return renderSection({
    id: 'discounts',
    title: 'Discounts',
    rows: discounts,
    whenEmpty: 'None yet. Make one with the button above.',
    columns: [
      {
        name: 'Title',
        cell: ({ title, id }) => html`<span class="brief" title="${id}">${title}</span>`,
      },
      { name: 'Kind', cell: ({ method, kind }) => `${method}, ${kind}` },
      { name: 'Value', align: 'right', cell: (discount) => describeValue(discount, digits) },
      {
        name: 'Codes',
        cell: ({ id, method }) => {
          if (method === 'automatic') return null;
          const own = byDiscount.get(id) ?? [];
          const shown = own
            .slice(0, 3)
            .map(({ code }) => code)
            .join(', ');
          return brief(own.length > 3 ? `${shown} and ${own.length - 3} more` : shown || 'none');
        },
      },
      { name: 'For', cell: ({ context }) => (context.kind === 'all' ? 'everyone' : context.kind) },
      { name: 'Ends', cell: ({ endsAt }) => moment(endsAt) },
      {
        name: 'Status',
        cell: ({ status }) => badge(status === 'ACTIVE' ? 'good' : 'plain', status.toLowerCase()),
      },
      {
        name: '',
        cell: ({ id: discountId, method, status }) => {
          const [first] = byDiscount.get(discountId) ?? [];
          return html`<span class="buttons">${
            method === 'code' &&
            html`<button type="button" data-add-code="${discountId}">Add code</button>`
          }${
            first && actionButton('Remove code', 'removeCodes', { discountId, codes: [first.code] })
          }${status === 'ACTIVE' && actionButton('Deactivate', 'deactivateDiscount', { discountId })}${actionButton(
            'Delete',
            'deleteDiscount',
            { discountId },
          )}</span>`;
        },
      },
    ],
  });
}

function describeValue({ value, kind }: State['discounts'][number], digits: number): string | null {
  if (!value) return kind === 'free-shipping' ? 'shipping' : null;
  return value.kind === 'percentage' ? `${value.ppm / 10_000} %` : formatMinor(value.minor, digits);
}
