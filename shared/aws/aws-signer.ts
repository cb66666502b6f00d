import { createHash, createHmac, createSecretKey } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface SignableRequest {
  /** Host and port, as in the header. */
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Returns the headers of a POST to `/`, including the signature. */
export type Sign = (request: SignableRequest) => Promise<Readonly<Record<string, string>>>;

/** Signature Version 4 by AWS's own signer, which the SDK uses, too. */
export function createSigner(
  service: string,
  region: string,
  credentials: () => AwsCredentials,
): Sign {
  const signer = new SignatureV4({
    service,
    region,
    credentials: async () => {
      const { sessionToken, ...key } = credentials();
      return { ...key, ...(sessionToken !== undefined && { sessionToken }) };
    },
    sha256: Sha256,
  });
  return async ({ host, headers, body }) => {
    const request = {
      method: 'POST',
      protocol: 'https:',
      hostname: host,
      path: '/',
      query: {},
      headers: { ...headers, host },
      body,
    };
    return (await signer.sign(request)).headers;
  };
}

type HashInput = string | ArrayBuffer | ArrayBufferView;

/** The SDK's hash interface, implemented with node:crypto; with a secret it is an HMAC. */
class Sha256 {
  readonly #secret: HashInput | undefined;
  #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

  constructor(secret?: HashInput) {
    this.#secret = secret;
    this.#hash = this.#start();
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#start();
  }

  #start() {
    return this.#secret === undefined
      ? createHash('sha256')
      : createHmac('sha256', createSecretKey(bytesOf(this.#secret)));
  }
}

function bytesOf(input: HashInput): Uint8Array {
  if (typeof input === 'string') return Buffer.from(input);
  return ArrayBuffer.isView(input)
    ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
    : new Uint8Array(input);
}
