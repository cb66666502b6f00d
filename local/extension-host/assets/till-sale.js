/** A value that others follow, as the `current` of Shopify's APIs. */
class Live {
  #readers = new Set();

  constructor(value) {
    this.value = value;
  }

  set(value) {
    this.value = value;
    for (const run of this.#readers) run(value);
  }

  subscribe(run) {
    this.#readers.add(run);
    run(this.value);
    return () => this.#readers.delete(run);
  }
}

const send = async (path, body) => {
  const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
  return answer.json();
};

/** The sale at the till: the state of the page, and the part of Shopify's APIs that the extension uses. */
export function createSale(data) {
  const { currency } = data;
  const staff = new Live(data.staff[0].id);
  const place = new Live(data.locations[0].id);
  const details = new Live(undefined);
  const message = new Live('');
  /** What the store is asked to price. */
  let wanted = { customer: undefined, lines: [], codes: [] };
  const cart = new Live(cartOf(wanted, { total: '0', lines: [] }));

  const body = ({ customer, lines, codes }) => ({
    staffId: staff.value,
    locationId: place.value,
    customerId: customer?.id ?? null,
    lines: lines.map(({ variantId, quantity }) => ({ variantId, quantity })),
    codes,
  });

  /** The store decides what the cart costs, and which codes it has. */
  async function change(next) {
    wanted = { ...wanted, ...next };
    const asked = wanted;
    const quoted = await send('/till/quote', body(asked));
    // Something else was changed meanwhile: its answer is still to come.
    if (wanted !== asked) return quoted;
    const isRefused = (code) => quoted.refused.some((one) => one.code === code);
    wanted = { ...asked, codes: asked.codes.filter((code) => !isRefused(code)) };
    message.set(quoted.refused.map(({ why }) => why).join(' '));
    cart.set(cartOf(wanted, quoted));
    return quoted;
  }

  function cartOf({ customer, lines, codes }, quoted) {
    const off = (code) =>
      quoted.lines
        .flat()
        .filter((one) => one.code === code)
        .reduce((sum, one) => sum + Number(one.amount), 0);
    return {
      editable: true,
      currency,
      subtotal: quoted.subtotal ?? '0',
      taxTotal: '0',
      grandTotal: quoted.total,
      ...(customer && { customer: { id: Number(customer.id) } }),
      cartDiscounts: codes.map((code) => ({
        ...{ discountDescription: code, amount: off(code), currency, type: 'Code' },
      })),
      lineItems: lines.map((line, i) => ({
        uuid: line.variantId,
        title: line.title,
        price: Number(line.price),
        quantity: line.quantity,
        variantId: Number(line.variantId),
        productId: Number(line.productId),
        discounts: [],
        discountAllocations: (quoted.lines[i] ?? []).map(({ amount }) => ({
          allocatedAmount: { amount, currencyCode: currency },
        })),
        ...{ taxable: true, taxLines: [], properties: {}, isGiftCard: false },
      })),
      properties: {},
    };
  }

  const storage = new Map();
  const sale = {
    ...{ cart, details, message, staff, location: place },
    connectivity: new Live({ internetConnected: 'Connected' }),
    locale: new Live('en'),
    customer: () => wanted.customer,
    findCustomers: async (text) => {
      const answer = await fetch(`/till/customers?${new URLSearchParams({ q: text })}`);
      return answer.json();
    },
    /** Shows a customer, who also becomes that of a cart without one. */
    async open(customer) {
      details.set(customer);
      if (!wanted.customer) await change({ customer });
    },
    setCustomer: (customer) => change({ customer }),
    removeCustomer: () => change({ customer: undefined }),
    removeCode: (code) => change({ codes: wanted.codes.filter((one) => one !== code) }),
    add(product) {
      const line = wanted.lines.find(({ variantId }) => variantId === product.variantId);
      if (line) return sale.setQuantity({ uuid: line.variantId }, line.quantity + 1);
      return change({ lines: [...wanted.lines, { ...product, quantity: 1 }] });
    },
    setQuantity: ({ uuid }, quantity) =>
      change({
        lines: wanted.lines
          .map((line) => (line.variantId === uuid ? { ...line, quantity } : line))
          .filter((line) => line.quantity > 0),
      }),
    async pay() {
      const { number } = await send('/till/orders', body(wanted));
      const earns = wanted.customer ? 'Its points arrive in a moment.' : 'A guest earns no points.';
      await change({ customer: undefined, lines: [], codes: [] });
      message.set(`Order #${number} is paid. ${earns}`);
    },
    /** The global `shopify` of a target ("POS UI extensions", Target APIs): what our extension uses of it. */
    apiOf: (target, customerId) => ({
      extension: { target, apiVersion: '2026-10' },
      action: { presentModal: () => sale.presentModal() },
      customer: { id: Number(customerId) },
      locale: { current: sale.locale },
      connectivity: { current: sale.connectivity },
      session: {
        currentSession: {
          ...{ shopId: 1, shopDomain: data.shopDomain, currency, posVersion: '10.0.0' },
          ...{ userId: Number(staff.value), locationId: Number(place.value) },
        },
        staffMember: new Live({ id: Number(staff.value) }),
        async getSessionToken() {
          const answer = await fetch(`/till/session-token?staff=${staff.value}`);
          return answer.text();
        },
      },
      storage: {
        get: async (name) => storage.get(name),
        set: async (name, value) => void storage.set(name, structuredClone(value)),
        delete: async (name) => storage.delete(name),
      },
      cart: {
        current: cart,
        async addCartCodeDiscount(code) {
          const quoted = await change({ codes: [...new Set([...wanted.codes, code])] });
          const refused = quoted.refused.find((one) => one.code === code);
          if (refused) throw new Error(refused.why);
        },
        async setCustomer({ id }) {
          const { value } = details;
          await change({ customer: { ...value, id: String(id) } });
        },
      },
    }),
  };
  return sale;
}
