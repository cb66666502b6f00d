import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSigner } from '../../shared/aws/aws-client.ts';

/** The hash that the SDK's signer wants, implemented with node:crypto. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac('sha256', typeof secret === 'string' ? secret : Buffer.from(bytesOf(secret)));
  }
  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {
    throw new Error('the signer uses each hash once');
  }
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

const text = (unit: string) =>
  fc.string({ unit: fc.constantFrom(...unit), minLength: 1, maxLength: 40 });
const letters = 'abcdefghijklmnopqrstuvwxyz';
const credentials = fc.record(
  {
    accessKeyId: text(letters.toUpperCase()),
    secretAccessKey: text(`${letters}+/=`),
    sessionToken: text(`${letters}+/=`),
  },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
);
const requests = fc.record({
  host: text(letters).map((name) => `${name}.example.com`),
  headers: fc.dictionary(
    text(letters).map((name) => `x-${name}`),
    text(`${letters}./;=`),
    { maxKeys: 5 },
  ),
  body: fc.uint8Array({ maxLength: 200 }),
});
/** Two moments: the key of the first day must not sign the second. */
const moments = fc.array(
  fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
  { minLength: 2, maxLength: 2 },
);

it('signs as the SDK does', async () => {
  await fc.assert(
    fc.asyncProperty(
      credentials,
      requests,
      moments,
      async (key, { host, headers, body }, dates) => {
        let now = new Date();
        const sign = createSigner(
          'sqs',
          'eu-central-1',
          () => key,
          () => now,
        );
        const sdk = new SignatureV4({
          service: 'sqs',
          region: 'eu-central-1',
          credentials: key,
          sha256: Sha256,
        });
        for (const date of dates) {
          now = date;
          const all = { 'user-agent': 'loyalty-connector', ...headers };
          const request = {
            method: 'POST',
            protocol: 'https:',
            hostname: host,
            path: '/',
            query: {},
            headers: { ...all, host },
            body,
          };
          const theirs = await sdk.sign(request, { signingDate: date });
          expect(sign({ host, headers: all, body })).toEqual(theirs.headers);
        }
      },
    ),
  );
});

it('takes up credentials that changed', () => {
  let secretAccessKey = 'one';
  const sign = createSigner(
    'sqs',
    'eu-central-1',
    () => ({ accessKeyId: 'AKIA', secretAccessKey }),
    () => new Date(0),
  );
  const request = { host: 'example.com', headers: {}, body: Buffer.from('{}') };
  const before = sign(request).authorization;
  secretAccessKey = 'other';
  expect(sign(request).authorization).not.toBe(before);
});
