import http, { type IncomingHttpHeaders } from 'node:http';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { basicAuthorization } from '../../../shared/loyalty/client.ts';
import { checkReceived, parseJson } from './start-sandbox.ts';

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Undefined where the body is not JSON. */
  readonly json: unknown;
}

export interface Sending {
  readonly headers?: http.OutgoingHttpHeaders;
  /** Text and bytes go as they are, anything else as JSON. */
  readonly body?: unknown;
}

type Where = Pick<LoyaltySandbox, 'address' | 'credentials'>;

/**
 * The path goes out exactly as given. Rejects with a code where there is no whole answer, and where an
 * operation's answer is not the contract.
 */
export function send(
  address: string,
  method: string,
  path: string,
  { headers = {}, body }: Sending = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const bytes = toBytes(body);
    // Node does not say the length of a GET's body by itself.
    const length = bytes.length > 0 ? { 'content-length': Buffer.byteLength(bytes) } : {};
    http
      .request({
        hostname,
        port,
        method,
        path,
        headers: { ...length, ...headers },
        agent: false,
      })
      .on('response', (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('error', reject)
          .on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const { statusCode: status = 0, headers: received } = response;
            try {
              checkReceived(address, method, path, { status, text });
              resolve({ status, headers: received, text, json: parseJson(text) });
            } catch (error) {
              reject(error);
            }
          });
      })
      .on('error', reject)
      .end(bytes);
  });
}

/** With the credentials, and the operation's usual headers. */
export function callApi(
  { address, credentials }: Where,
  method: string,
  path: string,
  body?: unknown,
) {
  return send(address, method, path, {
    headers: {
      authorization: basicAuthorization(credentials),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body,
  });
}

export function control({ address }: Where, method: string, path: string, body?: unknown) {
  return send(address, method, path, { headers: { 'content-type': 'application/json' }, body });
}

export function completedOrder(id: string, customer = 'customer-1', total = 100) {
  return {
    OriginalId: id,
    OrderPlacementDate: '2026-10-05T09:00:00Z',
    OrderCompletedDate: '2026-10-07T15:00:00Z',
    OrderStatus: 'fulfilled',
    IsCancelledOrReturned: false,
    IsCompleted: true,
    OrderTotal: total,
    Customer: { OriginalId: customer, Name: 'Robin Sample', Email: `${customer}@example.com` },
    UpdatedDate: '2026-10-07T15:00:00Z',
  };
}

export const orders = '/v1/pvt/POS/orders';

function toBytes(body: unknown): string | Uint8Array {
  if (body === undefined) return '';
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}
