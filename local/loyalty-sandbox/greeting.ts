import type { LoyaltySandbox } from './sandbox.ts';

type Greeted = Pick<LoyaltySandbox, 'address' | 'credentials'>;

/** What a newcomer needs to see it work. */
export function greet({ address, credentials: { token, key } }: Greeted, now: Date): string {
  const date = now.toISOString();
  const order = {
    OriginalId: 'order-1',
    OrderPlacementDate: date,
    OrderCompletedDate: date,
    OrderStatus: 'fulfilled',
    IsCompleted: true,
    IsCancelledOrReturned: false,
    OrderTotal: 64.9,
    Customer: { OriginalId: 'customer-1', Name: 'Robin Sample', Email: 'robin@example.com' },
    UpdatedDate: date,
  };
  const curl = `curl -u ${quote(`${token}:${key}`)}`;
  return `The loyalty sandbox is running. Everything in it is invented; stop it with Ctrl-C.

  API      ${address}/v1/pvt/…
  token    ${token}
  key      ${key}
  pages    ${address}/       the API, to read and to try
           ${address}/state  what it holds, what it was asked, and buttons to make it fail

An order that earns points:

  ${curl} ${address}/v1/pvt/POS/orders \\
    -H 'content-type: application/json' \\
    -d ${quote(JSON.stringify(order))}

Who earned them, and how many they have now:

  ${curl} ${address}/v1/pvt/Customer/customer-1
  curl ${address}/sandbox/state
`;
}

/** For a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
