import { minorDigits } from '../../../shared/store/currency.ts';
import { badge, brief, type Html, html, renderSection } from '../../sandbox-kit/pages/html.ts';
import { formatMinor } from '../model/minor-units.ts';
import type { State } from '../state.ts';
import { actionButton } from './action-button.ts';
import { nameOf } from './customer-name.ts';
export function renderProducts({ products, shop }: State): Html {
  const digits = minorDigits(shop.currency);
  const lowest = (product: State['products'][number]) =>
    Math.min(...product.variants.map(({ priceMinor }) => priceMinor));
  return renderSection({
    id: 'products',
    title: 'Products',
    rows: products,
    whenEmpty: 'None yet. Make one with the button above.',
    columns: [
      { name: 'Product', cell: ({ title }) => brief(title) },
      { name: 'Id', cell: ({ id }) => brief(id) },
      { name: 'Vendor', cell: ({ vendor }) => brief(vendor) },
      {
        name: 'Category',
        cell: ({ category, productType }) => brief(category?.fullName ?? (productType || null)),
      },
      { name: 'Price', align: 'right', cell: (product) => formatMinor(lowest(product), digits) },
      {
        name: 'Stock',
        align: 'right',
        cell: ({ variants }) => variants.reduce((sum, { inventory }) => sum + inventory, 0),
      },
      {
        name: 'Status',
        cell: ({ status }) => badge(status === 'active' ? 'good' : 'plain', status),
      },
      {
        name: '',
        cell: (product) =>
          html`<span class="buttons">${actionButton('Price +1', 'updateProduct', {
            productId: product.id,
            price: formatMinor(lowest(product) + 10 ** digits, digits),
          })}${
            product.status === 'active'
              ? actionButton('Archive', 'updateProduct', {
                  productId: product.id,
                  status: 'archived',
                })
              : actionButton('Activate', 'updateProduct', {
                  productId: product.id,
                  status: 'active',
                })
          }${actionButton('Stock −1', 'changeInventory', { productId: product.id, by: -1 })}${actionButton(
            'Delete',
            'deleteProduct',
            { productId: product.id },
          )}</span>`,
      },
    ],
  });
}

export function renderCustomers({ customers, orders }: State): Html {
  return renderSection({
    id: 'customers',
    title: 'Customers',
    rows: customers,
    whenEmpty: 'None yet. Make one with the button above.',
    columns: [
      { name: 'Name', cell: (customer) => brief(nameOf(customer)) },
      { name: 'Id', cell: ({ id }) => brief(id) },
      { name: 'E-mail', cell: ({ email }) => brief(email) },
      { name: 'Phone', cell: ({ phone }) => brief(phone) },
      {
        name: 'Orders',
        align: 'right',
        cell: ({ id }) => orders.filter(({ customerId }) => customerId === id).length,
      },
      {
        name: '',
        cell: ({ id: customerId }) =>
          html`<span class="buttons">${actionButton('Delete', 'deleteCustomer', {
            customerId,
          })}${actionButton('Redact', 'redactCustomer', { customerId })}${actionButton(
            'Data request',
            'requestCustomerData',
            { customerId },
          )}</span>`,
      },
    ],
  });
}
