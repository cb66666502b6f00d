import { runCommand, shellQuote } from '../sandbox-kit/command-line.ts';
import { help, readArguments } from './arguments.ts';
import type { LoyaltySandbox } from './sandbox.ts';

await runCommand(readArguments(process.argv.slice(2)), help, async (options) => {
  const { startLoyaltySandbox } = await import('./sandbox.ts');
  const sandbox = await startLoyaltySandbox(options);
  return { sandbox, greeting: greet(sandbox, new Date()) };
});

type Greeted = Pick<LoyaltySandbox, 'address' | 'credentials'>;

/** What a new user needs to try it. */
function greet({ address, credentials: { token, key } }: Greeted, now: Date): string {
  const date = now.toISOString();
  const order = {
    OriginalId: 'order-1',
    OrderPlacementDate: new Date(now.getTime() - 1000).toISOString(),
    OrderCompletedDate: date,
    OrderStatus: 'fulfilled',
    IsCompleted: true,
    IsCancelledOrReturned: false,
    OrderTotal: 64.9,
    Customer: { OriginalId: 'customer-1', Name: 'Robin Sample', Email: 'robin@example.com' },
    UpdatedDate: date,
  };
  const curl = `curl -u ${shellQuote(`${token}:${key}`)}`;
  return `The loyalty sandbox is running. All of its data is invented. Ctrl-C stops it.

  API      ${address}/v1/pvt/…
  token    ${token}
  key      ${key}
  pages    ${address}/       the API, to read and try out
           ${address}/state  its data, the calls it received, and buttons that make it fail

An order that earns points:

  ${curl} ${address}/v1/pvt/POS/orders \\
    -H 'content-type: application/json' \\
    -d ${shellQuote(JSON.stringify(order))}

The customer with the points:

  ${curl} ${address}/v1/pvt/Customer/customer-1
  curl ${address}/sandbox/state
`;
}
