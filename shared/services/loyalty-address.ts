import type { Connector } from '../config/connector-config.ts';

const OWN_MACHINE = /^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/;

/** The configured address; on one machine, the sandbox that stands in for the service there. */
export function loyaltyAddress(
  { loyalty }: Connector,
  sandbox = process.env.LOYALTY_SANDBOX_ADDRESS,
): string {
  if (!sandbox) return loyalty.address;
  // The credentials travel in every request: a variable must not be able to send them elsewhere.
  if (OWN_MACHINE.test(sandbox)) return sandbox;
  throw new Error('a loyalty sandbox must be at http://localhost, 127.x.x.x or [::1]');
}
